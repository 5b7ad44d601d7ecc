// Arms as one role does them. The code of an arm stands in the function where it is written, between labels of its own: only the actor
// of the arm goes there, with a copy of the frame, and at its end it does not go on behind it.

#include "compiler/emit/function.h"

static void put_variables(FunctionEmit *f, const char *name, const VariableList *variables, bool only_owning)
{
    Out *out = f->tables;
    out_printf(out, "static const chx_variable %s[] = {\n", name);
    for (size_t i = 0; i < variables->count; i++) {
        const Variable *variable = variables->items[i];
        // What the function only gets is never changed, and what is copied as it is need not be named.
        if (emit_rank(f->function, variable) == (only_owning ? RANK_OWNS_NOTHING : RANK_FIXED))
            continue;
        out_printf(out, "    {\"%s\", offsetof(struct %s_%s_frame, %s), &%s},\n", variable->name, f->role->prefix,
                   f->function->name, variable->c_name, emit_variable_type(&f->role->types, variable));
    }
    out_puts(out, "    {0, 0, 0},\n};\n");
}

static void put_elements(FunctionEmit *f, const char *name, const LocalOp *op)
{
    Out *out = f->tables;
    const char *frame = arena_printf(f->arena, "struct %s_%s_frame", f->role->prefix, f->function->name);
    out_printf(out, "static const chx_arm_element %s[] = {\n", name);
    for (size_t i = 0; i < op->elements.count; i++) {
        const ArmElement *element = &op->elements.items[i];
        out_printf(out, "    {offsetof(%s, %s), offsetof(%s, %s), offsetof(%s, %s), &%s},\n", frame,
                   element->array->c_name, frame, element->element->c_name, frame, element->index->c_name,
                   emit_variable_type(&f->role->types, element->element));
    }
    out_puts(out, "    {0, 0, 0, 0},\n};\n");
}

static void put_table(FunctionEmit *f, const LocalOp *op, const char *name, uint32_t begin)
{
    Out *out = f->tables;
    RoleSet participants = block_participants(f, op);
    put_variables(f, arena_printf(f->arena, "%s_uses", name), &op->uses, true);
    put_variables(f, arena_printf(f->arena, "%s_owns", name), &op->owns, false);
    put_elements(f, arena_printf(f->arena, "%s_elements", name), op);
    out_printf(out, "static const unsigned %s_participants[] = {", name);
    emit_participants(f->role->program, &participants, out);
    // In the order of the members of chx_checkpoint, then of chx_arm.
    out_printf(out, "};\nstatic const chx_arm %s = {\n", name);
    out_printf(out, "    {%u, %u, %u, 0, 0, 0, %s_participants, %zu, %zu, false, 0, false, %u},\n", op->site,
               op->number, begin, name, roleset_count(&participants),
               block_position(f->role->local->role, &participants), begin);
    out_printf(out, "    %s_uses, sizeof %s_uses / sizeof *%s_uses - 1,\n", name, name, name);
    out_printf(out, "    %s_owns, sizeof %s_owns / sizeof *%s_owns - 1,\n", name, name, name);
    out_printf(out, "    %s_elements, sizeof %s_elements / sizeof *%s_elements - 1,\n};\n", name, name, name);
    // A process that begins in the middle of an arm finds it by its site.
    vector_push(f->arena, &f->role->blocks, arena_printf(f->arena, "%s.chx_block", name));
}

void arm_put(FunctionEmit *f, const LocalOp *op)
{
    Out *out = &f->ctx.out;
    uint32_t begin = ++f->labels;
    BlockScope *block = f->block;
    const char *name = arena_printf(f->arena, "%s_%s_chx_arm_%u", f->role->prefix, f->function->name, begin);
    f->ctx.uses_variables = true;
    put_table(f, op, name, begin);
    function_statement(f, op);
    const char *object = block_object(f, op, arena_printf(f->arena, "%s.chx_block", name));
    out_printf(out, "chx_arm_begin(chx_this, &%s->chx_head, &%s, %s);", f->role->me, name, object);
    function_statement(f, op);
    out_puts(out, "if (0) {");
    out->indent++;
    out_end_line(out);
    out_printf(out, "chx_at_%u:;\n", begin);
    f->block = NULL;
    function_ops(f, &op->body);
    f->block = block;
    if (!function_ends(&op->body)) {
        uint32_t end = function_label(f);
        function_statement(f, op);
        out_printf(out, "chx_frame_set_at(&%s->chx_head, %u); return chx_arm_end(chx_this);", f->role->me, end);
    }
    control_close(out, "}");
}

void par_put(FunctionEmit *f, const LocalOp *op)
{
    function_ops(f, &op->body);
    uint32_t label = function_label(f);
    function_statement(f, op);
    out_printf(&f->ctx.out, "if (!chx_par_end(chx_this, &%s->chx_head)) %s", f->role->me, function_wait(f, label));
}
