// part.c: see part.h.

#include "compiler/check/part.h"

#include "base/check.h"
#include "base/text.h"

#include <inttypes.h>

// ---- pointers by pair ----

struct PairEntry {
    const void *what; // NULL: empty
    RoleId role;
    void *value;
};

void pairmap_init(PairMap *map, Arena *arena)
{
    *map = (PairMap){.arena = arena};
}

static struct PairEntry *pair_find(struct PairEntry *entries, size_t capacity, const void *what, RoleId role)
{
    uint64_t hash = ((uint64_t)(uintptr_t)what ^ (uint64_t)role << 48) * 0x9e3779b97f4a7c15u;
    size_t index = (size_t)(hash >> 20) & (capacity - 1);
    while (entries[index].what != NULL && (entries[index].what != what || entries[index].role != role))
        index = (index + 1) & (capacity - 1);
    return &entries[index];
}

void **pairmap_at(PairMap *map, const void *what, RoleId role)
{
    if (map->count * 2 >= map->capacity) {
        size_t capacity = map->capacity == 0 ? 8 : map->capacity * 2;
        struct PairEntry *entries = ARENA_ARRAY(map->arena, struct PairEntry, capacity);
        for (size_t i = 0; i < map->capacity; i++)
            if (map->entries[i].what != NULL)
                *pair_find(entries, capacity, map->entries[i].what, map->entries[i].role) = map->entries[i];
        map->entries = entries;
        map->capacity = capacity;
    }
    struct PairEntry *entry = pair_find(map->entries, map->capacity, what, role);
    if (entry->what == NULL) {
        *entry = (struct PairEntry){what, role, NULL};
        map->count++;
    }
    return &entry->value;
}

void *pairmap_get(const PairMap *map, const void *what, RoleId role)
{
    return map->capacity == 0 ? NULL : pair_find(map->entries, map->capacity, what, role)->value;
}

void parts_init(Parts *parts, Arena *arena, const Program *program, const Knowledge *knowledge)
{
    *parts = (Parts){.arena = arena, .program = program, .knowledge = knowledge};
    map_init(&parts->ids, arena);
    pairmap_init(&parts->lists, arena);
    pairmap_init(&parts->called, arena);
}

void parts_forget(Parts *parts)
{
    pairmap_init(&parts->lists, parts->arena);
}

uint32_t parts_id(Parts *parts, const char *text)
{
    uint32_t id = (uint32_t)(uintptr_t)map_get(&parts->ids, text);
    if (id == 0) {
        id = ++parts->id_count;
        map_put(&parts->ids, text, (void *)(uintptr_t)id);
    }
    return id;
}

// ---- a part under construction ----

typedef struct {
    Parts *parts;
    RoleId role;
    Text text;
    MentionedList mentioned;
    PairMap numbers; // by thing: its place in `mentioned`, from 1
} Writer;

static void writer_init(Writer *writer, Parts *parts, RoleId role)
{
    *writer = (Writer){.parts = parts, .role = role};
    text_init(&writer->text, parts->arena);
    pairmap_init(&writer->numbers, parts->arena);
}

// Returns the number; true in `is_new`: it was not mentioned before.
static size_t put_thing(Writer *writer, const void *thing, bool is_inside, bool *is_new)
{
    void **place = pairmap_at(&writer->numbers, thing, 0);
    *is_new = *place == NULL;
    if (*is_new) {
        vector_push(writer->parts->arena, &writer->mentioned, ((Mentioned){.thing = thing}));
        *place = (void *)(uintptr_t)writer->mentioned.count;
    }
    size_t number = (size_t)(uintptr_t)*place;
    writer->mentioned.items[number - 1].is_inside |= is_inside;
    text_printf(&writer->text, "#%zu", number);
    return number;
}

// Text of unknown content: with its length, so that it can't be mistaken for something else.
static void put_string(Writer *writer, const char *string)
{
    if (string == NULL)
        text_puts(&writer->text, "-;");
    else
        text_printf(&writer->text, "%zu:%s;", strlen(string), string);
}

static void put_type(Writer *writer, const CType *type)
{
    put_string(writer, type != NULL ? type->canonical : NULL);
}

// A view is another one in each statement that has one.
static void put_view(Writer *writer, RoleId view, bool is_inside)
{
    bool is_new;
    text_puts(&writer->text, "m");
    put_thing(writer, &writer->parts->program->role_of[view], is_inside, &is_new);
}

static void put_role(Writer *writer, RoleId role)
{
    if (writer->parts->program->role_of[role] != role)
        put_view(writer, role, false);
    else
        text_printf(&writer->text, "%" PRIu32, role);
    text_puts(&writer->text, ",");
}

static void put_roles(Writer *writer, const RoleSet *roles)
{
    text_puts(&writer->text, "{");
    for (ROLESET_EACH(role, roles))
        put_role(writer, role);
    text_puts(&writer->text, "}");
}

static bool is_own(const Writer *writer, RoleId role)
{
    return writer->parts->program->role_of[role] == writer->role;
}

static bool has_own(const Writer *writer, const RoleSet *roles)
{
    return set_has_role(writer->parts->program, roles, writer->role);
}

// Who of the family is among them; a single role's part is all its own.
static void put_own(Writer *writer, const RoleSet *roles)
{
    if (!writer->parts->program->is_family[writer->role])
        return;
    text_puts(&writer->text, "{");
    for (ROLESET_EACH(role, roles))
        if (is_own(writer, role))
            put_role(writer, role);
    text_puts(&writer->text, "}");
}

// ---- C ----

static void put_variable(Writer *writer, const VariableList *variables, bool declares)
{
    for (size_t i = 0; i < variables->count; i++) {
        const Variable *variable = variables->items[i];
        bool is_new = false;
        if (variable->role != writer->role)
            continue;
        if (variable->is_fixed) {
            text_printf(&writer->text, "=%zu;", variable->fixed);
            return;
        }
        put_thing(writer, variable, declares, &is_new);
        if (is_new)
            put_type(writer, variable->type);
        return;
    }
}

// `__LINE__` and the like are not the same in two places, whatever they look like.
static bool depends_on_place(const char *text)
{
    return strstr(text, "__LINE__") != NULL || strstr(text, "__COUNTER__") != NULL;
}

static void put_expr(Writer *writer, const Expr *expr)
{
    text_puts(&writer->text, "E");
    if (expr == NULL)
        return;
    put_type(writer, expr->type);
    put_type(writer, expr->given);
    for (size_t i = 0; i < expr->pieces.count; i++) {
        const Piece *piece = &expr->pieces.items[i];
        switch (piece->kind) {
        case PIECE_TEXT:
            put_string(writer, piece->line);
            if (depends_on_place(piece->line))
                text_printf(&writer->text, "@%" PRIu32 ",%" PRIu32, (uint32_t)expr->span.file, expr->span.start);
            break;
        case PIECE_VARIABLE:
            put_variable(writer, &piece->variables, false);
            break;
        case PIECE_FUNCTION:
            text_printf(&writer->text, "f%" PRIu32 "%s", piece->function->id, piece->is_called ? "()" : "");
            break;
        }
    }
}

static void put_value(Writer *writer, const Value *value)
{
    text_puts(&writer->text, value->is_tuple ? "T(" : "V(");
    for (size_t i = 0; i < value->exprs.count; i++)
        put_expr(writer, value->exprs.items[i]);
    text_puts(&writer->text, ")");
}

static void put_pattern(Writer *writer, const Pattern *pattern)
{
    text_puts(&writer->text, "P");
    if (pattern == NULL)
        return;
    text_printf(&writer->text, "%d%s", (int)pattern->kind, pattern->is_bitfield ? "b" : "");
    put_type(writer, pattern->type);
    put_string(writer, pattern->field);
    if (pattern->kind == PATTERN_BIND)
        put_variable(writer, &pattern->variables, pattern->declares);
    if (pattern->expr != NULL)
        put_expr(writer, pattern->expr);
    text_puts(&writer->text, "(");
    for (size_t i = 0; i < pattern->parts.count; i++)
        put_pattern(writer, pattern->parts.items[i]);
    text_puts(&writer->text, ")");
}

// ---- simple statements ----

static void put_step(Writer *writer, const Node *node)
{
    text_puts(&writer->text, "step");
    put_own(writer, &node->at);
    put_string(writer, node->op);
    put_pattern(writer, node->target);
    put_expr(writer, node->value);
}

// What travels: see message_types() in project.c.
static void put_message_types(Writer *writer, const Node *node)
{
    const Pattern *pattern = node->to.pattern;
    bool is_tuple = pattern->kind == PATTERN_TUPLE || node->sent.is_tuple;
    text_puts(&writer->text, is_tuple ? "tuple" : "one");
    if (!is_tuple && pattern->type != NULL) {
        put_type(writer, pattern->type);
        return;
    }
    for (size_t i = 0; i < node->sent.exprs.count; i++) {
        bool has_part = pattern->kind == PATTERN_TUPLE && i < pattern->parts.count;
        const CType *type = has_part ? pattern->parts.items[i]->type : NULL;
        put_type(writer, type != NULL ? type : node->sent.exprs.items[i]->type);
    }
}

static void put_delivery(Writer *writer, const Node *node)
{
    RoleSet to = roleset_copy(writer->parts->arena, &node->to.at);
    bool is_sender = is_own(writer, node->from);
    roleset_remove(&to, node->from);
    if (is_sender) {
        text_puts(&writer->text, "send");
        put_role(writer, node->from);
        put_roles(writer, &to);
        put_value(writer, &node->sent);
    }
    if (has_own(writer, &to)) {
        text_puts(&writer->text, "receive");
        put_own(writer, &to);
        put_role(writer, node->from);
    }
    put_message_types(writer, node);
    if (has_own(writer, &node->to.at))
        put_pattern(writer, node->to.pattern);
}

static void put_called(Writer *writer, const Instance *callee)
{
    Parts *parts = writer->parts;
    void **place = pairmap_at(&parts->called, callee, writer->role);
    if (*place == NULL) {
        Called *called = ARENA_NEW(parts->arena, Called);
        *called = (Called){.instance = callee, .role = writer->role};
        vector_push(parts->arena, &parts->all_called, called);
        *place = called;
    }
    if (parts->is_cautious)
        text_printf(&writer->text, "i%" PRIu32, callee->id);
    else
        text_printf(&writer->text, "c%" PRIu32, ((Called *)*place)->class);
}

static void put_call(Writer *writer, const Node *node)
{
    const Knowledge *knowledge = writer->parts->knowledge;
    text_puts(&writer->text, "call");
    put_own(writer, &knowledge->acting[node->site]);
    if (has_own(writer, &knowledge->part[node->callee->id]))
        put_called(writer, node->callee);
    for (size_t i = 0; i < node->callee->members.count; i++)
        put_role(writer, given_role(node, node->callee->members.items[i]->view));
    for (size_t i = 0; i < node->args.count; i++)
        if (has_own(writer, &node->args.items[i].at)) {
            put_own(writer, &node->args.items[i].at);
            put_value(writer, &node->args.items[i]);
        }
    for (size_t i = 0; i < node->results.count; i++)
        if (has_own(writer, &node->results.items[i].at)) {
            put_own(writer, &node->results.items[i].at);
            put_pattern(writer, node->results.items[i].pattern);
        }
}

static void put_return(Writer *writer, const Node *node)
{
    const Instance *instance = writer->parts->instance;
    if (node->callee != NULL)
        put_call(writer, node);
    text_puts(&writer->text, "return");
    for (size_t i = 0; i < node->values.count && i < instance->results.count; i++)
        if (has_own(writer, &instance->results.items[i].at)) {
            put_own(writer, &instance->results.items[i].at);
            put_value(writer, &node->values.items[i]);
        }
}

static void put_jump(Writer *writer, const Node *node)
{
    bool is_new;
    text_puts(&writer->text, node->kind == NODE_BREAK ? "break" : "continue");
    put_thing(writer, node->loop_node, false, &is_new);
}

// ---- statements with others inside ----

static void put_list(Writer *writer, const NodeList *list)
{
    const Part *part = part_of_list(writer->parts, list, writer->role);
    bool is_new;
    text_printf(&writer->text, "[%" PRIu32, part->id);
    for (size_t i = 0; i < part->mentioned.count; i++)
        put_thing(writer, part->mentioned.items[i].thing, part->mentioned.items[i].is_inside, &is_new);
    text_puts(&writer->text, "]");
}

// How the role learns the outcome, and whom it tells.
static void put_decide(Writer *writer, const Node *node)
{
    const Knowledge *knowledge = writer->parts->knowledge;
    if (node->condition == NULL)
        return;
    RoleId teller = teller_of(writer->parts->program, &node->deciders);
    const MergeList *merges = &knowledge->merges[node->site];
    const RoleSet *told = &knowledge->told[node->site];
    if (has_own(writer, &node->deciders)) {
        put_roles(writer, &node->deciders);
        put_expr(writer, node->condition);
        text_puts(&writer->text, "tells{");
        for (ROLESET_EACH(role, told))
            if (is_own(writer, teller) && merge_find(merges, role) == NULL)
                put_role(writer, role);
        text_puts(&writer->text, "}");
    }
    if (!has_own(writer, told))
        return;
    const Merge *merge = merge_find(merges, writer->role);
    text_puts(&writer->text, merge != NULL ? "by" : "told");
    put_own(writer, told);
    put_role(writer, merge != NULL ? merge->peer : teller);
}

static void put_choice(Writer *writer, const Node *node)
{
    text_puts(&writer->text, node->is_switch ? "switch" : "if");
    put_decide(writer, node);
    bool decides = has_own(writer, &node->deciders);
    for (size_t i = 0; i < node->branches.count; i++) {
        const Branch *branch = &node->branches.items[i];
        for (size_t k = 0; decides && k < branch->labels.count; k++)
            put_expr(writer, branch->labels.items[k]);
        text_puts(&writer->text, decides && branch->is_default ? "default" : "");
        put_list(writer, &branch->body);
    }
}

static void put_loop(Writer *writer, const Node *node)
{
    bool is_new;
    text_printf(&writer->text, "loop%d", (int)node->loop);
    put_thing(writer, node, true, &is_new);
    put_decide(writer, node);
    put_list(writer, &node->body);
    put_list(writer, &node->step);
}

static void put_each(Writer *writer, const Node *node)
{
    bool is_new;
    text_printf(&writer->text, "each%" PRIu32, node->family);
    put_thing(writer, node, true, &is_new);
    put_view(writer, node->view, true);
    put_variable(writer, &node->positions, true);
    put_expr(writer, node->index);
    put_list(writer, &node->body);
}

// The name of a block in which single members take part depends on who they are: it is the same as itself only.
static bool has_views(const Program *program, const RoleSet *roles)
{
    for (ROLESET_EACH(role, roles))
        if (program->role_of[role] != role)
            return true;
    return false;
}

static void put_checkpoint(Writer *writer, const Node *node)
{
    if (has_views(writer->parts->program, &writer->parts->knowledge->acting[node->site]))
        text_printf(&writer->text, "%" PRIu32, node->site);
    text_printf(&writer->text, "checkpoint%s%s%s%s%s", node->is_round ? "R" : "", node->has_rescue ? "r" : "",
                node->has_within ? "w" : "", node->has_retry ? "n" : "", node->is_durable ? "d" : "");
    text_printf(&writer->text, "%" PRIu64 ",%" PRIu32, node->within_ns, node->retry);
    put_roles(writer, &writer->parts->knowledge->acting[node->site]);
    put_variable(writer, &node->fault_variables, true);
    put_list(writer, &node->body);
    if (node->has_rescue)
        put_list(writer, &node->rescue);
}

static void put_node(Writer *writer, const Node *node)
{
    switch (node->kind) {
    case NODE_STEP:
        put_step(writer, node);
        break;
    case NODE_DELIVERY:
        put_delivery(writer, node);
        break;
    case NODE_AGREE: // the same as itself only
        text_printf(&writer->text, "agree%" PRIu32, node->site);
        break;
    case NODE_CALL:
        put_call(writer, node);
        break;
    case NODE_RETURN:
        put_return(writer, node);
        break;
    case NODE_BREAK:
    case NODE_CONTINUE:
        put_jump(writer, node);
        break;
    case NODE_CHOICE:
        put_choice(writer, node);
        break;
    case NODE_LOOP:
        put_loop(writer, node);
        break;
    case NODE_EACH:
        put_each(writer, node);
        break;
    case NODE_PAR: // each is another one
    case NODE_ARM:
        text_printf(&writer->text, "par %u", node->site);
        break;
    case NODE_CHECKPOINT:
        put_checkpoint(writer, node);
        break;
    case NODE_BLOCK:
        CHECK(false);
    }
    text_puts(&writer->text, "\n");
}

// ---- lists and functions ----

// A role that is not involved in a statement whose end can't be reached goes where its first way leads, as in project.c.
static void add_part_nodes(const Parts *parts, const Node *node, RoleId role, PartNodes *nodes)
{
    const Knowledge *knowledge = parts->knowledge;
    bool is_involved = set_has_role(parts->program, &knowledge->acting[node->site], role);
    switch (node->kind) {
    case NODE_BLOCK:
        part_nodes(parts, &node->body, role, nodes);
        return;
    case NODE_BREAK:
    case NODE_CONTINUE:
    case NODE_RETURN:
        vector_push(parts->arena, nodes, node);
        return;
    case NODE_CHOICE:
        if (set_has_role(parts->program, &knowledge->unaware[node->site], role) ||
            (!is_involved && !knowledge->completes[node->site])) {
            part_nodes(parts, &node->branches.items[0].body, role, nodes);
            return;
        }
        break;
    case NODE_CHECKPOINT:
        if (!is_involved && !knowledge->completes[node->site]) {
            part_nodes(parts, &node->body, role, nodes);
            return;
        }
        break;
    case NODE_STEP:
    case NODE_DELIVERY:
    case NODE_AGREE:
    case NODE_CALL:
    case NODE_LOOP:
    case NODE_EACH:
    case NODE_PAR:
    case NODE_ARM:
        break;
    }
    if (is_involved)
        vector_push(parts->arena, nodes, node);
}

void part_nodes(const Parts *parts, const NodeList *list, RoleId role, PartNodes *nodes)
{
    for (size_t i = 0; i < list->count; i++) {
        add_part_nodes(parts, list->items[i], role, nodes);
        if (!parts->knowledge->completes[list->items[i]->site])
            return;
    }
}

const Part *part_of_list(Parts *parts, const NodeList *list, RoleId role)
{
    void **known = pairmap_at(&parts->lists, list, role);
    if (*known != NULL)
        return *known;
    PartNodes nodes = {0};
    Writer writer;
    writer_init(&writer, parts, role);
    part_nodes(parts, list, role, &nodes);
    for (size_t i = 0; i < nodes.count; i++)
        put_node(&writer, nodes.items[i]);
    Part *part = ARENA_NEW(parts->arena, Part);
    part->id = parts_id(parts, writer.text.chars);
    part->mentioned = writer.mentioned;
    *pairmap_at(&parts->lists, list, role) = part;
    return part;
}

uint32_t part_of_instance(Parts *parts, const Called *called)
{
    const Instance *instance = called->instance;
    const Result *result = instance_result(instance, called->role);
    Writer writer;
    writer_init(&writer, parts, called->role);
    parts->instance = instance;
    text_printf(&writer.text, "function%" PRIu32, called->class);
    for (size_t i = 0; i < instance->params.count; i++)
        put_variable(&writer, &instance->params.items[i].variables, true);
    text_puts(&writer.text, result != NULL && result->is_tuple ? "tuple" : "");
    for (size_t i = 0; result != NULL && i < result->types.count; i++)
        put_type(&writer, result->types.items[i]);
    put_list(&writer, &instance->body);
    return parts_id(parts, writer.text.chars);
}

static bool mentions_differ(const MentionedList *one, const MentionedList *other)
{
    if (one->count != other->count)
        return true;
    for (size_t i = 0; i < one->count; i++)
        if (one->items[i].thing != other->items[i].thing && !(one->items[i].is_inside && other->items[i].is_inside))
            return true;
    return false;
}

Difference parts_difference(Parts *parts, const NodeList *one, const NodeList *other, RoleId role)
{
    PartNodes ones = {0}, others = {0};
    Writer first, second;
    writer_init(&first, parts, role);
    writer_init(&second, parts, role);
    part_nodes(parts, one, role, &ones);
    part_nodes(parts, other, role, &others);
    for (size_t i = 0; i < ones.count || i < others.count; i++) {
        Difference at = {i, i < ones.count ? ones.items[i] : NULL, i < others.count ? others.items[i] : NULL};
        if (at.one == NULL || at.other == NULL)
            return at;
        put_node(&first, at.one);
        put_node(&second, at.other);
        if (strcmp(first.text.chars, second.text.chars) != 0 || mentions_differ(&first.mentioned, &second.mentioned))
            return at;
    }
    return (Difference){0};
}

bool parts_same(const Part *one, const Part *other)
{
    if (one->id != other->id)
        return false;
    CHECK(one->mentioned.count == other->mentioned.count);
    return !mentions_differ(&one->mentioned, &other->mentioned);
}
