// scene.c: from a definition's tree to what its diagram shows.

#include "tools/diagram/scene.h"

#include "base/text.h"
#include "tools/diagram/people.h"
#include "tools/diagram/words.h"

#include <string.h>

typedef struct {
    Words words;
    const Tree *tree;
    Scene *scene;
} Maker;

// ---- lifelines ----

static bool has_name(const NameList *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i].text, name) == 0)
            return true;
    return false;
}

static void add_lifelines(const Maker *maker, const NameList *names, const bool *is_family, const NameList *people,
                          const NameList *hidden)
{
    for (size_t i = 0; i < names->count; i++) {
        Lifeline line = {names->items[i].text, is_family[i]};
        if (has_name(people, line.name) && (hidden == NULL || !has_name(hidden, line.name)))
            vector_push(maker->words.arena, &maker->scene->lifelines, line);
    }
}

static LineSet lines_of(const Maker *maker, const NameList *people)
{
    LineSet lines = {0};
    for (size_t i = 0; i < maker->scene->lifelines.count; i++)
        if (has_name(people, maker->scene->lifelines.items[i].name))
            vector_push(maker->words.arena, &lines, i);
    return lines;
}

static LineSet lines_of_ref(const Maker *maker, const RoleRef *at, const Member *member)
{
    NameList people = {0};
    people_of_ref(maker->words.arena, at, member, &people);
    return lines_of(maker, &people);
}

// ---- items ----

static void add(const Maker *maker, Item item)
{
    item.text = item.text != NULL ? item.text : "";
    vector_push(maker->words.arena, &maker->scene->items, item);
}

// "Worker[0]: " where it is not clear from the lifeline who is meant, else "".
static const char *which(const Maker *maker, const RoleRef *at)
{
    for (size_t i = 0; i < at->names.count && i < at->selects.count; i++)
        if (at->selects.items[i].kind == SELECT_ONE)
            return arena_printf(maker->words.arena, "%s%s: ", at->names.items[i].text,
                                words_of(&maker->words, at->selects.items[i].span));
    return "";
}

static void add_delivery(const Maker *maker, const Stmt *stmt, const Member *member)
{
    LineSet from = lines_of_ref(maker, &stmt->expr->at, member);
    LineSet to = lines_of_ref(maker, &stmt->target.at, member), others = {0};
    if (from.count == 0 || to.count == 0)
        return;
    const char *value = words_of_expr(&maker->words, stmt->expr);
    const char *target = words_of_target(&maker->words, stmt->target.target);
    const char *text = arena_printf(maker->words.arena, "%s%s", which(maker, &stmt->expr->at), value);
    if (strcmp(value, target) != 0 || which(maker, &stmt->target.at)[0] != '\0')
        text = arena_printf(maker->words.arena, "%s → %s%s", text, which(maker, &stmt->target.at), target);
    for (size_t i = 0; i < to.count; i++)
        if (to.items[i] != from.items[0] || to.count == 1)
            vector_push(maker->words.arena, &others, to.items[i]);
    add(maker, (Item){ITEM_MESSAGE, .from = from.items[0], .lines = others, .text = text, .span = stmt->span});
}

static void add_assignment(const Maker *maker, const Stmt *stmt, const Member *member)
{
    // A declaration without a value is nothing that happens.
    if (stmt->op == NULL)
        return;
    const char *target = words_of_target(&maker->words, stmt->target.target);
    const char *value = stmt->value.span.file == FILE_NONE || stmt->value.span.start >= stmt->value.span.end
                            ? ""
                            : words_of(&maker->words, stmt->value.span);
    const char *text = value[0] == '\0' ? arena_printf(maker->words.arena, "%s%s", target, stmt->op)
                                        : arena_printf(maker->words.arena, "%s %s %s", target, stmt->op, value);
    add(maker,
        (Item){ITEM_STEP, .lines = lines_of_ref(maker, &stmt->target.at, member), .text = text, .span = stmt->span});
}

static void add_call(const Maker *maker, const Stmt *stmt, const Member *member)
{
    NameList people = {0};
    people_of_stmt(maker->words.arena, maker->tree, stmt, member, &people);
    const char *text = words_of(&maker->words, stmt->span);
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == ';')
        text = arena_copy(maker->words.arena, text, length - 1);
    const char *name = stmt->call->function.text;
    const char *target = name != NULL && people_find_def(maker->tree, name) != NULL ? name : NULL;
    add(maker,
        (Item){ITEM_CALL, .lines = lines_of(maker, &people), .text = text, .target = target, .span = stmt->span});
}

static void add_return(const Maker *maker, const Stmt *stmt, const Member *member)
{
    if (stmt->call != NULL) {
        add_call(maker, stmt, member);
        return;
    }
    if (stmt->values.count == 0)
        add(maker, (Item){ITEM_LEAVE, .text = "return", .span = stmt->span});
    for (size_t i = 0; i < stmt->values.count; i++) {
        const TreeExpr *value = stmt->values.items[i];
        const char *text = arena_printf(maker->words.arena, "result: %s", words_of_expr(&maker->words, value));
        add(maker,
            (Item){ITEM_RETURN, .lines = lines_of_ref(maker, &value->at, member), .text = text, .span = value->span});
    }
}

// ---- frames ----

static void add_block(const Maker *maker, const TreeBlock *block, const Member *member);

static void open(const Maker *maker, const Stmt *stmt, const Member *member, FrameKind frame, const char *word,
                 const char *text)
{
    NameList people = {0};
    people_of_stmt(maker->words.arena, maker->tree, stmt, member, &people);
    Span head = stmt->span;
    if (stmt->body.span.file == head.file && stmt->body.span.start > head.start)
        head.end = stmt->body.span.start;
    add(maker,
        (Item){ITEM_OPEN, .frame = frame, .lines = lines_of(maker, &people), .word = word, .text = text, .span = head});
}

static void divide(const Maker *maker, FrameKind frame, const char *word, const char *text, Span span)
{
    add(maker, (Item){ITEM_DIVIDE, .frame = frame, .word = word, .text = text, .span = span});
}

static void close(const Maker *maker, FrameKind frame)
{
    add(maker, (Item){ITEM_CLOSE, .frame = frame, .span = SPAN_NONE});
}

// "Buyer: price < budget"
static const char *condition(const Maker *maker, const TreeExpr *expr)
{
    const char *value = words_of_expr(&maker->words, expr);
    return arena_printf(maker->words.arena, "%s: %s", words_of(&maker->words, expr->at.span), value);
}

// What is written between two places of the source.
static const char *between(const Maker *maker, Span from, uint32_t start, uint32_t end)
{
    return words_of(&maker->words, (Span){from.file, start, end > start ? end : start});
}

static void add_if(const Maker *maker, const Stmt *stmt, const Member *member)
{
    open(maker, stmt, member, FRAME_CHOICE, "if", condition(maker, stmt->expr));
    add_block(maker, &stmt->body, member);
    while (stmt->has_otherwise) {
        const StmtList *rest = &stmt->otherwise.statements;
        bool is_chain = rest->count == 1 && rest->items[0]->kind == STMT_IF;
        if (!is_chain) {
            divide(maker, FRAME_CHOICE, "else", "", stmt->otherwise.span);
            add_block(maker, &stmt->otherwise, member);
            break;
        }
        stmt = rest->items[0];
        divide(maker, FRAME_CHOICE, "else if", condition(maker, stmt->expr), stmt->expr->span);
        add_block(maker, &stmt->body, member);
    }
    close(maker, FRAME_CHOICE);
}

static void add_switch(const Maker *maker, const Stmt *stmt, const Member *member)
{
    open(maker, stmt, member, FRAME_CHOICE, "switch", condition(maker, stmt->expr));
    for (size_t i = 0; i < stmt->cases.count; i++) {
        const TreeCase *each = &stmt->cases.items[i];
        Text labels;
        text_init(&labels, maker->words.arena);
        for (size_t k = 0; k < each->labels.count; k++)
            text_printf(&labels, "%s%s", k > 0 ? ", " : "", words_of(&maker->words, each->labels.items[k].span));
        bool is_default = each->has_default && each->labels.count == 0;
        divide(maker, FRAME_CHOICE, is_default ? "default" : "case", labels.chars, each->span);
        add_block(maker, &each->body, member);
    }
    close(maker, FRAME_CHOICE);
}

// "Alice.int i = 0; Alice.(i < 3); Alice.i++"
static const char *for_head(const Maker *maker, const Stmt *stmt)
{
    const char *text = between(maker, stmt->span, stmt->span.start, stmt->body.span.start);
    const char *open_at = strchr(text, '('), *close_at = strrchr(text, ')');
    if (open_at == NULL || close_at == NULL || close_at <= open_at)
        return "";
    text = arena_copy(maker->words.arena, open_at + 1, (size_t)(close_at - open_at - 1));
    return strcmp(text, ";;") == 0 || strcmp(text, "; ;") == 0 ? "for ever" : text;
}

static void add_loop(const Maker *maker, const Stmt *stmt, const Member *member)
{
    Member inner = {stmt->member.text, stmt->family.text, member};
    const char *text = stmt->kind == STMT_FOR ? for_head(maker, stmt)
                       : stmt->kind == STMT_EACH
                           ? arena_printf(maker->words.arena, "%s of %s", inner.name, inner.family)
                           : condition(maker, stmt->expr);
    const char *word = stmt->kind == STMT_EACH ? "each" : stmt->kind == STMT_DO ? "do while" : "loop";
    open(maker, stmt, member, FRAME_LOOP, word, text);
    if (stmt->kind == STMT_EACH)
        member = &inner;
    add_block(maker, &stmt->body, member);
    close(maker, FRAME_LOOP);
}

static void add_par(const Maker *maker, const Stmt *stmt, const Member *member)
{
    Member inner = {stmt->member.text, stmt->family.text, member};
    bool is_each = stmt->member.text != NULL;
    open(maker, stmt, member, FRAME_PAR, "par",
         is_each ? arena_printf(maker->words.arena, "%s of %s", inner.name, inner.family) : "");
    for (size_t i = 0; i < stmt->arms.count; i++) {
        if (i > 0)
            divide(maker, FRAME_PAR, "and", "", stmt->arms.items[i].span);
        add_block(maker, &stmt->arms.items[i], is_each ? &inner : member);
    }
    close(maker, FRAME_PAR);
}

static void add_checkpoint(const Maker *maker, const Stmt *stmt, const Member *member)
{
    static const char word[] = "checkpoint";
    const char *text = between(maker, stmt->span, stmt->span.start, stmt->body.span.start);
    if (strncmp(text, word, sizeof word - 1) == 0)
        text += sizeof word - 1;
    text += strspn(text, " ");
    open(maker, stmt, member, FRAME_CHECKPOINT, word, text);
    add_block(maker, &stmt->body, member);
    if (stmt->has_otherwise) {
        const char *fault = stmt->fault.text != NULL ? arena_printf(maker->words.arena, "(%s)", stmt->fault.text) : "";
        divide(maker, FRAME_CHECKPOINT, "rescue", fault, stmt->otherwise.span);
        add_block(maker, &stmt->otherwise, member);
    }
    close(maker, FRAME_CHECKPOINT);
}

static void add_stmt(const Maker *maker, const Stmt *stmt, const Member *member)
{
    switch (stmt->kind) {
    case STMT_DELIVERY:
        add_delivery(maker, stmt, member);
        return;
    case STMT_ASSIGN:
        add_assignment(maker, stmt, member);
        return;
    case STMT_LOCAL:
        add(maker, (Item){ITEM_STEP, .lines = lines_of_ref(maker, &stmt->expr->at, member),
                          .text = words_of_expr(&maker->words, stmt->expr), .span = stmt->span});
        return;
    case STMT_CALL:
        add_call(maker, stmt, member);
        return;
    case STMT_IF:
        add_if(maker, stmt, member);
        return;
    case STMT_SWITCH:
        add_switch(maker, stmt, member);
        return;
    case STMT_WHILE:
    case STMT_DO:
    case STMT_FOR:
    case STMT_EACH:
        add_loop(maker, stmt, member);
        return;
    case STMT_PAR:
        add_par(maker, stmt, member);
        return;
    case STMT_BREAK:
        if (!stmt->ends_case)
            add(maker, (Item){ITEM_LEAVE, .text = "break", .span = stmt->span});
        return;
    case STMT_CONTINUE:
        add(maker, (Item){ITEM_LEAVE, .text = "continue", .span = stmt->span});
        return;
    case STMT_RETURN:
        add_return(maker, stmt, member);
        return;
    case STMT_CHECKPOINT:
        add_checkpoint(maker, stmt, member);
        return;
    case STMT_BLOCK:
        add_block(maker, &stmt->body, member);
        return;
    }
}

static void add_block(const Maker *maker, const TreeBlock *block, const Member *member)
{
    for (size_t i = 0; i < block->statements.count; i++)
        add_stmt(maker, block->statements.items[i], member);
}

// ---- a definition ----

// "run(Sensor.int rounds) -> Thermostat.int": what is written between `def` and the body.
static const char *signature_of(const Maker *maker, const TreeDef *def)
{
    return between(maker, def->span, def->name.span.start, def->body.span.start);
}

static void find_people(const Maker *maker, const TreeDef *def, NameList *people)
{
    for (size_t i = 0; i < def->params.count; i++)
        if (!def->params.items[i].is_function)
            people_of_ref(maker->words.arena, &def->params.items[i].at, NULL, people);
    people_of_block(maker->words.arena, maker->tree, &def->body, NULL, people);
    for (size_t i = 0; i < def->results.count; i++)
        people_of_ref(maker->words.arena, &def->results.items[i].at, NULL, people);
}

Scene *scene_new(Arena *arena, const Sources *sources, const Tree *tree, const TreeDef *def)
{
    Scene *scene = ARENA_NEW(arena, Scene);
    Maker maker = {{arena, sources}, tree, scene};
    scene->choreography = tree->name.text;
    scene->name = def->name.text;
    scene->signature = signature_of(&maker, def);
    scene->span = def->span;
    NameList people = {0};
    find_people(&maker, def, &people);
    // A role parameter may have the name of a role.
    add_lifelines(&maker, &tree->roles, tree->is_family.items, &people, &def->role_params);
    add_lifelines(&maker, &def->role_params, def->param_is_family.items, &people, NULL);
    add_block(&maker, &def->body, NULL);
    return scene;
}

static bool has_same_lines(const Item *a, const Item *b)
{
    return a->lines.count == b->lines.count &&
           (a->lines.count == 0 ||
            memcmp(a->lines.items, b->lines.items, a->lines.count * sizeof a->lines.items[0]) == 0);
}

size_t scene_last_step(const Scene *scene, size_t at)
{
    const Item *items = scene->items.items;
    size_t end = at;
    while (items[at].kind == ITEM_STEP && end + 1 < scene->items.count && items[end + 1].kind == ITEM_STEP &&
           has_same_lines(&items[at], &items[end + 1]))
        end++;
    return end;
}

size_t scene_nearest(const Item *message)
{
    for (size_t i = 0; i < message->lines.count; i++)
        if (message->lines.items[i] > message->from)
            return message->lines.items[i];
    return message->lines.items[message->lines.count - 1];
}
