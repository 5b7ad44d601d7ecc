// flow_mermaid.c: a role's program as a Mermaid flowchart.

#include "tools/diagram/flow.h"
#include "tools/diagram/words.h"

#include <string.h>

enum { LONGEST = 60 }; // characters of a label

// Where the flow comes from: nodes, with what is written on the way.
typedef struct {
    unsigned node;
    const char *label;
} End;
typedef VECTOR(End) Ends;

typedef struct {
    Words words;
    Text *out;
    unsigned count; // of nodes
    int depth;
    Ends exits;     // of the innermost loop: break leads there
    unsigned again; // continue leads there; 0: there is no loop
} Mermaid;

static void put_label(const Mermaid *mermaid, const char *label)
{
    label = words_shorten(&mermaid->words, label, LONGEST);
    text_puts(mermaid->out, "\"");
    for (; *label != '\0'; label++) {
        if (strchr(";#<>\"", *label) != NULL)
            text_printf(mermaid->out, "#%d;", *label);
        else
            text_add(mermaid->out, label, 1);
    }
    text_puts(mermaid->out, "\"");
}

static void begin_line(const Mermaid *mermaid)
{
    text_printf(mermaid->out, "    %*s", mermaid->depth * 4, "");
}

static unsigned put_node(Mermaid *mermaid, const char *open, const char *label, const char *close)
{
    begin_line(mermaid);
    text_printf(mermaid->out, "n%u%s", ++mermaid->count, open);
    put_label(mermaid, label);
    text_printf(mermaid->out, "%s\n", close);
    return mermaid->count;
}

static void put_edges(const Mermaid *mermaid, const Ends *ends, unsigned to)
{
    for (size_t i = 0; i < ends->count; i++) {
        begin_line(mermaid);
        text_printf(mermaid->out, "n%u -->", ends->items[i].node);
        if (ends->items[i].label != NULL && ends->items[i].label[0] != '\0') {
            text_puts(mermaid->out, "|");
            put_label(mermaid, ends->items[i].label);
            text_puts(mermaid->out, "|");
        }
        text_printf(mermaid->out, " n%u\n", to);
    }
}

static Ends one_end(const Mermaid *mermaid, unsigned node, const char *label)
{
    Ends ends = {0};
    vector_push(mermaid->words.arena, &ends, ((End){node, label}));
    return ends;
}

static Ends put_part(Mermaid *mermaid, const FlowPart *part, Ends ends);

static void join(const Mermaid *mermaid, Ends *to, const Ends *from)
{
    for (size_t i = 0; i < from->count; i++)
        vector_push(mermaid->words.arena, to, from->items[i]);
}

static Ends put_choice(Mermaid *mermaid, const FlowNode *node, Ends ends)
{
    unsigned question = put_node(mermaid, "{{", node->text, "}}");
    Ends after = {0};
    bool has_else = false;
    put_edges(mermaid, &ends, question);
    for (size_t i = 0; i < node->parts.count; i++) {
        const FlowPart *part = &node->parts.items[i];
        has_else |= strcmp(part->label, "else") == 0 || strncmp(part->label, "default", 7) == 0;
        Ends out = put_part(mermaid, part, one_end(mermaid, question, part->label[0] != '\0' ? part->label : "yes"));
        join(mermaid, &after, &out);
    }
    if (!has_else)
        vector_push(mermaid->words.arena, &after, ((End){question, "else"}));
    return after;
}

static Ends put_loop(Mermaid *mermaid, const FlowNode *node, Ends ends)
{
    unsigned head = put_node(mermaid, "{{", node->text, "}}"), again = mermaid->again;
    Ends exits = mermaid->exits;
    mermaid->exits = (Ends){0};
    mermaid->again = head;
    put_edges(mermaid, &ends, head);
    Ends out = put_part(mermaid, &node->parts.items[0], one_end(mermaid, head, "again"));
    put_edges(mermaid, &out, head);
    Ends after = one_end(mermaid, head, "done");
    join(mermaid, &after, &mermaid->exits);
    mermaid->exits = exits;
    mermaid->again = again;
    return after;
}

// The rescue is reached from anywhere in the body: by a dotted line from its beginning.
static Ends put_frame(Mermaid *mermaid, const FlowNode *node, Ends ends)
{
    bool is_par = node->kind == FLOW_PAR;
    unsigned head = put_node(mermaid, is_par ? "[/" : "([", node->text, is_par ? "\\]" : "])"), again = mermaid->again;
    Ends after = {0}, exits = mermaid->exits;
    put_edges(mermaid, &ends, head);
    if (node->is_loop) {
        mermaid->again = head;
        mermaid->exits = (Ends){0};
    }
    for (size_t i = 0; i < node->parts.count; i++) {
        const FlowPart *part = &node->parts.items[i];
        if (is_par || i == 0) {
            Ends out = put_part(mermaid, part, one_end(mermaid, head, part->label));
            join(mermaid, &after, &out);
            continue;
        }
        unsigned rescue = put_node(mermaid, "([", part->label, "])");
        begin_line(mermaid);
        text_printf(mermaid->out, "n%u -. failure .-> n%u\n", head, rescue);
        Ends out = put_part(mermaid, part, one_end(mermaid, rescue, ""));
        join(mermaid, &after, &out);
    }
    if (!node->is_loop)
        return after;
    put_edges(mermaid, &after, head);
    Ends done = one_end(mermaid, head, "done");
    join(mermaid, &done, &mermaid->exits);
    mermaid->again = again;
    mermaid->exits = exits;
    return done;
}

static Ends put_leaf(Mermaid *mermaid, const FlowNode *node, Ends ends)
{
    static const char *const shapes[][2] = {
        [FLOW_STEP] = {"[", "]"},   [FLOW_SEND] = {"[/", "/]"},   [FLOW_RECEIVE] = {"[\\", "\\]"},
        [FLOW_CALL] = {"[[", "]]"}, [FLOW_RETURN] = {"([", "])"}, [FLOW_LEAVE] = {"([", "])"},
    };
    if (node->kind == FLOW_LEAVE && mermaid->again != 0 && strcmp(node->text, "continue") == 0) {
        put_edges(mermaid, &ends, mermaid->again);
        return (Ends){0};
    }
    if (node->kind == FLOW_LEAVE && mermaid->again != 0 && strcmp(node->text, "break") == 0) {
        join(mermaid, &mermaid->exits, &ends);
        return (Ends){0};
    }
    unsigned number = put_node(mermaid, shapes[node->kind][0], node->text, shapes[node->kind][1]);
    put_edges(mermaid, &ends, number);
    Ends none = {0};
    return node->kind == FLOW_LEAVE || node->kind == FLOW_RETURN ? none : one_end(mermaid, number, "");
}

static Ends put_part(Mermaid *mermaid, const FlowPart *part, Ends ends)
{
    for (size_t i = 0; i < part->nodes.count; i++) {
        const FlowNode *node = part->nodes.items[i];
        if (node->kind == FLOW_CHOICE)
            ends = put_choice(mermaid, node, ends);
        else if (node->kind == FLOW_LOOP)
            ends = put_loop(mermaid, node, ends);
        else if (node->kind == FLOW_CHECKPOINT || node->kind == FLOW_PAR)
            ends = put_frame(mermaid, node, ends);
        else
            ends = put_leaf(mermaid, node, ends);
    }
    return ends;
}

void draw_flow_mermaid(const Sources *sources, const Flow *flow, Text *out)
{
    Mermaid mermaid = {.words = {out->arena, sources}, .out = out};
    text_puts(out, "flowchart TD\n");
    unsigned begin = put_node(&mermaid, "((", arena_printf(out->arena, "%s: %s", flow->role, flow->scene->name), "))");
    Ends ends = put_part(&mermaid, &flow->body, one_end(&mermaid, begin, ""));
    if (ends.count > 0) {
        unsigned end = put_node(&mermaid, "((", "end", "))");
        put_edges(&mermaid, &ends, end);
    }
}
