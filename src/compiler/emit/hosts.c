// hosts.c: what NAME.chor.h has for a role that is played in this program while others are elsewhere: calling it by its name,
// and serving it. Seen only behind <chorex/net.h>; without calls of it nothing of libchorex-net is linked.
//
// Outside of the interface's own guard, each role behind one of its own: a role's companion brings its own functions only, an
// #include of the interface those of all roles.

#include "compiler/emit/internal.h"

#include <ctype.h>

// The functions of one definition and role.
typedef struct {
    Emit *emit;
    TypeTable *types; // of the role's arguments. Not those of messages, which C++ does not see
    const Instance *instance;
    size_t index; // of the definition
    RoleId role;
    const char *definition; // "bookseller_run"
    const char *as;         // "bookseller_run_as_Buyer"
    const char *arguments;  // "bookseller_run_Buyer_arguments"
    size_t param_count;     // those that are the role's
    const Result *result;   // NULL: none
} Part;

static bool is_own(const Part *part, const Param *param)
{
    return roleset_has(&param->at, part->role);
}

// ---- arguments ----

static void put_params(const Part *part, Out *out)
{
    for (size_t i = 0; i < part->instance->params.count; i++) {
        const Param *param = &part->instance->params.items[i];
        if (is_own(part, param))
            out_printf(out, ", %s", emit_param_declare(part->emit, param));
    }
}

// Of the definition's arguments only the role's own: nobody here looks at the others.
static const char *put_all_arguments(const Part *part, Out *out)
{
    if (part->param_count == 0)
        return "NULL";
    out_printf(out, "    struct %s_args chx_args;\n    memset(&chx_args, 0, sizeof chx_args);\n", part->definition);
    for (size_t i = 0; i < part->instance->params.count; i++) {
        const Param *param = &part->instance->params.items[i];
        const char *name = emit_param_name(part->emit, param);
        if (is_own(part, param))
            out_printf(out, "    chx_args.%s = %s;\n", name, name);
    }
    return "&chx_args";
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word)) {
        bool is_begin = at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_');
        if (is_begin && !isalnum((unsigned char)at[length]) && at[length] != '_')
            return true;
    }
    return false;
}

// What a service's `accept` may change. In C++ a member can't have the name of its type: then the type gets another one.
static void put_struct(const Part *part, Out *out)
{
    Arena *arena = part->emit->arena;
    Out members;
    out_init(&members, arena, part->emit->source_literal);
    for (size_t i = 0; i < part->instance->params.count; i++) {
        const Param *param = &part->instance->params.items[i];
        if (!is_own(part, param))
            continue;
        if (has_word(param->type->before, param->name)) {
            const char *type = arena_printf(arena, "%s_chx_%s", part->arguments, param->name);
            out_printf(out, "typedef %s;\n", type_declare(arena, param->type, type));
            out_printf(&members, "    %s %s;\n", type, param->name);
        } else {
            out_printf(&members, "    %s;\n", type_declare(arena, param->type, param->name));
        }
    }
    out_printf(out, "struct %s {\n", part->arguments);
    out_append(out, &members);
    out_puts(out, "};\n");
}

// How they are copied, and how they are put to the place where the role looks for them.
static void put_description(Part *part, Out *out)
{
    bool is_owning = false;
    out_printf(out, "static const chx_field %s_chx_fields[] = {\n", part->arguments);
    for (size_t i = 0; i < part->instance->params.count; i++) {
        const Param *param = &part->instance->params.items[i];
        if (!is_own(part, param))
            continue;
        is_owning |= param->type->is_owning;
        out_printf(out, "    {\"%s\", offsetof(struct %s, %s), &%s},\n", param->name, part->arguments, param->name,
                   types_use(part->types, param->type));
    }
    out_printf(out,
               "};\nstatic const chx_type %s_chx_type = {\n    CHX_KIND_STRUCT, %s, 0, sizeof(struct %s), \"%s\", "
               "%s_chx_fields, %zu, NULL, NULL, NULL, NULL,\n};\n",
               part->arguments, is_owning ? "true" : "false", part->arguments, part->arguments, part->arguments,
               part->param_count);
    out_printf(out, "static inline void %s_chx_spread(void *chx_all, const void *chx_own)\n{\n", part->arguments);
    out_printf(out, "    struct %s_args *chx_to = (struct %s_args *)chx_all;\n", part->definition, part->definition);
    out_printf(out, "    const struct %s *chx_from = (const struct %s *)chx_own;\n", part->arguments, part->arguments);
    for (size_t i = 0; i < part->instance->params.count; i++) {
        const Param *param = &part->instance->params.items[i];
        if (is_own(part, param))
            out_printf(out, "    chx_to->%s = chx_from->%s;\n", emit_param_name(part->emit, param), param->name);
    }
    out_printf(out,
               "}\nstatic const chx_role_arguments %s_chx_given CHX_UNUSED = {\n    &%s_chx_type, "
               "sizeof(struct %s_args), %s_chx_spread,\n};\n",
               part->arguments, part->arguments, part->definition, part->arguments);
}

// ---- functions ----

// `out`, as a parameter: a pointer to the role's result.
static char *out_declare(const Part *part)
{
    Shape shape = emit_result_shape(&part->emit->types, part->result);
    return shape_declare(part->emit->arena, &shape, shape.is_array ? "(*chx_out_)" : "*chx_out_");
}

static void put_play(const Part *part, Out *out)
{
    out_printf(out, "\nstatic inline chx_status %s(", part->as);
    if (part->result != NULL)
        out_printf(out, "%s, ", out_declare(part));
    out_puts(out, "chx_node *chx_node_, const char *chx_session_");
    put_params(part, out);
    out_puts(out, ")\n{\n");
    const char *arguments = put_all_arguments(part, out);
    out_printf(out, "    return chx_node_play(chx_node_, &%s_chx_choreography, %zu, %u, chx_session_, %s, %s);\n}\n",
               part->emit->program->name, part->index, part->role, arguments,
               part->result != NULL ? "chx_out_, sizeof *chx_out_" : "NULL, 0");
}

static void put_start(const Part *part, Out *out)
{
    out_printf(out, "\nstatic inline chx_session *%s_start(chx_node *chx_node_, const char *chx_session_", part->as);
    put_params(part, out);
    out_puts(out, ")\n{\n");
    const char *arguments = put_all_arguments(part, out);
    out_printf(out, "    return chx_node_start(chx_node_, &%s_chx_choreography, %zu, %u, chx_session_, %s);\n}\n",
               part->emit->program->name, part->index, part->role, arguments);
}

static void put_wait(const Part *part, Out *out)
{
    out_printf(out, "\nstatic inline chx_status %s_wait(chx_session *chx_session_", part->as);
    if (part->result != NULL)
        out_printf(out, ", %s", out_declare(part));
    out_printf(out, ")\n{\n    return chx_node_finish(chx_session_, %s);\n}\n",
               part->result != NULL ? "chx_out_, sizeof *chx_out_" : "NULL, 0");
}

static void put_drop(const Part *part, Out *out)
{
    Shape shape = emit_result_shape(&part->emit->types, part->result);
    out_printf(out, "\nstatic inline void %s_drop(%s)\n{\n    if (chx_out_ != NULL)\n", part->as, out_declare(part));
    if (shape.is_owning)
        out_printf(out, "        chx_value_drop(&%s, chx_out_);\n}\n", shape.descriptor);
    else
        out_puts(out, "        memset(chx_out_, 0, sizeof *chx_out_);\n}\n");
}

static void put_serve(const Part *part, Out *out)
{
    out_printf(out, "\nstatic inline chx_status %s_serve_%s(chx_node *chx_node_, const chx_service *chx_service_",
               part->definition, part->emit->program->role_names[part->role]);
    put_params(part, out);
    out_puts(out, ")\n{\n");
    if (part->param_count > 0)
        out_printf(out, "    struct %s chx_own;\n    memset(&chx_own, 0, sizeof chx_own);\n", part->arguments);
    for (size_t i = 0; i < part->instance->params.count; i++) {
        const Param *param = &part->instance->params.items[i];
        const char *name = emit_param_name(part->emit, param);
        if (!is_own(part, param))
            continue;
        if (param->type->kind == CTYPE_ARRAY)
            out_printf(out, "    memcpy(chx_own.%s, %s, sizeof chx_own.%s);\n", param->name, name, param->name);
        else
            out_printf(out, "    chx_own.%s = %s;\n", param->name, name);
    }
    out_printf(out, "    return chx_node_serve(chx_node_, &%s_chx_choreography, %zu, %u, chx_service_, ",
               part->emit->program->name, part->index, part->role);
    if (part->param_count > 0)
        out_printf(out, "&chx_own, &%s_chx_given);\n}\n", part->arguments);
    else
        out_puts(out, "NULL, NULL);\n}\n");
}

// ---- all ----

static Part part_new(Emit *emit, TypeTable *types, const Instance *instance, size_t index, RoleId role)
{
    const Program *program = emit->program;
    Part part = {.emit = emit, .types = types, .instance = instance, .index = index, .role = role};
    part.definition = arena_printf(emit->arena, "%s_%s", program->name, instance->name);
    part.as = arena_printf(emit->arena, "%s_as_%s", part.definition, program->role_names[role]);
    part.arguments = arena_printf(emit->arena, "%s_%s_arguments", part.definition, program->role_names[role]);
    part.result = instance_result(instance, role);
    for (size_t i = 0; i < instance->params.count; i++)
        part.param_count += is_own(&part, &instance->params.items[i]) ? 1 : 0;
    return part;
}

static void put_part(Part *part, Out *out)
{
    if (part->param_count > 0) {
        out_puts(out, "\n");
        put_struct(part, out);
        put_description(part, out);
    }
    put_play(part, out);
    put_start(part, out);
    put_wait(part, out);
    if (part->result != NULL)
        put_drop(part, out);
    put_serve(part, out);
}

// `struct NAME_ROLE_arguments`: those of `run`, or of the first definition, if that is not there.
static const Instance *first_definition(const Program *program)
{
    const Instance *first = NULL;
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        if (instance->is_entry && (first == NULL || strcmp(instance->name, "run") == 0))
            first = instance;
    }
    return first;
}

static void put_role(Emit *emit, RoleId role, Out *out)
{
    const Program *program = emit->program;
    const char *name = arena_printf(emit->arena, "%s_%s", program->name, program->role_names[role]);
    const Instance *first = first_definition(program);
    TypeTable types;
    types_init(&types, emit->arena, arena_printf(emit->arena, "%s_serve", name), NULL);
    Out functions;
    out_init(&functions, emit->arena, emit->source_literal);
    size_t index = 0;
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        if (!instance->is_entry)
            continue;
        Part part = part_new(emit, &types, instance, index++, role);
        if (instance == first && part.param_count > 0)
            out_printf(&functions, "\n#define %s_arguments %s\n", name, part.arguments);
        put_part(&part, &functions);
    }
    out_printf(out, "\n#if !defined(CHX_%s_PART) || defined(CHX_%s_PART)\n", program->name, name);
    out_printf(out, "#ifndef CHX_%s_HOSTS\n#define CHX_%s_HOSTS\n\n", name, name);
    types_print(&types, out);
    out_append(out, &functions);
    out_puts(out, "\n#endif\n#endif\n");
}

void emit_hosts(Emit *emit, Out *out)
{
    if (first_definition(emit->program) == NULL)
        return;
    out_puts(out, "\n/* roles of this program, with others on other hosts */\n#ifdef CHOREX_NET_H\n");
    out_puts(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    for (RoleId role = 0; role < emit->program->role_count; role++)
        put_role(emit, role, out);
    out_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
