// All companions of one choreography: what is needed of all roles together, the headers, and the stubs of a role.

#include "compiler/emit/emit.h"

#include "compiler/emit/internal.h"

#include <string.h>

// ---- what is needed of all roles together ----

static void use_results(Emit *emit)
{
    for (size_t i = 0; i < emit->program->instances.count; i++) {
        const Instance *instance = emit->program->instances.items[i];
        for (size_t k = 0; instance->is_entry && k < instance->results.count; k++)
            emit_result_shape(&emit->types, &instance->results.items[k]);
    }
    emit->result_types = emit->types.entries.count;
}

static void use_messages(Emit *emit, const LocalOpList *ops)
{
    for (size_t i = 0; i < ops->count; i++) {
        const LocalOp *op = ops->items[i];
        if (op->kind == LOCAL_SEND || op->kind == LOCAL_RECEIVE)
            emit_message_shape(&emit->types, op);
        for (size_t k = 0; k < op->branches.count; k++)
            use_messages(emit, &op->branches.items[k].body);
        use_messages(emit, &op->body);
        use_messages(emit, &op->rescue);
        use_messages(emit, &op->step);
    }
}

// Two programs made from the same text may still differ in what its types and macros mean; the types that travel are
// what matters between them.
uint64_t emit_digest(const Emit *emit)
{
    const Program *program = emit->program;
    uint64_t hash = FNV_START;
    if (program->tree != NULL && program->tree->span.file != FILE_NONE) {
        uint32_t length = 0;
        const char *text = span_text(program->sources, program->tree->span, &length);
        hash = fnv1a(hash, text, length);
    }
    for (size_t i = 0; i < program->modules.count; i++) {
        uint32_t length = 0;
        const char *text = span_text(program->sources, program->modules.items[i]->tree->span, &length);
        hash = fnv1a(hash, text, length);
    }
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        for (size_t k = 0; instance->is_entry && k < instance->params.count; k++) {
            const char *canonical = instance->params.items[k].type->canonical;
            hash = fnv1a(hash, canonical, strlen(canonical) + 1);
        }
    }
    return types_digest(&emit->types, hash);
}

const char *emit_file(const Emit *emit, Span span)
{
    const Program *program = emit->program;
    if (program->tree == NULL || span.file == FILE_NONE || span.file == program->tree->span.file)
        return emit->source_literal;
    return c_literal(emit->arena, source_get(program->sources, span.file)->path);
}

void emit_init(Emit *emit, Arena *arena, const Program *program, LocalProgram *const *locals, const char *source_path)
{
    *emit = (Emit){.arena = arena, .program = program, .locals = locals, .source_path = source_path};
    emit->protocol_digest = emit_protocol_digest(arena, program, locals);
    emit->source_literal = c_literal(arena, source_path);
    types_init(&emit->types, arena, program->name, NULL);
    use_results(emit);
}

void emit_companions(Arena *arena, const Program *program, LocalProgram *const *locals, const EmitOptions *options,
                     CompanionList *companions)
{
    Emit emit;
    emit_init(&emit, arena, program, locals, options->source_path);
    for (RoleId role = 0; role < program->role_count; role++) {
        for (size_t i = 0; i < locals[role]->functions.count; i++)
            use_messages(&emit, &locals[role]->functions.items[i]->body);
    }
    emit.digest = emit_digest(&emit);

    Out out;
    out_init(&out, arena, emit.source_literal);
    emit_interface(&emit, &out);
    const char *interface = arena_printf(arena, "%s.chor.h", program->name);
    vector_push(arena, companions, ((Companion){interface, out_finish(&out, interface)}));
    for (RoleId role = 0; role < program->role_count; role++) {
        const char *name = arena_printf(arena, "%s.%s.chor.h", program->name, locals[role]->name);
        Companion companion = {name, emit_role(&emit, locals[role], name)};
        vector_push(arena, companions, companion);
    }
}

// ---- stubs ----

static const char *stub_value(Arena *arena, const CType *type)
{
    switch (type->kind) {
    case CTYPE_VOID:
        return NULL;
    case CTYPE_BOOL:
        return "false";
    case CTYPE_CSTRING:
        return "\"\"";
    case CTYPE_POINTER:
        return "NULL";
    case CTYPE_STR:
    case CTYPE_BYTES:
    case CTYPE_STRUCT:
    case CTYPE_UNION:
    case CTYPE_CODEC:
        return arena_printf(arena, "(%s){0}", type_name(arena, type));
    default:
        return "0";
    }
}

void emit_stub(const Program *program, const RoleFunction *function, FILE *out)
{
    Arena *arena = arena_new();
    fprintf(out, "%s\n{\n", emit_prototype(arena, program, function, true));
    for (size_t k = 0; k < function->type->params.count; k++) {
        const char *name = k < function->type->names.count ? function->type->names.items[k] : "";
        if (name[0] != '\0')
            fprintf(out, "    (void)%s;\n", name);
        else
            fprintf(out, "    (void)value_%zu;\n", k + 1);
    }
    const char *value = stub_value(arena, function->type->result);
    if (value != NULL)
        fprintf(out, "    return %s;\n", value);
    fprintf(out, "}\n");
    arena_free(arena);
}

void emit_stubs(const LocalProgram *local, FILE *out)
{
    const Program *program = local->program;
    Arena *arena = arena_new();
    const char *path = source_get(program->sources, program->tree->span.file)->path;
    size_t length = strlen(path);
    bool is_header = length > 2 && strcmp(path + length - 2, ".h") == 0;
    // There are no escapes in an #include.
    if (is_header && strpbrk(path, "\"\n\r\\") == NULL)
        fprintf(out, "#include \"%s\"\n", path);
    else
        fprintf(out, "// This goes %s %s, after the choreography.\n", is_header ? "into a file that includes" : "into",
                c_comment(arena, path));
    fprintf(out, "#include \"%s.%s.chor.h\"\n", program->name, local->name);
    for (size_t i = 0; i < local->provides.count; i++) {
        fputs("\n", out);
        emit_stub(program, local->provides.items[i], out);
    }
    arena_free(arena);
}
