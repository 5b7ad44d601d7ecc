// flow.c: a scene, as one of its lifelines sees it.

#include "tools/diagram/flow.h"

#include <string.h>

typedef struct {
    Arena *arena;
    const Scene *scene;
    size_t line, at; // the item that is looked at
} Reader;

static bool has_line(const LineSet *lines, size_t line)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i] == line)
            return true;
    return false;
}

static const char *line_title(const Reader *reader, size_t line)
{
    const Lifeline *lifeline = &reader->scene->lifelines.items[line];
    return lifeline->is_family ? arena_printf(reader->arena, "%s[]", lifeline->name) : lifeline->name;
}

static const char *receivers(const Reader *reader, const Item *item)
{
    Text text;
    text_init(&text, reader->arena);
    for (size_t i = 0; i < item->lines.count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", line_title(reader, item->lines.items[i]));
    return text.chars;
}

static void add(const Reader *reader, FlowPart *part, FlowKind kind, const char *text, Span span)
{
    FlowNode *node = ARENA_NEW(reader->arena, FlowNode);
    *node = (FlowNode){.kind = kind, .text = text, .span = span};
    vector_push(reader->arena, &part->nodes, node);
}

// A member of a family may send to another one: then it does both.
static void add_message(const Reader *reader, FlowPart *part, const Item *item)
{
    if (item->from == reader->line)
        add(reader, part, FLOW_SEND, arena_printf(reader->arena, "to %s: %s", receivers(reader, item), item->text),
            item->span);
    if (has_line(&item->lines, reader->line))
        add(reader, part, FLOW_RECEIVE,
            arena_printf(reader->arena, "from %s: %s", line_title(reader, item->from), item->text), item->span);
}

static void add_item(const Reader *reader, FlowPart *part, const Item *item)
{
    static const FlowKind kinds[] = {
        [ITEM_STEP] = FLOW_STEP, [ITEM_CALL] = FLOW_CALL, [ITEM_RETURN] = FLOW_RETURN, [ITEM_LEAVE] = FLOW_LEAVE};
    if (item->kind == ITEM_MESSAGE)
        add_message(reader, part, item);
    else if (has_line(&item->lines, reader->line) || item->kind == ITEM_LEAVE)
        add(reader, part, kinds[item->kind], item->text, item->span);
}

// A return ends the function for all roles, whoever has a result. Those of one statement stand one behind the other.
static void add_return(Reader *reader, FlowPart *part, size_t first)
{
    const Scene *scene = reader->scene;
    size_t count = part->nodes.count;
    reader->at = first;
    for (; reader->at < scene->items.count && scene->items.items[reader->at].kind == ITEM_RETURN; reader->at++)
        if (has_line(&scene->items.items[reader->at].lines, reader->line))
            add(reader, part, FLOW_RETURN, scene->items.items[reader->at].text, scene->items.items[reader->at].span);
    if (part->nodes.count == count)
        add(reader, part, FLOW_LEAVE, "return", scene->items.items[first].span);
}

static void read_part(Reader *reader, FlowPart *part);

// Is there anything in it that the role does?
static bool part_does(const FlowPart *part)
{
    for (size_t i = 0; i < part->nodes.count; i++) {
        const FlowNode *node = part->nodes.items[i];
        bool does = node->parts.count == 0 && node->kind != FLOW_LEAVE;
        for (size_t k = 0; k < node->parts.count && !does; k++)
            does = part_does(&node->parts.items[k]);
        if (does)
            return true;
    }
    return false;
}

// Or does it end the function?
static bool part_returns(const FlowPart *part)
{
    for (size_t i = 0; i < part->nodes.count; i++) {
        const FlowNode *node = part->nodes.items[i];
        bool returns = node->kind == FLOW_RETURN || (node->kind == FLOW_LEAVE && strcmp(node->text, "return") == 0);
        for (size_t k = 0; k < node->parts.count && !returns; k++)
            returns = part_returns(&node->parts.items[k]);
        if (returns)
            return true;
    }
    return false;
}

bool flow_ends(const FlowPart *part)
{
    const FlowNode *last = part->nodes.count > 0 ? part->nodes.items[part->nodes.count - 1] : NULL;
    return last != NULL && (last->kind == FLOW_LEAVE || last->kind == FLOW_RETURN);
}

static const char *join(const Reader *reader, const char *word, const char *text)
{
    return text[0] == '\0' ? word : arena_printf(reader->arena, "%s %s", word, text);
}

// Behind the item that opens the frame, up to the one that closes it.
static void read_frame(Reader *reader, FlowPart *into, const Item *open)
{
    static const FlowKind kinds[] = {FLOW_CHOICE, FLOW_LOOP, FLOW_CHECKPOINT, FLOW_PAR};
    FlowNode *node = ARENA_NEW(reader->arena, FlowNode);
    const char *text = open->frame == FRAME_CHOICE ? open->text : join(reader, open->word, open->text);
    *node = (FlowNode){.kind = kinds[open->frame], .text = text, .span = open->span};
    node->is_loop =
        open->frame == FRAME_LOOP || (open->frame == FRAME_CHECKPOINT &&
                                      (strncmp(open->text, "while", 5) == 0 || strncmp(open->text, "for", 3) == 0));
    FlowPart part = {.label = ""};
    bool has_something = false;
    bool is_switch = reader->scene->items.items[reader->at].kind == ITEM_DIVIDE;
    for (;;) {
        if (!is_switch) {
            read_part(reader, &part);
            has_something |= part_does(&part) || part_returns(&part);
            // An arm in which the role has no part is none of its own.
            if (node->kind != FLOW_PAR || part.nodes.count > 0)
                vector_push(reader->arena, &node->parts, part);
        }
        is_switch = false;
        const Item *item = &reader->scene->items.items[reader->at++];
        if (item->kind == ITEM_CLOSE)
            break;
        part = (FlowPart){.label = join(reader, item->word, item->text)};
    }
    // Who does the same whichever way it goes need not know.
    if (has_something)
        vector_push(reader->arena, &into->nodes, node);
}

static void read_part(Reader *reader, FlowPart *part)
{
    while (reader->at < reader->scene->items.count) {
        const Item *item = &reader->scene->items.items[reader->at];
        if (item->kind == ITEM_DIVIDE || item->kind == ITEM_CLOSE)
            return;
        reader->at++;
        if (item->kind == ITEM_OPEN)
            read_frame(reader, part, item);
        else if (item->kind == ITEM_RETURN)
            add_return(reader, part, reader->at - 1);
        else
            add_item(reader, part, item);
    }
}

Flow *flow_new(Arena *arena, const Scene *scene, size_t line)
{
    Reader reader = {arena, scene, line, 0};
    Flow *flow = ARENA_NEW(arena, Flow);
    *flow = (Flow){.scene = scene, .role = line_title(&reader, line), .body = {.label = ""}};
    read_part(&reader, &flow->body);
    // What only ends the function needs no picture where the function ends anyway.
    while (flow->body.nodes.count > 0) {
        FlowNode *last = flow->body.nodes.items[flow->body.nodes.count - 1];
        FlowPart only = {.label = ""};
        vector_push(arena, &only.nodes, last);
        if (part_does(&only))
            break;
        flow->body.nodes.count--;
    }
    return flow;
}
