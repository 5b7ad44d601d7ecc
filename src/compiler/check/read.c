// What the parsed unit says: facts for the next round, then types.

#include "compiler/check/typing.h"

#include <stdio.h>
#include <string.h>

// ---- learning ----

static const CType *type_of(Typing *typing, char kind, uint32_t id)
{
    char name[32];
    snprintf(name, sizeof name, "chx_%c%u", kind, id);
    return cunit_type_of(typing->unit, name);
}

static const CType *init_type_of(Typing *typing, char kind, uint32_t id)
{
    char name[32];
    snprintf(name, sizeof name, "chx_%c%u", kind, id);
    return cunit_init_type_of(typing->unit, name);
}

// __auto_type makes a pointer of an array and `char *` of a string literal in a macro; the initialiser knows better.
static bool learn_expressions(Typing *typing)
{
    bool learned = false;
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        const LocalC *local = typing->resolved->locals.items[i];
        const Expr *expr = &local->expr;
        bool is_auto = typing->typed[i] && typing->expr_fact[i] == NULL && !expr->is_variable && !expr->is_literal &&
                       !calls_unknown(typing, local);
        if (!is_auto || (local->wanted != NULL && !map_has(&typing->array_types, local->wanted)))
            continue;
        const CType *value = init_type_of(typing, 'x', local->id), *variable = type_of(typing, 'x', local->id);
        if (value == NULL || variable == NULL || (!ctype_is_array(value) && value->kind != CTYPE_CSTRING) ||
            strcmp(value->canonical, variable->canonical) == 0)
            continue;
        typing->expr_fact[i] = value;
        learned = true;
    }
    return learned;
}

// The same of places: an array that is a field takes an array.
static bool learn_places(Typing *typing)
{
    bool learned = false;
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        const CType *place =
            typing->typed[i] && typing->expr_fact[i] == NULL ? init_type_of(typing, 't', (uint32_t)i) : NULL;
        if (place == NULL || !ctype_is_array(place))
            continue;
        typing->expr_fact[i] = place;
        learned = true;
    }
    return learned;
}

static bool learn_arrays(Typing *typing)
{
    bool learned = false;
    for (size_t i = 0; i < typing->wants.count; i++) {
        const char *text = typing->wants.items[i], *name = text;
        if (strncmp(text, "__typeof__(", 11) == 0)
            name = arena_copy(typing->arena, text + 11, strlen(text) - 12);
        const CType *type = cunit_type_of(typing->unit, name);
        if (type == NULL || !ctype_is_array(type) || map_has(&typing->array_types, text))
            continue;
        map_put(&typing->array_types, text, (void *)(uintptr_t)text);
        learned = true;
    }
    return learned;
}

static bool is_unfit(const CType *type)
{
    return type != NULL && (type->kind == CTYPE_VOID || type->kind == CTYPE_OTHER || type->kind == CTYPE_FUNCTION);
}

static bool learn_unfit_type(Typing *typing, const Instance *instance, const TypeText *text, const char *what)
{
    const char *key = type_text_key(typing->arena, text);
    const CType *type = cunit_type_of(typing->unit, instance_type_name(typing, instance, text));
    if (!is_unfit(type) || map_has(&typing->unfit, key))
        return false;
    map_put(&typing->unfit, key, (void *)(uintptr_t)text);
    diag_error(typing->diags, text->span, "%s can't have the type '%s'", what, type->spelling);
    return true;
}

// Parameters and results without a complete type: said once, where the type stands.
static bool learn_unfit(Typing *typing)
{
    bool learned = false;
    for (size_t i = 0; i < typing->resolved->program->instances.count; i++) {
        const Instance *instance = typing->resolved->program->instances.items[i];
        for (size_t k = 0; k < instance->params.count; k++) {
            const Param *param = &instance->params.items[k];
            learned |= learn_unfit_type(typing, instance, param->declared, "a parameter");
            bool is_bad = map_has(&typing->unfit, type_text_key(typing->arena, param->declared));
            for (size_t n = 0; is_bad && n < param->variables.count; n++)
                param->variables.items[n]->type = &POISON;
        }
        for (size_t k = 0; k < instance->def->results.count; k++)
            for (size_t n = 0; n < instance->def->results.items[k].types.count; n++)
                learned |=
                    learn_unfit_type(typing, instance, &instance->def->results.items[k].types.items[n], "a result");
    }
    return learned;
}

// A variable that takes over the type of something const is not const itself.
static bool learn_plain(Typing *typing)
{
    bool learned = false;
    for (size_t i = 0; i < typing->resolved->visible.count; i++) {
        const Variable *variable = typing->resolved->visible.items[i].variable;
        if (variable->declared != NULL || variable->is_fault || is_poisoned(variable) || typing->plain[variable->id])
            continue;
        const CType *type = type_of(typing, 'v', variable->id);
        if (type == NULL || !type->is_const || ctype_is_array(type))
            continue;
        typing->plain[variable->id] = learned = true;
    }
    return learned;
}

// Clang knows where C's own functions are declared, and says it in a note.
static void learn_header(Typing *typing, const CError *error)
{
    static const char start[] = "include the header <";
    for (size_t i = 0; i < error->notes.count; i++) {
        const char *note = error->notes.items[i].message;
        if (strncmp(note, start, strlen(start)) != 0)
            continue;
        const char *header = note + strlen(start);
        map_put(&typing->headers, error->implicit_function, arena_copy(typing->arena, header, strcspn(header, ">")));
    }
}

// Clang reports a function of C's library only where it is called first: it knows the type from there on.
static bool is_call_of(const Typing *typing, const LocalC *local, const CalledName *called, const CError *error)
{
    if (called->span.file == error->span.file && called->span.start == error->span.start)
        return true;
    for (size_t i = 0; i < local->mentions.count; i++)
        if (strcmp(local->mentions.items[i].name, called->name) == 0)
            return false; // a variable that holds a function
    return strcmp(called->name, error->implicit_function) == 0 && map_has(&typing->headers, called->name);
}

// A call of a name that C does not know is a call of the role's own function.
static bool learn_called(Typing *typing, const CErrorList *errors)
{
    bool learned = false;
    for (size_t i = 0; i < errors->count; i++) {
        const CError *error = &errors->items[i];
        if (error->implicit_function == NULL || error->in_macro)
            continue;
        learn_header(typing, error);
        for (size_t n = 0; n < typing->resolved->locals.count; n++) {
            LocalC *local = typing->resolved->locals.items[n];
            for (size_t k = 0; typing->typed[n] && k < local->called.count; k++) {
                CalledName *called = &local->called.items[k];
                if (called->function != NULL || !is_call_of(typing, local, called, error))
                    continue;
                RoleId role = roleset_next(&local->expr.at, 0);
                RoleFunction *known = function_of(typing->resolved, local->instance, role, called->name);
                if (!called->is_whole && (known == NULL || !function_is_known(typing, known)))
                    continue;
                called->function = function_used(typing->resolved, local->instance, role, called->name, called->span);
                called->function->header = map_get(&typing->headers, called->name);
                learned = true;
            }
        }
    }
    return learned;
}

typedef struct {
    Typing *typing;
    Span span;
    bool learned;
} BitfieldSearch;

static void search_part(BitfieldSearch *search, const Pattern *pattern)
{
    for (size_t i = 0; pattern != NULL && i < pattern->parts.count; i++) {
        Pattern *part = pattern->parts.items[i];
        if (part->field != NULL && part->span.start <= search->span.start && search->span.end <= part->span.end) {
            const char *key = arena_printf(search->typing->arena, "%u", part->id);
            search->learned |= !map_has(&search->typing->bitfields, key);
            part->is_bitfield = true;
            map_put(&search->typing->bitfields, key, part);
        }
        search_part(search, part);
    }
}

static void search_node(void *context, Node *node)
{
    BitfieldSearch *search = context;
    search_part(search, node->target);
    search_part(search, node->to.pattern);
    for (size_t i = 0; i < node->results.count; i++)
        search_part(search, node->results.items[i].pattern);
}

static bool learn_bitfields(Typing *typing, const CErrorList *errors)
{
    BitfieldSearch search = {.typing = typing};
    for (size_t i = 0; i < errors->count; i++) {
        if (strstr(errors->items[i].message, "bit-field") == NULL)
            continue;
        search.span = errors->items[i].span;
        for (size_t k = 0; k < typing->resolved->program->instances.count; k++)
            each_node(&typing->resolved->program->instances.items[k]->body, search_node, &search);
    }
    return search.learned;
}

// ---- inferred prototypes ----

static const CType *void_type(Typing *typing, bool is_bool)
{
    CType *type = ARENA_NEW(typing->arena, CType);
    *type = (CType){.kind = is_bool ? CTYPE_BOOL : CTYPE_VOID,
                    .spelling = is_bool ? "bool" : "void",
                    .canonical = is_bool ? "_Bool" : "void",
                    .before = is_bool ? "bool " : "void ",
                    .after = "",
                    .before_const = is_bool ? "const bool " : "const void ",
                    .size = 1,
                    .align = 1,
                    .is_named = true,
                    .is_sendable = is_bool};
    return type;
}

// An argument's type as a parameter: strings of any kind are const char *.
const CType *parameter_type(Arena *arena, const CType *type)
{
    bool is_chars =
        type->kind == CTYPE_POINTER && type->element != NULL && strcmp(type->element->canonical, "char") == 0;
    if (!is_chars)
        return type;
    CType *string = ARENA_NEW(arena, CType);
    *string = *type;
    string->kind = CTYPE_CSTRING;
    string->spelling = string->canonical = "const char *";
    string->before = "const char *";
    string->before_const = "const char *const ";
    string->after = "";
    return string;
}

// The prototype that this use of a function shows, or NULL.
static const CFunction *shown_prototype(Typing *typing, const LocalC *local)
{
    if (local->wanted == NULL)
        return NULL;
    CFunction *function = ARENA_NEW(typing->arena, CFunction);
    if (strcmp(local->wanted, "void") == 0 || strcmp(local->wanted, "_Bool") == 0)
        function->result = void_type(typing, local->wanted[0] == '_');
    else
        function->result = type_of(typing, 'x', local->id);
    if (function->result == NULL || function->result->kind == CTYPE_INVALID || ctype_is_array(function->result))
        return NULL;
    for (size_t i = 0; i < local->called.items[0].args.count; i++) {
        const CType *type = cunit_type_of(typing->unit, arena_printf(typing->arena, "chx_a%u_%zu", local->id, i));
        if (type == NULL || type->kind == CTYPE_INVALID)
            return NULL;
        vector_push(typing->arena, &function->params, parameter_type(typing->arena, type));
        vector_push(typing->arena, &function->names, "");
    }
    return function;
}

static bool same_prototype(const CFunction *one, const CFunction *other)
{
    if (one->params.count != other->params.count || strcmp(one->result->canonical, other->result->canonical) != 0)
        return false;
    for (size_t i = 0; i < one->params.count; i++)
        if (strcmp(one->params.items[i]->canonical, other->params.items[i]->canonical) != 0)
            return false;
    return true;
}

const char *prototype_text(Arena *arena, const CFunction *function, const char *name)
{
    const char *params = function->params.count == 0 ? "void" : "";
    for (size_t i = 0; i < function->params.count; i++)
        params = arena_printf(arena, "%s%s%s", params, i == 0 ? "" : ", ", function->params.items[i]->spelling);
    return arena_printf(arena, "%s%s(%s)%s", function->result->before, name, params, function->result->after);
}

void suggest_prototype(Typing *typing, const char *prototype)
{
    Span place = tree_prototypes(typing->resolved->program->tree);
    diag_fix(typing->diags, place, arena_printf(typing->arena, "%s;\n    ", prototype), "add '%s;' to the choreography",
             prototype);
}

static void report_difference(Typing *typing, LocalC *local, const CFunction *shown, const CFunction *known)
{
    const CalledName *called = &local->called.items[0];
    const char *role = typing->resolved->program->role_names[called->function->role];
    const char *name = arena_printf(typing->arena, "%s.%s", role, called->name);
    diag_error(typing->diags, called->span, "%s's '%s' is used here as '%s', but elsewhere as '%s'", role, called->name,
               prototype_text(typing->arena, shown, name), prototype_text(typing->arena, known, name));
    diag_note(typing->diags, called->function->first_use,
              "first used here; a prototype in the choreography settles it");
    suggest_prototype(typing, prototype_text(typing->arena, known, name));
    local->is_poisoned = true;
}

static bool learn_prototypes(Typing *typing)
{
    bool learned = false;
    size_t function_count = typing->resolved->functions.count;
    const CFunction **found = ARENA_ARRAY(typing->arena, const CFunction *, function_count + 1);
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        LocalC *local = typing->resolved->locals.items[i];
        if (!typing->typed[i] || !calls_unknown(typing, local))
            continue;
        const CFunction *shown = shown_prototype(typing, local);
        if (shown == NULL)
            continue;
        uint32_t id = local->called.items[0].function->id;
        if (found[id] != NULL && !same_prototype(found[id], shown))
            report_difference(typing, local, shown, found[id]);
        else if (found[id] == NULL)
            found[id] = shown;
    }
    for (size_t i = 0; i < function_count && i < typing->inferred_capacity; i++)
        if (found[i] != NULL && typing->inferred[i] == NULL) {
            typing->inferred[i] = found[i];
            learned = true;
        }
    return learned;
}

bool typing_learn(Typing *typing)
{
    CErrorList errors = {0};
    cunit_errors(typing->unit, &errors);
    bool learned = learn_unfit(typing);
    learned |= learn_arrays(typing);
    learned |= learn_plain(typing);
    learned |= learn_expressions(typing);
    learned |= learn_places(typing);
    learned |= learn_called(typing, &errors);
    learned |= learn_bitfields(typing, &errors);
    // A prototype may hang on a type that is not settled yet.
    return learned || learn_prototypes(typing);
}

// ---- types into the program ----

static void read_variables(Typing *typing, Instance *instance)
{
    for (size_t i = 0; i < instance->variables.count; i++) {
        Variable *variable = instance->variables.items[i];
        if (is_poisoned(variable))
            continue;
        variable->type = type_of(typing, 'v', variable->id);
        if (variable->type == NULL)
            variable->type = &POISON;
    }
    for (size_t i = 0; i < instance->counts.count; i++)
        instance->counts.items[i]->type = type_of(typing, 'v', instance->counts.items[i]->id);
    for (size_t i = 0; i < instance->params.count; i++) {
        Param *param = &instance->params.items[i];
        param->type = cunit_type_of(typing->unit, instance_type_name(typing, instance, param->declared));
    }
    for (size_t i = 0; i < instance->results.count; i++) {
        Result *result = &instance->results.items[i];
        const TreeResult *written = &instance->def->results.items[result->written];
        for (size_t k = 0; k < result->types.count; k++)
            result->types.items[k] =
                cunit_type_of(typing->unit, instance_type_name(typing, instance, &written->types.items[k]));
    }
}

static const CType *expression_type(Typing *typing, const LocalC *local)
{
    if (!typing->typed[local->id] || (local->wanted == NULL && calls_unknown(typing, local)))
        return &POISON;
    if (typing->expr_fact[local->id] != NULL)
        return typing->expr_fact[local->id];
    const CType *type = type_of(typing, 'x', local->id);
    return type != NULL ? type : void_type(typing, false);
}

static const CType *place_type(Typing *typing, const Pattern *pattern)
{
    const CType *type = type_of(typing, 't', local_c(pattern->expr)->id);
    return type != NULL ? type : &POISON;
}

static void read_pattern(Typing *typing, Pattern *pattern, const CType *value)
{
    pattern->type = value;
    if (pattern->kind == PATTERN_MATCH)
        pattern->shown = pieces_shown(typing, pattern->expr->span);
    if (pattern->kind == PATTERN_BIND)
        pattern->type = pattern->variables.items[0]->type;
    else if (pattern->kind == PATTERN_PLACE)
        pattern->type = place_type(typing, pattern);
    else if (pattern->kind == PATTERN_TUPLE)
        pattern->type = NULL;
    for (size_t i = 0; pattern->kind == PATTERN_STRUCT && i < pattern->parts.count; i++) {
        Pattern *part = pattern->parts.items[i];
        const CType *field = type_of(typing, 'q', part->id);
        read_pattern(typing, part, field != NULL ? field : &POISON);
    }
}

static void read_node(void *context, Node *node)
{
    Typing *typing = context;
    if (node->kind == NODE_AGREE)
        read_pattern(typing, node->target, NULL);
    if (node->kind == NODE_STEP && node->target != NULL)
        read_pattern(typing, node->target, node->value != NULL ? node->value->type : NULL);
    if (node->kind == NODE_DELIVERY && node->to.pattern->kind == PATTERN_TUPLE)
        for (size_t i = 0; i < node->sent.exprs.count; i++)
            read_pattern(typing, node->to.pattern->parts.items[i], node->sent.exprs.items[i]->type);
    else if (node->kind == NODE_DELIVERY)
        read_pattern(typing, node->to.pattern, node->sent.exprs.items[0]->type);
    for (size_t i = 0; node->kind == NODE_CALL && i < node->results.count; i++) {
        Pattern *pattern = node->results.items[i].pattern;
        const Result *result = call_result(node, i);
        for (size_t k = 0; k < result->types.count; k++)
            read_pattern(typing, pattern->kind == PATTERN_TUPLE ? pattern->parts.items[k] : pattern,
                         result->types.items[k]);
    }
}

// ---- facts, macros ----

static void read_facts(Typing *typing, LocalC *local)
{
    CExprFacts facts;
    Expr *expr = &local->expr;
    if (!typing->typed[local->id] || !cunit_expr_facts(typing->unit, local->id, &facts))
        return;
    expr->has_call |= facts.has_call;
    local->owner = facts.owner;
    local->assigned = facts.assigned;
    if (facts.owner != COWNER_NOBODY)
        return;
    expr->given = facts.type;
    if (!facts.is_cast_to_void)
        return;
    // `(void)make()` is there for its effect, and what it makes is dropped: the cast would be in the way.
    local->is_lost = facts.span.file == FILE_NONE;
    if (local->is_lost)
        expr->given = NULL;
    else
        expr->span = facts.span;
}

// A macro outside of parentheses may be `1, 2` or a block.
static void read_macros(Typing *typing, LocalC *local)
{
    for (size_t i = 0; !local->expr.is_braces && i < local->open_names.count; i++)
        if (cunit_name_kind(typing->unit, local->open_names.items[i]) == CNAME_MACRO)
            local->expr.needs_parentheses = true;
}

void typing_read(Typing *typing)
{
    Resolved *resolved = typing->resolved;
    pieces_begin(typing);
    for (size_t i = 0; i < resolved->program->instances.count; i++)
        read_variables(typing, resolved->program->instances.items[i]);
    for (size_t i = 0; i < resolved->locals.count; i++) {
        resolved->locals.items[i]->expr.type = expression_type(typing, resolved->locals.items[i]);
        read_facts(typing, resolved->locals.items[i]);
        if (typing->typed[i])
            pieces_cut(typing, resolved->locals.items[i]);
        read_macros(typing, resolved->locals.items[i]);
    }
    for (size_t i = 0; i < resolved->program->instances.count; i++)
        each_node(&resolved->program->instances.items[i]->body, read_node, typing);
    for (size_t i = 0; i < resolved->functions.count; i++) {
        RoleFunction *function = resolved->functions.items[i];
        if (function->proto != NULL)
            function->type = cunit_function(typing->unit, arena_printf(typing->arena, "chx_f%zu", i));
        else if (i < typing->inferred_capacity)
            function->type = typing->inferred[i];
    }
}
