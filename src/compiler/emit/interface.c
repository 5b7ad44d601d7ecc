// NAME.chor.h: what callers of a choreography see.

#include "compiler/emit/internal.h"

#include "chorex/generated.h"

#include <inttypes.h>

// struct NAME_cast has nothing but actors in it.
#define CAST_AS_ARRAY "(const chx_actor *)(const void *)chx_cast_"

// Clang warns about inline functions that are not used, unless they come from a header.
#define LINKAGE(emit) ((emit)->is_central ? "static CHX_UNUSED" : "static inline")

Shape emit_result_shape(TypeTable *table, const Result *result)
{
    if (result->is_tuple)
        return types_tuple(table, result->types.items, result->types.count);
    return types_shape(table, result->types.items[0]);
}

const char *emit_param_name(const Emit *emit, const Param *param)
{
    const char *role = emit->program->role_names[roleset_next(&param->at, 0)];
    return arena_printf(emit->arena, "chx_%s_%s", role, param->name);
}

// A companion that lies around from before an update would mean something else, or nothing, to the new headers.
void emit_version_check(const char *companion_name, Out *out)
{
    out_printf(out,
               "#if CHX_GENERATED_VERSION != %d\n"
               "#error \"%s was made by another version of chorcc: make it again with the one of this chorex.h\"\n"
               "#endif\n\n",
               CHX_GENERATED_VERSION, companion_name);
}

static const char *members_pointer(const Emit *emit, const CType *type, const char *name)
{
    return arena_printf(emit->arena, type->kind == CTYPE_ARRAY ? "(*%s)" : "*%s", name);
}

char *emit_param_declare(const Emit *emit, const Param *param)
{
    const char *name = emit_param_name(emit, param);
    // One value for each member.
    if (only_family(emit->program, &param->at) != ROLE_NONE)
        return type_declare_const(emit->arena, param->type, members_pointer(emit, param->type, name));
    if (param->type->kind == CTYPE_SEQUENCE)
        return type_declare_const(emit->arena, param->type, name);
    bool is_flat = param->type->kind == CTYPE_ARRAY && param->type->element->kind != CTYPE_ARRAY;
    // C does not convert T (*)[N] to const T (*)[N].
    return is_flat ? type_declare_const(emit->arena, param->type, name) : type_declare(emit->arena, param->type, name);
}

static void print_params(const Emit *emit, const Instance *instance, Out *out)
{
    for (size_t i = 0; i < instance->params.count; i++)
        out_printf(out, ", %s", emit_param_declare(emit, &instance->params.items[i]));
}

static void print_args_struct(const Emit *emit, const Instance *instance, Out *out)
{
    if (instance->params.count == 0)
        return;
    out_printf(out, "struct %s_%s_args {\n", emit->program->name, instance->name);
    for (size_t i = 0; i < instance->params.count; i++) {
        const Param *param = &instance->params.items[i];
        const char *name = emit_param_name(emit, param);
        if (ctype_is_array(param->type) || only_family(emit->program, &param->at) != ROLE_NONE)
            out_printf(out, "    const void *%s;\n", name);
        else
            out_printf(out, "    %s;\n", type_declare(emit->arena, param->type, name));
    }
    out_puts(out, "};\n");
}

static size_t slot_count(const Emit *emit, const Instance *instance)
{
    size_t count = 0;
    // Choreographies with families are not on several hosts.
    if (program_has_families(emit->program))
        return 0;
    for (size_t i = 0; i < instance->params.count && !emit->is_central; i++)
        for (RoleId role = 0; role < emit->program->role_count; role++)
            count += roleset_has(&instance->params.items[i].at, role);
    return count;
}

// What is sent to a role on another host.
static void print_argument_slots(const Emit *emit, TypeTable *types, const Instance *instance, Out *out)
{
    const char *name = arena_printf(emit->arena, "%s_%s", emit->program->name, instance->name);
    if (slot_count(emit, instance) == 0)
        return;
    out_printf(out, "static const chx_argument_slot %s_chx_arguments[] = {\n", name);
    for (size_t i = 0; i < instance->params.count; i++) {
        const Param *param = &instance->params.items[i];
        for (RoleId role = 0; role < emit->program->role_count; role++)
            if (roleset_has(&param->at, role))
                out_printf(out, "    {%u, %s, offsetof(struct %s_args, %s), &%s},\n", role,
                           param->type->kind == CTYPE_ARRAY ? "true" : "false", name, emit_param_name(emit, param),
                           types_use(types, param->type));
    }
    out_puts(out, "};\n");
}

static bool is_sequence(const Shape *shape)
{
    return shape->type != NULL && shape->type->kind == CTYPE_SEQUENCE;
}

static void print_result_struct(Emit *emit, const Instance *instance, Out *out)
{
    const Program *program = emit->program;
    if (instance->results.count == 0)
        return;
    out_printf(out, "struct %s_%s_result {\n", program->name, instance->name);
    for (RoleId role = 0; role < program->role_count; role++) {
        const Result *result = instance_result(instance, role);
        if (result == NULL)
            continue;
        Shape shape = emit_result_shape(&emit->types, result);
        const char *role_name = program->role_names[role];
        if (program->is_family[role])
            out_printf(out, "    struct { size_t count; %s; } %s;\n",
                       shape_declare(emit->arena, &shape, shape.after[0] != '\0' ? "(*item)" : "*item"), role_name);
        else if (is_sequence(&shape))
            out_printf(out, "    struct { size_t count; %s; } %s;\n", shape_declare(emit->arena, &shape, "item"),
                       role_name);
        else
            out_printf(out, "    %s;\n", shape_declare(emit->arena, &shape, role_name));
    }
    out_puts(out, "};\n");
    out_printf(out, "static const chx_result_slot %s_%s_chx_slots[] = {\n", program->name, instance->name);
    for (RoleId role = 0; role < program->role_count; role++) {
        const Result *result = instance_result(instance, role);
        if (result == NULL)
            continue;
        Shape shape = emit_result_shape(&emit->types, result);
        bool has_item = is_sequence(&shape) && !program->is_family[role];
        out_printf(out, "    {%u, offsetof(struct %s_%s_result, %s%s), &%s},\n", role, program->name, instance->name,
                   program->role_names[role], has_item ? ".item" : "", shape.descriptor);
    }
    out_puts(out, "};\n");
}

// Does the role have anything to do when this definition is played?
static bool has_part(const LocalProgram *local, const Instance *instance)
{
    for (size_t i = 0; i < local->functions.count; i++) {
        const LocalFunction *function = local->functions.items[i];
        if (function->instance == instance)
            return function->body.count > 0 || function->result != NULL;
    }
    return false;
}

// How many roles have a part, if some don't; 0: all do. Choreographies with families are not on several hosts.
static size_t participant_count(const Emit *emit, const Instance *instance)
{
    size_t count = 0;
    if (emit->is_central || program_has_families(emit->program))
        return 0;
    for (RoleId role = 0; role < emit->program->role_count; role++)
        count += has_part(emit->locals[role], instance);
    return count < emit->program->role_count ? count : 0;
}

static void print_participants(const Emit *emit, const Instance *instance, Out *out)
{
    if (participant_count(emit, instance) == 0)
        return;
    out_printf(out, "static const unsigned %s_%s_chx_participants[] = {", emit->program->name, instance->name);
    const char *separator = "";
    for (RoleId role = 0; role < emit->program->role_count; role++) {
        if (!has_part(emit->locals[role], instance))
            continue;
        out_printf(out, "%s%u", separator, role);
        separator = ", ";
    }
    out_puts(out, "};\n");
}

static void print_definition(const Emit *emit, const Instance *instance, Out *out)
{
    const char *name = arena_printf(emit->arena, "%s_%s", emit->program->name, instance->name);
    const char *results = "0, NULL, 0", *arguments = "NULL, 0";
    if (instance->results.count > 0)
        results = arena_printf(emit->arena,
                               "sizeof(struct %s_result), %s_chx_slots, sizeof %s_chx_slots / sizeof %s_chx_slots[0]",
                               name, name, name, name);
    if (slot_count(emit, instance) > 0)
        arguments = arena_printf(emit->arena, "%s_chx_arguments, %zu", name, slot_count(emit, instance));
    size_t count = participant_count(emit, instance);
    const char *participants = count > 0 ? arena_printf(emit->arena, "%s_chx_participants", name) : "NULL";
    out_printf(out, "    {\"%s\", %s, %s, %s, %s, %zu},\n", instance->name, results, arguments,
               instance->has_durable ? "true" : "false", participants, count);
}

// Where the roles stand in the cast, which is no array then.
static void print_places(const Program *program, Out *out)
{
    out_printf(out, "static const chx_place %s_chx_places[] = {\n", program->name);
    for (RoleId role = 0; role < program->role_count; role++)
        out_printf(out, "    {offsetof(struct %s_cast, %s), %s},\n", program->name, program->role_names[role],
                   program->is_family[role] ? "true" : "false");
    out_puts(out, "};\n");
}

// Who sends to whom, for nodes of which each need not know all others. Returns how many channels there are.
static size_t print_channels(const Emit *emit, Out *out)
{
    const Program *program = emit->program;
    size_t count = 0;
    if (emit->is_central || program_has_families(program))
        return 0;
    for (RoleId from = 0; from < program->role_count; from++)
        for (ROLESET_EACH(to, &emit->locals[from]->sends_to)) {
            if (count++ == 0)
                out_printf(out, "static const unsigned %s_chx_channels[] = {\n", program->name);
            out_printf(out, "    %u, %u,\n", from, to);
        }
    if (count > 0)
        out_puts(out, "};\n");
    return count;
}

static void print_object(const Emit *emit, Out *out)
{
    const Program *program = emit->program;
    const char *name = program->name;
    size_t definitions = 0;
    out_printf(out, "\nstatic const char *const %s_chx_roles[] = {\n", name);
    for (RoleId role = 0; role < program->role_count; role++)
        out_printf(out, "    \"%s\",\n", program->role_names[role]);
    out_puts(out, "};\n");
    for (size_t i = 0; i < program->instances.count; i++)
        if (program->instances.items[i]->is_entry)
            print_participants(emit, program->instances.items[i], out);
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        if (!instance->is_entry)
            continue;
        if (definitions++ == 0)
            out_printf(out, "static const chx_definition %s_chx_definitions[] = {\n", name);
        print_definition(emit, instance, out);
    }
    if (definitions > 0)
        out_puts(out, "};\n");
    size_t blocks = emit_blocks(emit->arena, program, emit->locals, out);
    size_t channels = print_channels(emit, out);
    bool families = program_has_families(program);
    if (families)
        print_places(program, out);
    out_printf(out, "static const chx_choreography %s_chx_choreography CHX_UNUSED = {\n", name);
    out_printf(out, "    CHX_GENERATED_VERSION, \"%s\", UINT64_C(0x%016" PRIx64 "), %s, %s_chx_roles, %zu, ", name,
               emit->digest, emit->source_literal, name, program->role_count);
    if (definitions > 0)
        out_printf(out, "%s_chx_definitions, %zu,\n", name, definitions);
    else
        out_puts(out, "NULL, 0,\n");
    out_printf(out, "    %s, %zu, UINT64_C(0x%016" PRIx64 "), CHX_BUILT, %s, %u, %s, %zu, NULL,\n};\n",
               blocks > 0 ? arena_printf(emit->arena, "%s_chx_all_blocks", name) : "NULL", blocks,
               emit->protocol_digest, families ? arena_printf(emit->arena, "%s_chx_places", name) : "NULL",
               program->site_count, channels > 0 ? arena_printf(emit->arena, "%s_chx_channels", name) : "NULL",
               channels);
}

// Fills in the arguments and prints how to pass them.
static const char *print_arguments(const Emit *emit, const Instance *instance, Out *out)
{
    if (instance->params.count == 0)
        return "NULL";
    out_printf(out, "    struct %s_%s_args chx_args;\n", emit->program->name, instance->name);
    for (size_t i = 0; i < instance->params.count; i++) {
        const char *name = emit_param_name(emit, &instance->params.items[i]);
        out_printf(out, "    chx_args.%s = %s;\n", name, name);
    }
    return "&chx_args";
}

// `opens`: under a name. In a sequential program nothing is kept: then the name says nothing.
static void print_start(const Emit *emit, const Instance *instance, size_t index, const char *arguments, bool opens,
                        Out *out)
{
    const char *name = emit->program->name;
    if (!emit->is_central && opens) {
        out_printf(out, "    return chx_open(chx_runtime_, &%s_chx_choreography, %zu, chx_name_, %s, %s);\n", name,
                   index, CAST_AS_ARRAY, arguments);
        return;
    }
    if (!emit->is_central) {
        out_printf(out, "    return chx_start(chx_runtime_, &%s_chx_choreography, %zu, %s, %s);\n", name, index,
                   CAST_AS_ARRAY, arguments);
        return;
    }
    // A sequential program is over as soon as it is started.
    out_printf(out, "    struct %s_%s_chx_closure chx_closure;\n    (void)chx_runtime_;\n%s", name, instance->name,
               opens ? "    (void)chx_name_;\n" : "");
    out_printf(out, "    memset(&chx_closure, 0, sizeof chx_closure);\n    chx_closure.chx_arguments = %s;\n",
               arguments);
    out_printf(out, "    return chx_central_start(&%s_chx_choreography, %zu, %s, %s_%s_chx_body, &chx_closure, %s);\n",
               name, index, CAST_AS_ARRAY, name, instance->name,
               instance->results.count > 0 ? "&chx_closure.chx_results" : "NULL");
}

static void print_run(const Emit *emit, const Instance *instance, size_t index, const char *arguments, Out *out)
{
    const char *name = emit->program->name;
    bool has_results = instance->results.count > 0;
    if (!emit->is_central) {
        out_printf(out, "    return chx_run(&%s_chx_choreography, %zu, %s, %s, %s);\n", name, index, CAST_AS_ARRAY,
                   arguments, has_results ? "chx_out_" : "NULL");
        return;
    }
    out_printf(out, "    struct %s_%s_chx_closure chx_closure;\n", name, instance->name);
    out_printf(out, "    memset(&chx_closure, 0, sizeof chx_closure);\n    chx_closure.chx_arguments = %s;\n",
               arguments);
    out_printf(out, "    chx_status chx_end = chx_central(&%s_chx_choreography, %s, %s_%s_chx_body, &chx_closure);\n",
               name, CAST_AS_ARRAY, name, instance->name);
    if (has_results) {
        out_printf(
            out,
            "    if (chx_out_ == NULL || chx_end != CHX_OK)\n        %s_%s_result_drop(&chx_closure.chx_results);\n",
            name, instance->name);
        out_puts(out, "    if (chx_out_ != NULL)\n        *chx_out_ = chx_closure.chx_results;\n");
    }
    out_puts(out, "    return chx_end;\n");
}

static void print_drop(Emit *emit, const Instance *instance, Out *out)
{
    const Program *program = emit->program;
    const char *name = arena_printf(emit->arena, "%s_%s", program->name, instance->name);
    out_printf(out, "\n%s void %s_result_drop(struct %s_result *chx_out_)\n{\n", LINKAGE(emit), name, name);
    out_puts(out, "    if (chx_out_ == NULL)\n        return;\n");
    for (RoleId role = 0; role < program->role_count; role++) {
        const Result *result = instance_result(instance, role);
        if (result == NULL)
            continue;
        Shape shape = emit_result_shape(&emit->types, result);
        if (program->is_family[role])
            out_printf(out, "    chx_results_drop(&%s, &chx_out_->%s);\n", shape.descriptor, program->role_names[role]);
        else if (shape.is_owning)
            out_printf(out, "    chx_value_drop(&%s, &chx_out_->%s%s);\n", shape.descriptor, program->role_names[role],
                       is_sequence(&shape) ? ".item" : "");
    }
    out_puts(out, "}\n");
}

// NAME_DEF_start, or NAME_DEF_open.
static void print_starter(Emit *emit, const Instance *instance, size_t index, bool opens, Out *out)
{
    const char *program = emit->program->name;
    out_printf(out, "\n%s chx_session *%s_%s_%s(chx_runtime *chx_runtime_, %sconst struct %s_cast *chx_cast_",
               LINKAGE(emit), program, instance->name, opens ? "open" : "start", opens ? "const char *chx_name_, " : "",
               program);
    print_params(emit, instance, out);
    out_puts(out, ")\n{\n");
    const char *arguments = print_arguments(emit, instance, out);
    print_start(emit, instance, index, arguments, opens, out);
    out_puts(out, "}\n");
}

static void print_functions(Emit *emit, const Instance *instance, size_t index, Out *out)
{
    const Program *program = emit->program;
    const char *name = arena_printf(emit->arena, "%s_%s", program->name, instance->name);
    const char *linkage = LINKAGE(emit);
    bool has_results = instance->results.count > 0;

    if (has_results)
        print_drop(emit, instance, out);
    print_starter(emit, instance, index, false, out);
    if (instance->has_durable)
        print_starter(emit, instance, index, true, out);

    if (has_results)
        out_printf(out, "\n%s chx_status %s_wait(chx_session *chx_session_, struct %s_result *chx_out_)\n", linkage,
                   name, name);
    else
        out_printf(out, "\n%s chx_status %s_wait(chx_session *chx_session_)\n", linkage, name);
    out_puts(out, "{\n");
    if (has_results)
        out_puts(out,
                 "    if (chx_session_ == NULL && chx_out_ != NULL)\n        memset(chx_out_, 0, sizeof *chx_out_);\n");
    out_printf(out, "    return chx_finish(chx_session_, %s);\n}\n", has_results ? "chx_out_" : "NULL");

    out_printf(out, "\n%s chx_status %s(", linkage, name);
    if (has_results)
        out_printf(out, "struct %s_result *chx_out_, ", name);
    out_printf(out, "const struct %s_cast *chx_cast_", program->name);
    print_params(emit, instance, out);
    out_puts(out, ")\n{\n");
    const char *arguments = print_arguments(emit, instance, out);
    print_run(emit, instance, index, arguments, out);
    out_puts(out, "}\n");
}

static void print_cast(const Program *program, Out *out)
{
    out_printf(out, "\nstruct %s_cast {\n", program->name);
    for (RoleId role = 0; role < program->role_count; role++)
        out_printf(out, "    %s %s;\n", program->is_family[role] ? "chx_family" : "chx_actor",
                   program->role_names[role]);
    out_puts(out, "};\n\n/* the roles' implementations, where they are linked in */\n");
    for (RoleId role = 0; role < program->role_count; role++)
        out_printf(out, "extern const chx_role %s_%s;\n", program->name, program->role_names[role]);
}

void emit_interface(Emit *emit, Out *out)
{
    const Program *program = emit->program;
    out_printf(out, "// Made by chorcc from %s\n", c_comment(emit->arena, emit->source_path));
    out_printf(out, "// The interface of the choreography %s. Do not edit: it is written anew with each change.\n\n",
               program->name);
    out_printf(out, "#ifndef CHX_%s_INTERFACE\n#define CHX_%s_INTERFACE\n\n#include <chorex/generated.h>\n\n",
               program->name, program->name);
    emit_version_check(arena_printf(emit->arena, "%s.chor.h", program->name), out);
    out_puts(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
    print_cast(program, out);

    Out results;
    TypeTable arguments; // of their own: those of messages are not seen by C++
    out_init(&results, emit->arena, emit->source_literal);
    types_init(&arguments, emit->arena, arena_printf(emit->arena, "%s_args", program->name), NULL);
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        if (!instance->is_entry)
            continue;
        out_printf(&results, "\n/* %s */\n", instance->name);
        print_args_struct(emit, instance, &results);
        print_argument_slots(emit, &arguments, instance, &results);
        print_result_struct(emit, instance, &results);
    }
    types_print_first(&emit->types, emit->result_types, out);
    types_print(&arguments, out);
    out_append(out, &results);
    print_object(emit, out);
    if (emit->is_central)
        out_append(out, &emit->central);
    size_t index = 0;
    for (size_t i = 0; i < program->instances.count; i++) {
        const Instance *instance = program->instances.items[i];
        if (instance->is_entry)
            print_functions(emit, instance, index++, out);
    }
    if (emit->types.printed < emit->types.entries.count) {
        out_puts(out, "\n#ifndef __cplusplus\n/* what travels between the roles */\n");
        types_print(&emit->types, out);
        out_puts(out, "#endif\n");
    }
    out_puts(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    // A sequential program has all roles in one place.
    if (!emit->is_central && !program_has_families(program))
        emit_hosts(emit, out);
}
