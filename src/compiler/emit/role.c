// NAME.ROLE.chor.h: one role's part of a choreography.
//
// Types, frames and tables come once. The code can be included again with another CHX_ROLE_AS: its names are then
// macros that lead to names made of that one.

#include "compiler/emit/internal.h"

#include "base/check.h"
#include "chorex/generated.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// The runtime's stack has no larger alignment.
enum { FRAME_ALIGN = 16, REGISTER_PRIORITY = 2000 };

static uint32_t line_of(const RoleEmit *role, Span span)
{
    return span.file == FILE_NONE ? 0 : span_position(role->program->sources, span).line;
}

Shape emit_message_shape(TypeTable *table, const LocalOp *op)
{
    if (op->compared != NULL)
        return (Shape){.before = "chx_agreement ", .after = "", .descriptor = "chx_type_agreement"};
    if (op->is_tuple)
        return types_tuple(table, op->types.items, op->types.count);
    return types_shape(table, op->types.items[0]);
}

char *emit_prototype(Arena *arena, const Program *program, const RoleFunction *function, bool named)
{
    const CFunction *type = function->type;
    Text text;
    text_init(&text, arena);
    text_printf(&text, "%s_%s(", program->role_names[function->role], function->name);
    for (size_t i = 0; i < type->params.count; i++) {
        const char *name = i < type->names.count ? type->names.items[i] : "";
        if (name[0] == '\0' && named)
            name = arena_printf(arena, "value_%zu", i + 1);
        // As written: where one declaration says `int a[3]` and another `int *a`, gcc warns.
        const CType *written = i < type->written.count ? type->written.items[i] : type->params.items[i];
        const char *param = name[0] == '\0' ? type_name(arena, written) : type_declare(arena, written, name);
        bool is_const_array = written->kind == CTYPE_ARRAY && written->is_const;
        text_printf(&text, "%s%s%s", i == 0 ? "" : ", ", is_const_array ? "const " : "", param);
    }
    if (type->is_variadic)
        text_puts(&text, type->params.count == 0 ? "..." : ", ...");
    else if (type->params.count == 0)
        text_puts(&text, "void");
    text_puts(&text, ")");
    return type_declare(arena, type->result, text.chars);
}

const char *emit_variable(Arena *arena, const Variable *variable)
{
    if (variable->is_fault)
        return arena_printf(arena, "chx_fault %s", variable->c_name);
    return type_declare(arena, variable->type, variable->c_name);
}

const char *emit_variable_type(TypeTable *table, const Variable *variable)
{
    return variable->is_fault ? "chx_type_fault" : types_use(table, variable->type);
}

static Span function_span(const RoleFunction *function)
{
    if (function->first_use.file == FILE_NONE && function->proto != NULL)
        return function->proto->span;
    return function->first_use;
}

// ---- the comment at the top ----

static void put_peers(const RoleEmit *role, const char *what, const RoleSet *peers, Out *out)
{
    out_printf(out, "// %s:", what);
    if (roleset_empty(peers))
        out_puts(out, " nobody");
    for (ROLESET_EACH(peer, peers))
        out_printf(out, "%s%s", peer == roleset_next(peers, 0) ? " " : ", ", role->program->role_names[peer]);
    out_puts(out, "\n");
}

static void put_comment(const RoleEmit *role, Out *out)
{
    const LocalProgram *local = role->local;
    out_printf(out, "// Made by chorcc from %s\n", c_comment(role->arena, role->emit->source_path));
    out_printf(out, "// %s's part of the choreography %s. Do not edit: it is written anew with each change.\n//\n",
               local->name, role->program->name);
    put_peers(role, "Sends to", &local->sends_to, out);
    put_peers(role, "Receives from", &local->receives_from, out);
    if (local->provides.count == 0)
        return;
    out_printf(out, "//\n// %s provides, in the file that includes this one:\n", local->name);
    for (size_t i = 0; i < local->provides.count; i++) {
        const RoleFunction *function = local->provides.items[i];
        out_printf(out, "//     %s;", emit_prototype(role->arena, role->program, function, false));
        uint32_t line = line_of(role, function_span(function));
        if (line != 0)
            out_printf(out, "  line %u", line);
        out_puts(out, "\n");
    }
}

// ---- what does not depend on the implementation ----

// "bookseller_Buyer_to_Seller"; a definition may be called to_Seller.
static const char *channel_name(const RoleEmit *role, const char *direction, RoleId peer)
{
    const Program *program = role->program;
    const char *name = arena_printf(role->arena, "%s_%s", direction, program->role_names[peer]);
    for (size_t i = 0; i < role->local->functions.count; i++) {
        if (strcmp(role->local->functions.items[i]->name, name) == 0)
            return arena_printf(role->arena, "%s_chx_%s", role->prefix, name);
    }
    return arena_printf(role->arena, "%s_%s", role->prefix, name);
}

static void name_channels(RoleEmit *role)
{
    size_t count = role->program->role_count;
    role->to = ARENA_ARRAY(role->arena, const char *, count);
    role->from = ARENA_ARRAY(role->arena, const char *, count);
    for (ROLESET_EACH(peer, &role->local->sends_to))
        role->to[peer] = channel_name(role, "to", peer);
    for (ROLESET_EACH(peer, &role->local->receives_from))
        role->from[peer] = channel_name(role, "from", peer);
}

// Families come behind roles, so that those have the same place however many members there are.
static void put_channels(const RoleEmit *role, const char *table, const RoleSet *peers, const char **names, Out *out)
{
    const bool *is_family = role->program->is_family;
    if (roleset_empty(peers))
        return;
    out_puts(out, "\nenum {\n");
    for (int families = 0; families < 2; families++)
        for (ROLESET_EACH(peer, peers))
            if (is_family[peer] == (families == 1))
                out_printf(out, "    %s,\n", names[peer]);
    out_printf(out, "};\nstatic const unsigned %s_chx_%s[] = {", role->prefix, table);
    const char *comma = "";
    for (int families = 0; families < 2; families++)
        for (ROLESET_EACH(peer, peers))
            if (is_family[peer] == (families == 1)) {
                out_printf(out, "%s%u", comma, peer);
                comma = ", ";
            }
    out_puts(out, "};\n");
}

static void put_frame(RoleEmit *role, const LocalFunction *function, const HeldList *held, Out *out)
{
    size_t variable_count = function->variables.count + held->count;
    const char *frame = arena_printf(role->arena, "%s_%s_frame", role->prefix, function->name);
    out_printf(out, "\n/* what %s knows in %s */\nstruct %s {\n", role->local->name, function->name, frame);
    out_puts(out, "    chx_frame chx_head;\n");
    if (function->result != NULL) {
        Shape shape = emit_result_shape(&role->types, function->result);
        out_printf(out, "    %s;\n", shape_declare(role->arena, &shape, "chx_result"));
    }
    for (size_t i = 0; i < function->variables.count; i++) {
        const Variable *variable = function->variables.items[i];
        out_printf(out, "    %s;\n", emit_variable(role->arena, variable));
    }
    for (size_t i = 0; i < held->count; i++)
        out_printf(out, "    %s; /* during one step only */\n", held->items[i].declaration);
    out_puts(out, "};\n");
    if (variable_count > 0 || function->result != NULL)
        out_printf(
            out, "_Static_assert(_Alignof(struct %s) <= %d, \"%s in %s: a type needs a larger alignment than %d\");\n",
            frame, FRAME_ALIGN, role->local->name, function->name, FRAME_ALIGN);
    if (variable_count == 0)
        return;
    out_printf(out, "static const chx_variable %s_%s_chx_variables[] CHX_UNUSED = {\n", role->prefix, function->name);
    // Those that the runtime must drop come first.
    for (size_t i = 0; i < held->count; i++)
        out_printf(out, "    {\"\", offsetof(struct %s, %s), &%s},\n", frame, held->items[i].name,
                   held->items[i].descriptor);
    for (VariableRank rank = RANK_CHANGES; rank <= RANK_OWNS_NOTHING; rank++) {
        for (size_t i = 0; i < function->variables.count; i++) {
            const Variable *variable = function->variables.items[i];
            if (emit_rank(function, variable) == rank)
                out_printf(out, "    {\"%s\", offsetof(struct %s, %s), &%s},\n", variable->name, frame,
                           variable->c_name, emit_variable_type(&role->types, variable));
        }
    }
    out_puts(out, "};\n");
}

// Arguments of a definition that C code starts: into the first frame, which owns them.
static void put_begin(RoleEmit *role, const LocalFunction *function, Out *out)
{
    const Instance *instance = function->instance;
    if (!instance->is_entry || function->params.count == 0)
        return;
    out_printf(out, "static void %s_%s_chx_begin(void *chx_variables, const void *chx_arguments)\n{\n", role->prefix,
               function->name);
    out_printf(out, "    struct %s_%s_frame *chx_to = chx_variables;\n", role->prefix, function->name);
    out_printf(out, "    const struct %s_%s_args *chx_from = chx_arguments;\n", role->program->name, instance->name);
    size_t next = 0;
    for (size_t i = 0; i < instance->params.count; i++) {
        const Param *param = &instance->params.items[i];
        if (!roleset_has(&param->at, role->local->role))
            continue;
        const Variable *variable = function->params.items[next++];
        const char *name = emit_param_name(role->emit, param);
        bool is_array = variable->type->kind == CTYPE_ARRAY;
        if (only_family(role->program, &param->at) != ROLE_NONE)
            out_printf(out,
                       "    chx_value_copy(&%s, &chx_to->%s, (const char *)chx_from->%s + chx_role_index() * sizeof "
                       "chx_to->%s);\n",
                       types_use(&role->types, variable->type), variable->c_name, name, variable->c_name);
        else if (variable->type->kind == CTYPE_SEQUENCE)
            out_printf(out, "    chx_sequence_take(&%s, &chx_to->%s, chx_from->%s, %u);\n",
                       types_use(&role->types, variable->type), variable->c_name, name, variable->type->over);
        else if (variable->type->is_owning)
            out_printf(out, "    chx_value_copy(&%s, &chx_to->%s, %schx_from->%s);\n",
                       types_use(&role->types, variable->type), variable->c_name, is_array ? "" : "&", name);
        else if (is_array)
            out_printf(out, "    memcpy(chx_to->%s, chx_from->%s, sizeof chx_to->%s);\n", variable->c_name, name,
                       variable->c_name);
        else
            out_printf(out, "    chx_to->%s = chx_from->%s;\n", variable->c_name, name);
    }
    out_puts(out, "}\n");
}

// ---- sites ----

typedef struct {
    uint32_t number, line;
    const char *file; // NULL: the choreography's
    const char *kind;
    const char *type; // NULL: none
    uint32_t counter;
    const char *what; // NULL: nothing is called
    bool is_number;   // of a message, which is not the site of the operation
} Site;
typedef VECTOR(Site) SiteTable;

// Where this role's own code of the operation stands: a report names this line.
static Span site_span(const LocalOp *op)
{
    bool decides = (op->kind == LOCAL_CHOICE || op->kind == LOCAL_LOOP) && op->condition != NULL;
    if (decides && op->decide == DECIDE_SELF)
        return op->condition->span;
    return op->kind == LOCAL_RECEIVE && op->target != NULL ? op->target->span : op->span;
}

// The first function that an expression calls. NULL: none.
static const char *called_in(Arena *arena, const Expr *expr)
{
    for (size_t i = 0; expr != NULL && expr->has_call && i < expr->pieces.count; i++) {
        const Piece *piece = &expr->pieces.items[i];
        if (piece->kind == PIECE_FUNCTION && piece->is_called)
            return piece->function->name;
        if (piece->kind != PIECE_TEXT)
            continue;
        // A name in front of a parenthesis: what else is written so (`if`, `sizeof`) calls something, too, or is harmless here.
        for (const char *at = piece->line; (at = strchr(at, '(')) != NULL; at++) {
            const char *begin = at;
            while (begin > piece->line && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_'))
                begin--;
            if (begin < at && !isdigit((unsigned char)*begin))
                return arena_printf(arena, "%.*s", (int)(at - begin), begin);
        }
    }
    return NULL;
}

// What the role calls there, for traces.
static const char *site_what(const RoleEmit *role, const LocalOp *op)
{
    if (op->kind == LOCAL_CALL)
        return op->callee->name;
    const char *what = called_in(role->arena, op->kind == LOCAL_STEP ? op->value : op->condition);
    const ExprList *exprs = op->kind == LOCAL_SEND ? &op->sent.exprs : &op->returned.exprs;
    bool has_exprs = op->kind == LOCAL_SEND || op->kind == LOCAL_RETURN;
    for (size_t i = 0; what == NULL && has_exprs && i < exprs->count; i++)
        what = called_in(role->arena, exprs->items[i]);
    return what;
}

static uint32_t counter_of(const RoleEmit *role, uint32_t site)
{
    for (size_t i = 0; i < role->counted.count; i++)
        if (role->counted.items[i] == site)
            return (uint32_t)i + 1;
    return 0;
}

// The runtime looks up what a message holds by the number that it carries.
static void add_numbers(const RoleEmit *role, const LocalOp *op, Site site, SiteTable *sites)
{
    site.is_number = true;
    site.counter = 0;
    for (size_t i = 0; i < op->leaves.count; i++) {
        site.number = op->leaves.items[i];
        if (site.number != op->site)
            vector_push(role->arena, sites, site);
    }
    site.number = op->arrives;
    bool arrives = op->kind == LOCAL_RECEIVE || op->decide == DECIDE_TOLD;
    if (arrives && site.number != op->site)
        vector_push(role->arena, sites, site);
    site.number = op->number;
    if (op->kind == LOCAL_CHECKPOINT && site.number != op->site)
        vector_push(role->arena, sites, site);
}

static void collect_sites(RoleEmit *role, const LocalOpList *ops, SiteTable *sites)
{
    static const char *const kinds[] = {
        [LOCAL_STEP] = "STEP",
        [LOCAL_SEND] = "SEND",
        [LOCAL_RECEIVE] = "RECEIVE",
        [LOCAL_CALL] = "CALL",
        [LOCAL_CHOICE] = "CHOICE",
        [LOCAL_LOOP] = "CHOICE",
        [LOCAL_BREAK] = NULL,
        [LOCAL_CONTINUE] = NULL,
        [LOCAL_EACH] = "STEP",
        [LOCAL_RETURN] = "STEP",
        [LOCAL_CHECKPOINT] = "CHECKPOINT",
        [LOCAL_PAR] = "STEP",
        [LOCAL_ARM] = "STEP",
    };
    for (size_t i = 0; i < ops->count; i++) {
        const LocalOp *op = ops->items[i];
        bool is_message = op->kind == LOCAL_SEND || op->kind == LOCAL_RECEIVE;
        if (kinds[op->kind] != NULL) {
            Site site = {.number = op->site, .line = line_of(role, site_span(op)), .kind = kinds[op->kind]};
            const char *file = emit_file(role->emit, site_span(op));
            site.file = file != role->emit->source_literal ? file : NULL;
            site.counter = counter_of(role, op->site);
            site.what = site_what(role, op);
            if (is_message)
                site.type = emit_message_shape(&role->types, op).descriptor;
            vector_push(role->arena, sites, site);
            add_numbers(role, op, site, sites);
        }
        for (size_t k = 0; k < op->branches.count; k++)
            collect_sites(role, &op->branches.items[k].body, sites);
        collect_sites(role, &op->body, sites);
        collect_sites(role, &op->rescue, sites);
        collect_sites(role, &op->step, sites);
    }
}

// A failure of a hook is reported at the line of its prototype.
static void collect_hooks(RoleEmit *role, SiteTable *sites)
{
    for (size_t i = 0; i < role->local->provides.count; i++) {
        const RoleFunction *function = role->local->provides.items[i];
        if (!function->is_hook)
            continue;
        uint32_t number = strcmp(function->name, "init") == 0 ? CHX_SITE_INIT : CHX_SITE_FINI;
        Site site = {.number = number, .line = line_of(role, function_span(function)), .kind = "STEP"};
        vector_push(role->arena, sites, site);
    }
}

static int compare_sites(const void *one, const void *other)
{
    const Site *a = one, *b = other;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->is_number != b->is_number)
        return a->is_number ? 1 : -1;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_restarts(const void *one, const void *other)
{
    uint32_t a = ((const Restart *)one)->site;
    uint32_t b = ((const Restart *)other)->site;
    return a < b ? -1 : a > b;
}

// The label at which a step of this site begins again; 0: none. They are sorted. A call's arguments may be several steps of one
// site: then none of them is begun again alone.
static uint32_t restart_of(const RoleEmit *role, uint32_t site)
{
    Restart wanted = {.site = site};
    const Restart *found = role->restarts.count == 0 ? NULL
                                                     : bsearch(&wanted, role->restarts.items, role->restarts.count,
                                                               sizeof wanted, compare_restarts);
    const Restart *end = role->restarts.items + role->restarts.count;
    if (found == NULL || (found > role->restarts.items && found[-1].site == site) ||
        (found + 1 < end && found[1].site == site))
        return 0;
    return found->label;
}

// When the functions are there: they say which sites are counted, and where steps begin.
static size_t put_sites(RoleEmit *role, Out *out)
{
    SiteTable sites = {0};
    for (size_t i = 0; i < role->local->functions.count; i++)
        collect_sites(role, &role->local->functions.items[i]->body, &sites);
    collect_hooks(role, &sites);
    if (sites.count == 0)
        return 0;
    qsort(sites.items, sites.count, sizeof sites.items[0], compare_sites);
    if (role->restarts.count > 0)
        qsort(role->restarts.items, role->restarts.count, sizeof role->restarts.items[0], compare_restarts);
    size_t count = 0;
    out_printf(out, "\nstatic const chx_site %s_chx_sites[] = {\n", role->prefix);
    for (size_t i = 0; i < sites.count; i++) {
        const Site *site = &sites.items[i];
        if (i > 0 && site->number == sites.items[i - 1].number)
            continue;
        out_printf(out, "    {%u, %u, CHX_SITE_%s, %s%s, %u, %u, %s, %s},\n", site->number, site->line, site->kind,
                   site->type != NULL ? "&" : "", site->type != NULL ? site->type : "NULL", site->counter,
                   restart_of(role, site->number), site->file != NULL ? site->file : "NULL",
                   site->what != NULL ? c_literal(role->arena, site->what) : "NULL");
        count++;
    }
    out_puts(out, "};\n");
    return count;
}

static void put_blocks(RoleEmit *role, Out *out)
{
    if (role->blocks.count > 0) {
        out_printf(out, "\nstatic const chx_checkpoint *const %s_chx_blocks[] = {\n", role->prefix);
        for (size_t i = 0; i < role->blocks.count; i++)
            out_printf(out, "    &%s,\n", role->blocks.items[i]);
        out_puts(out, "};\n");
    }
    for (size_t i = 0; i < role->local->functions.count; i++) {
        const VariableList *variables = &role->local->functions.items[i]->variables;
        for (size_t k = 0; k < variables->count; k++)
            if (variables->items[k]->is_fragile)
                vector_push(role->arena, &role->fragile, variables->items[k]->name);
    }
    if (role->fragile.count > 0) {
        out_printf(out, "static const char *const %s_chx_fragile[] = {", role->prefix);
        for (size_t i = 0; i < role->fragile.count; i++)
            out_printf(out, "%s\"%s\"", i == 0 ? "" : ", ", role->fragile.items[i]);
        out_puts(out, "};\n");
    }
}

// ---- the code ----

static void rename_as(RoleEmit *role, const char *name, const char *suffix)
{
    vector_push(role->arena, &role->renamed, name);
    vector_push(role->arena, &role->renamed_as, suffix);
}

// Functions of used choreographies may be macros already.
static void put_kept_macros(const RoleEmit *role, const char *what, bool undefines, Out *out)
{
    for (size_t i = 0; i < role->local->provides.count; i++) {
        const RoleFunction *function = role->local->provides.items[i];
        if (function->module == NULL)
            continue;
        const char *name = arena_printf(role->arena, "%s_%s", role->local->name, function->name);
        out_printf(out, "#pragma %s_macro(\"%s\")\n", what, name);
        if (undefines)
            out_printf(out, "#undef %s\n", name);
    }
}

static void put_renames(const RoleEmit *role, Out *out)
{
    out_puts(out, "\n#ifdef CHX_ROLE_AS\n");
    put_kept_macros(role, "push", true, out);
    out_printf(out, "#define %s CHX_ROLE_AS\n", role->prefix);
    for (size_t i = 0; i < role->renamed.count; i++)
        out_printf(out, "#define %s CHX_PASTE(CHX_ROLE_AS, %s)\n", role->renamed.items[i], role->renamed_as.items[i]);
    out_printf(out, "#else\n#define CHX_%s_CODE\n#endif\n", role->prefix);
}

static void put_renames_end(const RoleEmit *role, Out *out)
{
    out_printf(out, "\n#ifdef CHX_ROLE_AS\n#undef %s\n", role->prefix);
    for (size_t i = 0; i < role->renamed.count; i++)
        out_printf(out, "#undef %s\n", role->renamed.items[i]);
    put_kept_macros(role, "pop", false, out);
    out_puts(out, "#undef CHX_ROLE_AS\n#endif\n");
}

static void put_prototypes(RoleEmit *role, Out *out)
{
    for (size_t i = 0; i < role->local->provides.count; i++) {
        const RoleFunction *function = role->local->provides.items[i];
        rename_as(role, arena_printf(role->arena, "%s_%s", role->local->name, function->name),
                  arena_printf(role->arena, "_%s", function->name));
        // One of a used choreography may be a macro, for a function that is declared, too.
        if (function->module != NULL) {
            out_own(out);
            out_puts(out, "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wredundant-decls\"\n");
        }
        out_file(out, emit_file(role->emit, function_span(function)));
        out_statement(out, line_of(role, function_span(function)));
        out_printf(out, "CHX_ROLE_FUNCTION %s;", emit_prototype(role->arena, role->program, function, false));
        if (function->module != NULL) {
            out_own(out);
            out_puts(out, "#pragma GCC diagnostic pop\n");
        }
    }
    out_file(out, role->emit->source_literal);
    out_own(out);
}

// For a test in another file, which calls the functions that this role provides.
static void put_tested(const RoleEmit *role, Out *out)
{
    out_printf(out, "#ifdef CHX_PROTOTYPES\n#ifndef CHX_%s_PROTOTYPES\n#define CHX_%s_PROTOTYPES\n", role->prefix,
               role->prefix);
    for (size_t i = 0; i < role->local->provides.count; i++)
        out_printf(out, "extern %s;\n",
                   emit_prototype(role->arena, role->program, role->local->provides.items[i], false));
    out_puts(out, "#endif\n#else\n\n");
}

static size_t rank_count(const LocalFunction *function, VariableRank rank)
{
    size_t count = 0;
    for (size_t i = 0; i < function->variables.count; i++)
        count += emit_rank(function, function->variables.items[i]) == rank ? 1 : 0;
    return count;
}

// For chorex top: where in the choreography a role is that waits at a label. The name of the table; "NULL": there is none.
static const char *put_lines(RoleEmit *role, const char *name, const char *function, const FunctionLabels *labels,
                             Out *out)
{
    enum { LINES_IN_A_ROW = 16 };
    if (labels->count == 0)
        return "NULL";
    const char *table = arena_printf(role->arena, "%s_chx_lines", name);
    rename_as(role, table, arena_printf(role->arena, "_chx_lines_%s", function));
    out_printf(out, "static const uint32_t %s[] CHX_UNUSED = {", table);
    for (uint32_t i = 0; i < labels->count; i++)
        out_printf(out, "%s%u,", i % LINES_IN_A_ROW == 0 ? "\n    " : " ", labels->lines[i]);
    out_puts(out, "\n};\n");
    return table;
}

static void put_function_objects(RoleEmit *role, Out *out)
{
    for (size_t i = 0; i < role->local->functions.count; i++) {
        const LocalFunction *function = role->local->functions.items[i];
        const char *name = arena_printf(role->arena, "%s_%s", role->prefix, function->name);
        const char *result =
            function->result == NULL ? NULL : emit_result_shape(&role->types, function->result).descriptor;
        rename_as(role, name, arena_printf(role->arena, "_chx_run_%s", function->name));
        rename_as(role, arena_printf(role->arena, "%s_chx_function", name),
                  arena_printf(role->arena, "_chx_function_%s", function->name));
        const FunctionLabels *labels = &role->labels[i];
        const char *lines = put_lines(role, name, function->name, labels, out);
        out_printf(out, "static const chx_function %s_chx_function CHX_UNUSED = {\n", name);
        out_printf(out, "    \"%s\", %s, sizeof(struct %s_frame), %s%s, ", function->name, name, name,
                   result != NULL ? "&" : "", result != NULL ? result : "NULL");
        size_t variable_count = function->variables.count + role->held[i].count;
        if (variable_count > 0)
            out_printf(out, "%s_chx_variables, %zu, ", name, variable_count);
        else
            out_puts(out, "NULL, 0, ");
        size_t fixed = rank_count(function, RANK_FIXED);
        out_printf(out, "%zu, %zu, %zu, %u, %s, %s,\n};\n",
                   role->held[i].count + rank_count(function, RANK_CHANGES) + fixed, fixed, i, labels->count,
                   labels->file != NULL ? labels->file : "NULL", lines);
    }
}

// In the order of the numbers that the functions have.
static void put_function_table(RoleEmit *role, Out *out)
{
    const char *table = arena_printf(role->arena, "%s_chx_function_table", role->prefix);
    if (role->local->functions.count == 0)
        return;
    out_printf(out, "\nstatic const chx_function *const %s[] = {\n", table);
    for (size_t i = 0; i < role->local->functions.count; i++)
        out_printf(out, "    &%s_%s_chx_function,\n", role->prefix, role->local->functions.items[i]->name);
    out_puts(out, "};\n");
    rename_as(role, table, "_chx_function_table");
}

// The value that CHX_GENERATED_VERSION had when something that snapshots depend on changed last.
enum { SNAPSHOT_VERSION = 11 };

// Whatever a snapshot of this role's frames depends on: its program, with the names and types of its variables.
static uint64_t state_digest(const RoleEmit *role, const Out *frames)
{
    char *program = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&program, &size);
    CHECK(stream != NULL);
    dump_local(role->local, stream);
    CHECK(fclose(stream) == 0);
    uint64_t hash = fnv1a(role->emit->protocol_digest, program, size);
    free(program);
    hash = types_digest(&role->types, types_digest(&role->emit->types, hash));
    hash = fnv1a(hash, frames->text.chars, frames->text.length);
    const char *version = arena_printf(role->arena, "%d", SNAPSHOT_VERSION);
    hash = fnv1a(hash, version, strlen(version) + 1);
    for (size_t i = 0; i < role->local->functions.count; i++) {
        const char *labels = arena_printf(role->arena, "%u", role->labels[i].count);
        hash = fnv1a(hash, labels, strlen(labels) + 1);
    }
    return hash;
}

static size_t put_entries(RoleEmit *role, Out *out)
{
    size_t count = 0;
    for (size_t i = 0; i < role->local->functions.count; i++) {
        const LocalFunction *function = role->local->functions.items[i];
        if (!function->instance->is_entry)
            continue;
        if (count++ == 0)
            out_printf(out, "\nstatic const chx_entry %s_chx_entries[] = {\n", role->prefix);
        const char *name = arena_printf(role->arena, "%s_%s", role->prefix, function->name);
        out_printf(out, "    {\"%s\", &%s_chx_function, ", function->name, name);
        if (function->params.count > 0)
            out_printf(out, "%s_chx_begin},\n", name);
        else
            out_puts(out, "NULL},\n");
    }
    if (count > 0) {
        out_puts(out, "};\n");
        rename_as(role, arena_printf(role->arena, "%s_chx_entries", role->prefix), "_chx_entries");
    }
    return count;
}

static const char *hook(const RoleEmit *role, const char *name)
{
    for (size_t i = 0; i < role->local->provides.count; i++) {
        const RoleFunction *function = role->local->provides.items[i];
        if (function->is_hook && strcmp(function->name, name) == 0)
            return arena_printf(role->arena, "%s_%s", role->local->name, name);
    }
    return "NULL";
}

static const char *table_or_null(const RoleEmit *role, const char *table, size_t count)
{
    return count == 0 ? "NULL" : arena_printf(role->arena, "%s_chx_%s", role->prefix, table);
}

// What the role's object has of its functions; a sequential program has none.
typedef struct {
    size_t entries, sites, functions;
    uint64_t state_digest;
} RoleTables;

static void put_object(RoleEmit *role, const RoleTables *tables, const char *central, Out *out)
{
    const LocalProgram *local = role->local;
    const char *prefix = role->prefix;
    size_t sends = roleset_count(&local->sends_to);
    size_t receives = roleset_count(&local->receives_from);
    // The interface declares it by its usual name; by another the user may have done so.
    out_puts(out, "\n#ifdef CHX_ROLE_AS\n#pragma GCC diagnostic push\n");
    out_puts(out, "#pragma GCC diagnostic ignored \"-Wredundant-decls\"\n");
    out_printf(out, "extern const chx_role %s;\n#pragma GCC diagnostic pop\n#endif\n", prefix);
    out_printf(out, "const chx_role %s = {\n", prefix);
    out_printf(out, "    CHX_GENERATED_VERSION, CHX_STRING(%s), \"%s\", \"%s\", %u,\n", prefix, role->program->name,
               local->name, local->role);
    out_printf(out, "    UINT64_C(0x%016" PRIx64 "), %s,\n", role->emit->digest, role->emit->source_literal);
    out_printf(out, "    %s, %zu,\n", table_or_null(role, "entries", tables->entries), tables->entries);
    out_printf(out, "    %s, %zu,\n", table_or_null(role, "sends_to", sends), sends);
    out_printf(out, "    %s, %zu,\n", table_or_null(role, "receives_from", receives), receives);
    out_printf(out, "    %s, %zu,\n", table_or_null(role, "sites", tables->sites), tables->sites);
    out_printf(out, "    %s, %s, %s,\n", hook(role, "init"), hook(role, "fini"), central);
    out_printf(out, "    %s, %zu, %s, %zu, %zu,\n", table_or_null(role, "blocks", role->blocks.count),
               role->blocks.count, table_or_null(role, "fragile", role->fragile.count), role->fragile.count,
               role->counted.count);
    out_printf(out, "    %s, %zu, UINT64_C(0x%016" PRIx64 "), UINT64_C(0x%016" PRIx64 "),\n    %s, NULL,\n};\n",
               table_or_null(role, "function_table", tables->functions), tables->functions, tables->state_digest,
               role->emit->protocol_digest,
               program_has_families(role->program)
                   ? arena_printf(role->arena, "&%s_chx_choreography", role->program->name)
                   : "NULL");

    out_printf(out, "static chx_registration %s_chx_registration = {&%s, NULL};\n", prefix, prefix);
    // Before the library's own constructor, which may turn this process into one that needs to know all roles.
    out_printf(out, "static void %s_chx_register(void) __attribute__((__constructor__(%d)));\n", prefix,
               REGISTER_PRIORITY);
    out_printf(out, "static void %s_chx_register(void)\n{\n    chx_register(&%s_chx_registration);\n}\n", prefix,
               prefix);
    rename_as(role, arena_printf(role->arena, "%s_chx_registration", prefix), "_chx_registration");
    rename_as(role, arena_printf(role->arena, "%s_chx_register", prefix), "_chx_register");
}

static void role_init(RoleEmit *role, Emit *emit, const LocalProgram *local)
{
    const Program *program = emit->program;
    *role = (RoleEmit){.emit = emit, .arena = emit->arena, .program = program, .local = local};
    role->prefix = arena_printf(emit->arena, "%s_%s", program->name, local->name);
    role->me = program->role_name_taken[local->role] ? arena_printf(emit->arena, "chx_%s", local->name) : local->name;
    role->held = ARENA_ARRAY(emit->arena, HeldList, local->functions.count);
    role->labels = ARENA_ARRAY(emit->arena, FunctionLabels, local->functions.count);
    types_init(&role->types, emit->arena, role->prefix, &emit->types);
    name_channels(role);
}

// The interface, and of what it has for roles on several hosts the part of this one. Not again if nothing of it is new: it is long
// where there are many roles.
static void put_include(const RoleEmit *role, Out *out)
{
    const char *name = role->program->name;
    out_printf(out, "#if !defined(CHX_%s_INTERFACE) || (defined(CHOREX_NET_H) && !defined(CHX_%s_HOSTS))\n", name,
               role->prefix);
    out_printf(out, "#define CHX_%s_PART\n#define CHX_%s_PART\n", name, role->prefix);
    out_printf(out, "#include \"%s.chor.h\"\n", name);
    out_printf(out, "#undef CHX_%s_PART\n#undef CHX_%s_PART\n#endif\n\n", name, role->prefix);
}

char *emit_role(Emit *emit, const LocalProgram *local, const char *companion_name)
{
    RoleEmit role;
    role_init(&role, emit, local);
    const char *source = emit->source_literal;

    // The code first: it says which types are needed.
    Out code, frames, tables;
    out_init(&code, emit->arena, source);
    out_init(&frames, emit->arena, source);
    out_init(&tables, emit->arena, source);
    Out declarations, functions;
    out_init(&declarations, emit->arena, source);
    out_init(&functions, emit->arena, source);
    put_channels(&role, "sends_to", &local->sends_to, role.to, &tables);
    put_channels(&role, "receives_from", &local->receives_from, role.from, &tables);
    for (size_t i = 0; i < local->functions.count; i++) {
        const LocalFunction *function = local->functions.items[i];
        Out blocks;
        out_init(&blocks, emit->arena, source);
        role.labels[i] = emit_function(&role, function, &role.held[i], &blocks, &declarations, &functions);
        put_frame(&role, function, &role.held[i], &frames);
        put_begin(&role, function, &frames);
        out_append(&frames, &blocks);
    }
    RoleTables object = {.sites = put_sites(&role, &tables), .functions = local->functions.count};
    put_blocks(&role, &frames);
    out_puts(&code, "\n");
    put_prototypes(&role, &code);
    out_append(&code, &declarations);
    put_function_objects(&role, &code);
    // Steps begin with a statement, and declare what they need behind it.
    out_puts(&code, "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wdeclaration-after-statement\"\n");
    out_append(&code, &functions);
    out_puts(&code, "#pragma GCC diagnostic pop\n");
    put_function_table(&role, &code);
    object.entries = put_entries(&role, &code);
    object.state_digest = state_digest(&role, &frames);
    put_object(&role, &object, "NULL", &code);

    Out out;
    out_init(&out, emit->arena, source);
    put_comment(&role, &out);
    out_printf(&out, "\n#ifdef __cplusplus\n#error \"%s is C code: include %s.chor.h in C++\"\n#endif\n",
               companion_name, emit->program->name);
    put_include(&role, &out);
    emit_version_check(companion_name, &out);
    put_tested(&role, &out);
    out_printf(&out, "#ifndef CHX_%s_TYPES\n#define CHX_%s_TYPES\n\n", role.prefix, role.prefix);
    types_print(&role.types, &out);
    out_append(&out, &tables);
    out_append(&out, &frames);
    out_puts(&out, "\n#endif\n");
    out_printf(&out, "\n#if defined(CHX_ROLE_AS) || !defined(CHX_%s_CODE)\n", role.prefix);
    put_renames(&role, &out);
    out_append(&out, &code);
    put_renames_end(&role, &out);
    out_puts(&out, "\n#endif\n#endif\n");
    return out_finish(&out, companion_name);
}

void emit_role_central(Emit *emit, const LocalProgram *local, Out *out)
{
    RoleEmit role;
    role_init(&role, emit, local);
    Out code;
    out_init(&code, emit->arena, emit->source_literal);
    put_prototypes(&role, &code);
    const char *central = "NULL";
    if (local->provides.count > 0) {
        out_printf(&code, "static const struct %s_chx_functions %s_chx_table = {\n", role.prefix, role.prefix);
        for (size_t i = 0; i < local->provides.count; i++)
            out_printf(&code, "    %s_%s,\n", local->name, local->provides.items[i]->name);
        out_puts(&code, "};\n");
        rename_as(&role, arena_printf(emit->arena, "%s_chx_table", role.prefix), "_chx_table");
        central = arena_printf(emit->arena, "&%s_chx_table", role.prefix);
    }
    put_object(&role, &(RoleTables){0}, central, &code);
    out_printf(out, "#if defined(CHX_ROLE_AS) || !defined(CHX_%s_CODE)\n", role.prefix);
    put_renames(&role, out);
    out_append(out, &code);
    put_renames_end(&role, out);
    out_puts(out, "#endif\n");
}
