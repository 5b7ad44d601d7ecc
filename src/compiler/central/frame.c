// The frames of a sequential program: a struct for each role's variables. Those of a family's members lie in an array over the family.

#include "compiler/central/internal.h"

const char *central_me(const CentralEmit *central, RoleId role)
{
    const char *name = central->program->role_names[role];
    return central->program->role_name_taken[role] ? arena_printf(central->arena, "chx_%s", name) : name;
}

const char *central_place(const CentralEmit *central, const char *frame, RoleId role, const char *member)
{
    const Program *program = central->program;
    if (program->is_family[role])
        return arena_printf(central->arena, "%s->%s[%s]", frame, program->role_names[role], member);
    return arena_printf(central->arena, "%s->%s", frame, program->role_names[role]);
}

const char *central_result(const CentralEmit *central, const char *frame, const CentralParty *party)
{
    const Program *program = central->program;
    if (program->is_family[party->role])
        return arena_printf(central->arena, "%s.chx_result", central_place(central, frame, party->role, party->member));
    return arena_printf(central->arena, "%s->chx_results.%s", frame, program->role_names[party->role]);
}

// Which member a view is, is known to the frame as a whole.
static bool is_of_role(const Variable *variable, RoleId role)
{
    return variable->role == role && !variable->is_index;
}

// Are there variables of the role, or, of a family, a result?
static bool has_struct(const CentralEmit *central, const Instance *instance, RoleId role)
{
    for (size_t i = 0; i < instance->variables.count; i++)
        if (is_of_role(instance->variables.items[i], role))
            return true;
    return central->program->is_family[role] && instance_result(instance, role) != NULL;
}

bool central_has_members(const CentralEmit *central, const Instance *instance)
{
    for (RoleId role = 0; role < central->program->role_count; role++)
        if (central->program->is_family[role] && has_struct(central, instance, role))
            return true;
    return false;
}

static void put_role_structs(CentralEmit *central, const Instance *instance, Out *out)
{
    const Program *program = central->program;
    for (RoleId role = 0; role < program->role_count; role++) {
        if (!has_struct(central, instance, role))
            continue;
        out_printf(out, "struct %s_%s_chx_%s {\n", program->name, instance->name, program->role_names[role]);
        for (size_t i = 0; i < instance->variables.count; i++)
            if (is_of_role(instance->variables.items[i], role))
                out_printf(out, "    %s;\n", emit_variable(central->arena, instance->variables.items[i]));
        const Result *result = program->is_family[role] ? instance_result(instance, role) : NULL;
        if (result != NULL) {
            Shape shape = emit_result_shape(&central->emit.types, result);
            out_printf(out, "    %s;\n", shape_declare(central->arena, &shape, "chx_result"));
        }
        out_puts(out, "};\n");
    }
}

// What the runtime has to know of a family's variables, in order to copy and to drop them.
static void put_member_types(CentralEmit *central, const Instance *instance, RoleId role, Out *out)
{
    const Program *program = central->program;
    TypeTable *types = &central->emit.types;
    const char *name =
        arena_printf(central->arena, "%s_%s_chx_%s", program->name, instance->name, program->role_names[role]);
    const Result *result = instance_result(instance, role);
    bool is_owning = false;
    size_t count = 0;
    out_printf(out, "static const chx_field %s_fields[] = {\n", name);
    for (size_t i = 0; i < instance->variables.count; i++) {
        const Variable *variable = instance->variables.items[i];
        if (!is_of_role(variable, role))
            continue;
        out_printf(out, "    {\"%s\", offsetof(struct %s, %s), &%s},\n", variable->name, name, variable->c_name,
                   emit_variable_type(types, variable));
        is_owning |= !variable->is_fault && variable->type->is_owning;
        count++;
    }
    if (result != NULL) {
        Shape shape = emit_result_shape(types, result);
        out_printf(out, "    {\"result\", offsetof(struct %s, chx_result), &%s},\n", name, shape.descriptor);
        is_owning |= shape.is_owning;
        count++;
    }
    out_printf(out, "};\nstatic const chx_type %s_member = {\n", name);
    out_printf(out,
               "    CHX_KIND_STRUCT, %s, 0, sizeof(struct %s), \"%s\", %s_fields, %zu, NULL, NULL, NULL, NULL,\n};\n",
               is_owning ? "true" : "false", name, program->role_names[role], name, count);
    out_printf(out, "static const chx_type %s_members = {\n", name);
    out_printf(out,
               "    CHX_KIND_SEQUENCE, true, 0, sizeof(void *), \"%s[]\", NULL, 0, &%s_member, NULL, NULL, NULL,\n};\n",
               program->role_names[role], name);
}

// By RoleId: the frame says which member the view is.
static bool *views_of(const CentralEmit *central, const Instance *instance)
{
    bool *views = ARENA_ARRAY(central->arena, bool, central->program->id_count);
    for (size_t i = 0; i < instance->variables.count; i++)
        if (instance->variables.items[i]->is_index)
            views[instance->variables.items[i]->each->view] = true;
    return views;
}

static void put_frame_struct(CentralEmit *central, const Instance *instance, Out *out)
{
    const Program *program = central->program;
    const char *name = arena_printf(central->arena, "%s_%s", program->name, instance->name);
    const bool *views = views_of(central, instance);
    bool has_results = false;
    out_printf(out, "struct %s_chx_frame {\n    chx_frame chx_head;\n", name);
    for (RoleId role = 0; role < program->role_count; role++) {
        const Result *result = instance_result(instance, role);
        if (result == NULL || program->is_family[role])
            continue;
        Shape shape = emit_result_shape(&central->emit.types, result);
        out_printf(out, "%s        %s;\n", has_results ? "" : "    struct {\n",
                   shape_declare(central->arena, &shape, program->role_names[role]));
        has_results = true;
    }
    if (has_results)
        out_puts(out, "    } chx_results;\n");
    for (RoleId role = 0; role < program->role_count; role++)
        if (has_struct(central, instance, role))
            out_printf(out, "    struct %s_chx_%s %s%s;\n", name, program->role_names[role],
                       program->is_family[role] ? "*" : "", program->role_names[role]);
    for (RoleId view = 0; view < program->id_count; view++)
        if (views[view])
            out_printf(out, "    size_t chx_index_%u; /* %s */\n", view,
                       c_comment(central->arena, program->role_names[view]));
    out_puts(out, "};\n");
}

static void put_room(CentralEmit *central, const Instance *instance, Out *out)
{
    const Program *program = central->program;
    const char *name = arena_printf(central->arena, "%s_%s", program->name, instance->name);
    if (!central_has_members(central, instance))
        return;
    out_printf(out, "static CHX_UNUSED void %s_chx_room(chx_self *chx_this, struct %s_chx_frame *chx_here)\n{\n", name,
               name);
    for (RoleId role = 0; role < program->role_count; role++)
        if (program->is_family[role] && has_struct(central, instance, role))
            out_printf(out, "    chx_sequence_new(&%s_chx_%s_members, &chx_here->%s, chx_members(chx_this, %u));\n",
                       name, program->role_names[role], program->role_names[role], role);
    out_puts(out, "}\n");
}

// ---- what the runtime must save, and drop ----

typedef struct {
    CentralEmit *central;
    const Instance *instance;
    const char *name;
    Out table;
    size_t count;
} FrameTable;

static void add_row(FrameTable *table, const char *shown, const char *place, const char *type)
{
    out_printf(&table->table, "    {\"%s\", offsetof(struct %s_chx_frame, %s), &%s},\n", shown, table->name, place,
               type);
    table->count++;
}

static void add_variables(FrameTable *table, bool owning)
{
    CentralEmit *central = table->central;
    const Program *program = central->program;
    const Instance *instance = table->instance;
    for (size_t i = 0; i < instance->variables.count; i++) {
        const Variable *variable = instance->variables.items[i];
        if (variable->is_index || program->is_family[variable->role] || variable->type->is_owning != owning)
            continue;
        add_row(table, variable->name,
                arena_printf(central->arena, "%s.%s", program->role_names[variable->role], variable->c_name),
                emit_variable_type(&central->emit.types, variable));
    }
    for (RoleId role = 0; role < program->role_count; role++) {
        const Result *result = instance_result(instance, role);
        Shape shape = result != NULL ? emit_result_shape(&central->emit.types, result) : (Shape){0};
        if (result != NULL && !program->is_family[role] && shape.is_owning == owning)
            add_row(table, "result", arena_printf(central->arena, "chx_results.%s", program->role_names[role]),
                    shape.descriptor);
    }
}

static void add_members(FrameTable *table)
{
    const Program *program = table->central->program;
    for (RoleId role = 0; role < program->role_count; role++)
        if (program->is_family[role] && has_struct(table->central, table->instance, role))
            add_row(table, program->role_names[role], program->role_names[role],
                    arena_printf(table->central->arena, "%s_chx_%s_members", table->name, program->role_names[role]));
}

static void add_views_of(FrameTable *table)
{
    const Program *program = table->central->program;
    const bool *views = views_of(table->central, table->instance);
    for (RoleId view = 0; view < program->id_count; view++)
        if (views[view])
            add_row(table, "member", arena_printf(table->central->arena, "chx_index_%u", view),
                    "chx_type_unsigned_long");
}

void sequential_frame(CentralEmit *central, const Instance *instance, Out *out)
{
    const Program *program = central->program;
    const char *name = arena_printf(central->arena, "%s_%s", program->name, instance->name);
    out_printf(out, "\n/* %s */\n", instance->name);
    put_role_structs(central, instance, out);
    put_frame_struct(central, instance, out);
    for (RoleId role = 0; role < program->role_count; role++)
        if (program->is_family[role] && has_struct(central, instance, role))
            put_member_types(central, instance, role, out);
    put_room(central, instance, out);

    // What the runtime must drop comes first.
    FrameTable table = {.central = central, .instance = instance, .name = name};
    out_init(&table.table, central->arena, central->emit.source_literal);
    add_variables(&table, true);
    add_members(&table);
    size_t owned_count = table.count;
    add_variables(&table, false);
    add_views_of(&table);
    if (table.count > 0) {
        out_printf(out, "static const chx_variable %s_chx_variables[] CHX_UNUSED = {\n", name);
        out_append(out, &table.table);
        out_puts(out, "};\n");
    }
    const char *variables = table.count > 0 ? arena_printf(central->arena, "%s_chx_variables", name) : "NULL";
    out_printf(out, "static const chx_function %s_chx_function CHX_UNUSED = {\n", name);
    out_printf(out, "    \"%s\", NULL, sizeof(struct %s_chx_frame), NULL, %s, %zu, %zu, 0, 0, 0, NULL, NULL,\n};\n",
               instance->name, name, variables, table.count, owned_count);
    out_printf(out, "static void %s_chx_sequential(chx_self *chx_this, struct %s_chx_frame *chx_here) CHX_UNUSED;\n",
               name, name);
}
