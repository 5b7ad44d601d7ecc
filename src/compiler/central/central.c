// A choreography as one sequential C program.
//
// One C function per instance does what all roles do; each role's variables are a struct of its own, so that an expression
// reads as in projected code. A delivery is an assignment, a choice an `if`. Frames lie on the runtime's stack, which
// drops what they own, also after a failure. Functions are called through the table of the role that the cast names.

#include "compiler/central/central.h"

#include "compiler/central/internal.h"

#include <string.h>

// ---- roles ----

static LocalProgram *role_program(Arena *arena, const Program *program, RoleId role)
{
    LocalProgram *local = ARENA_NEW(arena, LocalProgram);
    local->program = program;
    local->role = role;
    local->name = program->role_names[role];
    local->sends_to = roleset_new(arena, program->role_count);
    local->receives_from = roleset_new(arena, program->role_count);
    for (size_t i = 0; i < program->functions.count; i++) {
        if (program->functions.items[i]->role == role)
            vector_push(arena, &local->provides, program->functions.items[i]);
    }
    return local;
}

// A member of the table: a pointer to the function.
static const char *function_pointer(Arena *arena, const RoleFunction *function)
{
    const CFunction *type = function->type;
    Text text;
    text_init(&text, arena);
    text_printf(&text, "(*%s)(", function->name);
    for (size_t i = 0; i < type->params.count; i++)
        text_printf(&text, "%s%s", i == 0 ? "" : ", ", type_name(arena, type->params.items[i]));
    text_puts(&text, type->is_variadic ? ", ...)" : type->params.count == 0 ? "void)" : ")");
    return type_declare(arena, type->result, text.chars);
}

static void put_tables(CentralEmit *central, Out *out)
{
    const Program *program = central->program;
    for (RoleId role = 0; role < program->role_count; role++) {
        const LocalProgram *local = central->roles[role];
        if (local->provides.count == 0)
            continue;
        const char *name = arena_printf(central->arena, "%s_%s_chx_functions", program->name, local->name);
        out_printf(out, "struct %s {\n", name);
        for (size_t i = 0; i < local->provides.count; i++)
            out_printf(out, "    %s;\n", function_pointer(central->arena, local->provides.items[i]));
        out_printf(out, "};\nstatic inline const struct %s *%s_chx_%s(chx_self *chx_this)\n{\n", name, program->name,
                   local->name);
        if (program_has_families(program))
            out_puts(out, "    return chx_central_me(chx_this)->central;\n}\n");
        else
            out_printf(out, "    return chx_central_functions(chx_this, %u);\n}\n", role);
    }
}

// ---- entries ----

static void put_hook(const CentralEmit *central, RoleId role, const RoleFunction *function, Out *out)
{
    const char *hook = function->name, *site = strcmp(hook, "init") == 0 ? "CHX_SITE_INIT" : "CHX_SITE_FINI";
    uint32_t line = span_position(central->program->sources, function->proto->name.span).line;
    CentralParty party = central_all(central, role);
    if (party.member == NULL)
        out_printf(out,
                   "    chx_central_at(chx_this, %u, %s, %u); chx_central_%s(chx_this, %u); chx_step_end(chx_this);\n",
                   role, site, line, hook, role);
    else
        out_printf(out,
                   "    %schx_central_at_member(chx_this, %u, %s, %s, %u); chx_central_me(chx_this)->%s(); "
                   "chx_step_end(chx_this);%s\n",
                   party.before, role, party.member, site, line, hook, party.after);
}

// `init` of every role before, `fini` after.
static void put_hooks(const CentralEmit *central, const char *hook, Out *out)
{
    for (RoleId role = 0; role < central->program->role_count; role++) {
        const LocalProgram *local = central->roles[role];
        for (size_t i = 0; i < local->provides.count; i++)
            if (local->provides.items[i]->is_hook && strcmp(local->provides.items[i]->name, hook) == 0)
                put_hook(central, role, local->provides.items[i], out);
    }
}

static void put_entry_param(CentralEmit *central, const Param *param, const Variable *variable, Out *out)
{
    const char *from = emit_param_name(&central->emit, param);
    const char *descriptor = types_use(&central->emit.types, variable->type);
    CentralParty party = central_all(central, variable->role);
    const char *to = arena_printf(central->arena, "%s.%s", central_place(central, "chx_here", party.role, party.member),
                                  variable->c_name);
    bool is_array = variable->type->kind == CTYPE_ARRAY;
    out_printf(out, "    %s", party.before);
    if (only_family(central->program, &param->at) != ROLE_NONE)
        out_printf(out, "chx_value_copy(&%s, &%s, (const char *)chx_from->%s + chx_member * sizeof %s);", descriptor,
                   to, from, to);
    else if (variable->type->kind == CTYPE_SEQUENCE)
        out_printf(out, "chx_sequence_take(&%s, &%s, chx_from->%s, %u);", descriptor, to, from, variable->type->over);
    else if (variable->type->is_owning)
        out_printf(out, "chx_value_copy(&%s, &%s, %schx_from->%s);", descriptor, to, is_array ? "" : "&", from);
    else if (is_array)
        out_printf(out, "memcpy(%s, chx_from->%s, sizeof %s);", to, from, to);
    else
        out_printf(out, "%s = chx_from->%s;", to, from);
    out_printf(out, "%s\n", party.after);
}

static void put_entry_params(CentralEmit *central, const Instance *instance, Out *out)
{
    if (instance->params.count == 0)
        return;
    out_printf(out, "    const struct %s_%s_args *chx_from = chx_closure->chx_arguments;\n", central->program->name,
               instance->name);
    for (size_t i = 0; i < instance->params.count; i++) {
        const Param *param = &instance->params.items[i];
        for (size_t k = 0; k < param->variables.count; k++)
            put_entry_param(central, param, param->variables.items[k], out);
    }
}

static void put_entry_result(CentralEmit *central, const Result *result, RoleId role, Out *out)
{
    const char *name = central->program->role_names[role];
    Shape shape = emit_result_shape(&central->emit.types, result);
    if (central->program->is_family[role]) {
        out_printf(out,
                   "    chx_central_results(&%s, &chx_closure->chx_results.%s, &chx_here->%s->chx_result, "
                   "chx_members(chx_this, %u), sizeof *chx_here->%s);\n",
                   shape.descriptor, name, name, role, name);
        return;
    }
    bool is_sequence = shape.type != NULL && shape.type->kind == CTYPE_SEQUENCE;
    out_printf(out, "    chx_value_copy(&%s, &chx_closure->chx_results.%s%s, &chx_here->chx_results.%s);\n",
               shape.descriptor, name, is_sequence ? ".item" : "", name);
    if (is_sequence)
        out_printf(out, "    chx_closure->chx_results.%s.count = chx_members(chx_this, %u);\n", name, shape.type->over);
}

static void put_entry(CentralEmit *central, const Instance *instance, Out *out)
{
    const Program *program = central->program;
    const char *name = arena_printf(central->arena, "%s_%s", program->name, instance->name);
    out_printf(out, "\nstruct %s_chx_closure {\n    const void *chx_arguments;\n", name);
    if (instance->results.count > 0)
        out_printf(out, "    struct %s_result chx_results;\n", name);
    out_printf(out, "};\nstatic void %s_chx_body(chx_self *chx_this, void *chx_given)\n{\n", name);
    if (instance->params.count > 0 || instance->results.count > 0)
        out_printf(out, "    struct %s_chx_closure *chx_closure = chx_given;\n", name);
    else
        out_puts(out, "    (void)chx_given;\n");
    put_hooks(central, "init", out);
    out_printf(out, "    struct %s_chx_frame *chx_here = chx_call(chx_this, &%s_chx_function);\n", name, name);
    if (central_has_members(central, instance))
        out_printf(out, "    %s_chx_room(chx_this, chx_here);\n", name);
    put_entry_params(central, instance, out);
    out_printf(out, "    %s_chx_sequential(chx_this, chx_here);\n", name);
    put_hooks(central, "fini", out);
    // Last of all: after a failure nobody would drop them.
    for (RoleId role = 0; role < program->role_count; role++) {
        const Result *result = instance_result(instance, role);
        if (result != NULL)
            put_entry_result(central, result, role, out);
    }
    out_puts(out, "    (void)chx_return_slow(chx_this);\n}\n");
}

// ---- the file ----

static void put_code(CentralEmit *central)
{
    const Program *program = central->program;
    Out *out = &central->emit.central;
    out_init(out, central->arena, central->emit.source_literal);
    Out frames, functions, entries;
    out_init(&frames, central->arena, central->emit.source_literal);
    out_init(&functions, central->arena, central->emit.source_literal);
    out_init(&entries, central->arena, central->emit.source_literal);
    for (size_t i = 0; i < program->instances.count; i++) {
        sequential_frame(central, program->instances.items[i], &frames);
        sequential_function(central, program->instances.items[i], &functions);
        if (program->instances.items[i]->is_entry)
            put_entry(central, program->instances.items[i], &entries);
    }
    out_own(&functions);
    out_puts(out, "\n");
    put_tables(central, out);
    out_append(out, &frames);
    out_append(out, &functions);
    out_append(out, &entries);
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Which companion of this choreography: a role, or ROLE_NONE for the interface. False: none of ours.
static bool companion_of(Arena *arena, const Program *program, const char *path, RoleId *role)
{
    const char *name = file_name(path);
    *role = ROLE_NONE;
    if (strcmp(name, arena_printf(arena, "%s.chor.h", program->name)) == 0)
        return true;
    for (RoleId i = 0; i < program->role_count; i++) {
        if (strcmp(name, arena_printf(arena, "%s.%s.chor.h", program->name, program->role_names[i])) == 0) {
            *role = i;
            return true;
        }
    }
    return false;
}

static void put_user_text(const Source *source, uint32_t start, uint32_t end, Arena *arena, Out *out)
{
    if (start >= end)
        return;
    out_source(out, source_position(source, start).line);
    out_puts(out, arena_copy(arena, source->text + start, end - start));
}

bool central_has_place(Arena *arena, const Program *program, const Found *found)
{
    for (size_t i = 0; i < found->includes.count; i++) {
        RoleId role;
        if (companion_of(arena, program, found->includes.items[i].path, &role))
            return true;
    }
    return false;
}

void central_write(Arena *arena, const Program *program, LocalProgram *const *locals, const Numbers *numbers,
                   const Source *source, const Found *found, FILE *out)
{
    CentralEmit central = {.arena = arena, .program = program, .numbers = numbers};
    emit_init(&central.emit, arena, program, locals, source->path);
    central.emit.is_central = true;
    central.roles = ARENA_ARRAY(arena, LocalProgram *, program->role_count);
    for (RoleId role = 0; role < program->role_count; role++)
        central.roles[role] = role_program(arena, program, role);
    put_code(&central);
    central.emit.result_types = central.emit.types.entries.count;
    central.emit.digest = emit_digest(&central.emit);

    Out whole;
    out_init(&whole, arena, central.emit.source_literal);
    uint32_t position = 0;
    bool has_interface = false;
    for (size_t i = 0; i < found->includes.count; i++) {
        const FoundInclude *include = &found->includes.items[i];
        RoleId role = ROLE_NONE;
        if (!companion_of(arena, program, include->path, &role))
            continue;
        put_user_text(source, position, include->span.start, arena, &whole);
        position = include->span.end;
        out_own(&whole);
        if (!has_interface)
            emit_interface(&central.emit, &whole);
        has_interface = true;
        if (role != ROLE_NONE)
            emit_role_central(&central.emit, central.roles[role], &whole);
        // The rest of the directive's line is empty.
        while (position < source->size && source->text[position] != '\n')
            position++;
        position += position < source->size;
    }
    put_user_text(source, position, source->size, arena, &whole);
    fputs(out_finish(&whole, arena_printf(arena, "%s.central.c", program->name)), out);
}
