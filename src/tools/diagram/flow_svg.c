// flow_svg.c: roles' programs as flowcharts in one SVG document.
//
// A part is a column of nodes, each below the other around one axis. A choice has its parts side by side; loops, checkpoints and arms
// are frames around theirs. Everything is measured first, from the inside out, then drawn from the outside in.

#include "tools/diagram/flow.h"
#include "tools/diagram/layout.h"
#include "tools/diagram/svg_parts.h"
#include "tools/diagram/words.h"

#include <string.h>

enum {
    LONGEST = 48, // characters of a label
    MARGIN = 16,
    BETWEEN = 64, // two flowcharts
    PAD = 12,
    BOX_HEIGHT = 28,
    GAP = 22,    // between two nodes: an arrow
    BESIDE = 28, // between two parts
    LABEL = 20,  // of a part
    BACK = 18,   // room for the arrow back, in a loop
    TITLE = 66,
    DOT = 6 // where the role begins and ends
};

typedef struct {
    int width, height;
} Size;

typedef struct {
    const Sources *sources;
    Words words;
    Text *out;
} Chart;

static bool is_frame(const FlowNode *node)
{
    return node->kind == FLOW_LOOP || node->kind == FLOW_CHECKPOINT || node->kind == FLOW_PAR;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static const char *short_text(const Chart *chart, const char *text)
{
    return words_shorten(&chart->words, text, LONGEST);
}

static Size measure_node(const Chart *chart, const FlowNode *node);

static Size measure_part(const Chart *chart, const FlowPart *part)
{
    Size size = {layout_text_width(short_text(chart, part->label)) + PAD, 0};
    for (size_t i = 0; i < part->nodes.count; i++) {
        Size node = measure_node(chart, part->nodes.items[i]);
        size.width = larger(size.width, node.width);
        size.height += node.height + (i > 0 ? GAP : 0);
    }
    return size;
}

// All parts side by side. A choice without `else` has one more way, which is empty.
static Size measure_parts(const Chart *chart, const FlowNode *node)
{
    Size size = {0, 0};
    for (size_t i = 0; i < node->parts.count; i++) {
        Size part = measure_part(chart, &node->parts.items[i]);
        size.width += part.width + (i > 0 ? BESIDE : 0);
        size.height = larger(size.height, part.height);
    }
    return size;
}

static bool needs_else(const FlowNode *node)
{
    const char *last = node->parts.items[node->parts.count - 1].label;
    return node->kind == FLOW_CHOICE && strncmp(last, "else", 5) != 0 && strncmp(last, "default", 7) != 0;
}

static Size measure_node(const Chart *chart, const FlowNode *node)
{
    int width = layout_text_width(short_text(chart, node->text)) + 2 * PAD;
    if (node->kind < FLOW_CHOICE)
        return (Size){width + (node->kind == FLOW_CALL ? PAD : 0), BOX_HEIGHT};
    Size inner = measure_parts(chart, node);
    if (node->kind == FLOW_CHOICE) {
        inner.width += needs_else(node) ? BESIDE + layout_text_width("else") + 2 * PAD : 0;
        return (Size){larger(width + 2 * PAD, inner.width), BOX_HEIGHT + GAP + LABEL + inner.height + GAP};
    }
    inner.width += 2 * PAD + (node->is_loop ? BACK : 0);
    return (Size){larger(width, inner.width), FRAME_HEAD + LABEL + inner.height + 2 * PAD};
}

// ---- drawing: `axis` is the x that a node is around, `top` its upper edge ----

static void draw_part(const Chart *chart, const FlowPart *part, int axis, int top);

static void arrow_down(const Chart *chart, int x, int from, int to)
{
    svg_line(chart->out, x, from, x, to - 2, "arrow");
    svg_tip(chart->out, x, to, TIP_DOWN);
}

static void draw_leaf(const Chart *chart, const FlowNode *node, int axis, int top)
{
    static const char *const classes[] = {
        [FLOW_STEP] = "box",  [FLOW_SEND] = "box send", [FLOW_RECEIVE] = "box take",
        [FLOW_CALL] = "call", [FLOW_RETURN] = "result", [FLOW_LEAVE] = "box",
    };
    Size size = measure_node(chart, node);
    int round = node->kind == FLOW_STEP ? 4 : node->kind == FLOW_CALL ? 0 : 14;
    svg_open(chart->sources, chart->out, node->span, node->text);
    svg_box(chart->out, axis - size.width / 2, top, axis + size.width / 2, top + size.height, classes[node->kind],
            round);
    if (node->kind == FLOW_CALL) {
        svg_line(chart->out, axis - size.width / 2 + 5, top, axis - size.width / 2 + 5, top + size.height, "call");
        svg_line(chart->out, axis + size.width / 2 - 5, top, axis + size.width / 2 - 5, top + size.height, "call");
    }
    svg_text(chart->out, axis, top + BOX_HEIGHT - 9, node->kind == FLOW_LEAVE ? "leave-text mid" : "mid",
             short_text(chart, node->text));
    svg_close(chart->out);
}

static void draw_way(const Chart *chart, const FlowPart *part, int from_x, int axis, int fork, int top, int join)
{
    Size size = measure_part(chart, part);
    svg_line(chart->out, from_x, fork, axis, fork, "arrow");
    arrow_down(chart, axis, fork, top);
    svg_text(chart->out, axis + 6, top - 6, "small say",
             short_text(chart, part->label[0] != '\0' ? part->label : "yes"));
    draw_part(chart, part, axis, top);
    if (!flow_ends(part)) {
        svg_line(chart->out, axis, top + size.height, axis, join, "arrow");
        svg_line(chart->out, axis, join, from_x, join, "arrow");
    }
}

static void draw_choice(const Chart *chart, const FlowNode *node, int axis, int top)
{
    Size size = measure_node(chart, node);
    int half = layout_text_width(short_text(chart, node->text)) / 2 + PAD, middle = top + BOX_HEIGHT / 2;
    int fork = top + BOX_HEIGHT + 8, parts_top = top + BOX_HEIGHT + GAP + LABEL, join = top + size.height - 8;
    svg_open(chart->sources, chart->out, node->span, node->text);
    text_printf(chart->out, "<path d=\"M%d %d L%d %d L%d %d L%d %d L%d %d L%d %d Z\" class=\"ask\"/>\n",
                axis - half - PAD, middle, axis - half, top, axis + half, top, axis + half + PAD, middle, axis + half,
                top + BOX_HEIGHT, axis - half, top + BOX_HEIGHT);
    svg_text(chart->out, axis, top + BOX_HEIGHT - 9, "mid", short_text(chart, node->text));
    svg_close(chart->out);
    svg_line(chart->out, axis, top + BOX_HEIGHT, axis, fork, "arrow");
    Size inner = measure_parts(chart, node);
    int extra = needs_else(node) ? BESIDE + layout_text_width("else") + 2 * PAD : 0,
        left = axis - (inner.width + extra) / 2;
    bool joins = extra > 0;
    for (size_t i = 0; i < node->parts.count; i++) {
        const FlowPart *part = &node->parts.items[i];
        int width = measure_part(chart, part).width;
        draw_way(chart, part, axis, left + width / 2, fork, parts_top, join);
        joins |= !flow_ends(part);
        left += width + BESIDE;
    }
    if (extra > 0)
        draw_way(chart, &(FlowPart){.label = "else"}, axis, left + layout_text_width("else") / 2, fork, parts_top,
                 join);
    if (joins)
        svg_line(chart->out, axis, join, axis, top + size.height, "arrow");
}

static const char *frame_class(FlowKind kind)
{
    return kind == FLOW_LOOP ? "loop" : kind == FLOW_PAR ? "par" : "checkpoint";
}

static void draw_frame(const Chart *chart, const FlowNode *node, int axis, int top)
{
    Size size = measure_node(chart, node), inner = measure_parts(chart, node);
    int left = axis - size.width / 2, right = axis + size.width / 2, parts_top = top + FRAME_HEAD + LABEL + PAD / 2;
    int x = axis - inner.width / 2 + (node->is_loop ? BACK / 2 : 0);
    char classes[40];
    snprintf(classes, sizeof classes, "frame %s", frame_class(node->kind));
    svg_box(chart->out, left, top, right, top + size.height, classes, 4);
    snprintf(classes, sizeof classes, "word %s", frame_class(node->kind));
    svg_open(chart->sources, chart->out, node->span, node->text);
    svg_text(chart->out, left + 8, top + FRAME_HEAD - 8, classes, short_text(chart, node->text));
    svg_close(chart->out);
    for (size_t i = 0; i < node->parts.count; i++) {
        const FlowPart *part = &node->parts.items[i];
        int width = measure_part(chart, part).width;
        bool is_rescue = node->kind == FLOW_CHECKPOINT && i > 0;
        if (is_rescue)
            svg_box(chart->out, x - BESIDE / 2, top, right, top + size.height, "rescue", 4);
        if (i > 0) {
            snprintf(classes, sizeof classes, "frame part %s", frame_class(node->kind));
            svg_line(chart->out, x - BESIDE / 2, top + FRAME_HEAD, x - BESIDE / 2, top + size.height, classes);
        }
        svg_text(chart->out, x + width / 2, parts_top - 6, is_rescue ? "word after mid" : "small mid",
                 short_text(chart, part->label));
        draw_part(chart, part, x + width / 2, parts_top);
        x += width + BESIDE;
    }
    if (node->is_loop && !flow_ends(&node->parts.items[0])) {
        int bottom = top + size.height - PAD / 2, head = parts_top - 6, side = left + PAD / 2;
        int at = axis - inner.width / 2 + BACK / 2 + measure_part(chart, &node->parts.items[0]).width / 2;
        text_printf(chart->out, "<path d=\"M%d %d V%d H%d V%d H%d\" class=\"arrow\"/>\n", at, parts_top + inner.height,
                    bottom, side, head, at - 4);
        svg_tip(chart->out, at, head, TIP_RIGHT);
    }
}

static void draw_part(const Chart *chart, const FlowPart *part, int axis, int top)
{
    for (size_t i = 0; i < part->nodes.count; i++) {
        const FlowNode *node = part->nodes.items[i];
        FlowKind before = i > 0 ? part->nodes.items[i - 1]->kind : FLOW_LEAVE;
        if (before != FLOW_LEAVE && before != FLOW_RETURN)
            arrow_down(chart, axis, top - GAP, top);
        if (node->kind == FLOW_CHOICE)
            draw_choice(chart, node, axis, top);
        else if (is_frame(node))
            draw_frame(chart, node, axis, top);
        else
            draw_leaf(chart, node, axis, top);
        top += measure_node(chart, node).height + GAP;
    }
}

// A dot before the first node, and one behind the last if the role comes there.
static void draw_dots(const Chart *chart, const FlowPart *body, int axis, int top, int height)
{
    text_printf(chart->out, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" class=\"tip\"/>\n", axis, top - GAP - 2, DOT);
    arrow_down(chart, axis, top - GAP, top);
    if (flow_ends(body))
        return;
    arrow_down(chart, axis, top + height, top + height + GAP);
    text_printf(chart->out, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" class=\"tip\"/>\n", axis, top + height + GAP + 2,
                DOT);
}

static void draw_flow(const Chart *chart, const Flow *flow, int top)
{
    Size size = measure_part(chart, &flow->body);
    const char *title =
        arena_printf(chart->out->arena, "%s in %s.%s", flow->role, flow->scene->choreography, flow->scene->name);
    text_printf(chart->out, "<g id=\"%s.%s\" transform=\"translate(%d 0)\">\n", flow->scene->choreography,
                flow->scene->name, MARGIN);
    svg_open(chart->sources, chart->out, flow->scene->span, flow->scene->signature);
    svg_text(chart->out, 0, top + 18, "title", title);
    svg_close(chart->out);
    if (flow->body.nodes.count == 0)
        svg_text(chart->out, 0, top + 42, "small", "nothing to do");
    else
        draw_dots(chart, &flow->body, larger(size.width, 1) / 2, top + TITLE, size.height);
    draw_part(chart, &flow->body, larger(size.width, 1) / 2, top + TITLE);
    text_puts(chart->out, "</g>\n");
}

void draw_flow_svg(const Sources *sources, const FlowList *flows, Text *out)
{
    Chart chart = {sources, {out->arena, sources}, out};
    int width = 0, height = MARGIN;
    for (size_t i = 0; i < flows->count; i++) {
        const Flow *flow = flows->items[i];
        Size size = measure_part(&chart, &flow->body);
        size_t name =
            words_width(flow->role) + words_width(flow->scene->choreography) + words_width(flow->scene->name) + 6;
        width = larger(width, larger(size.width, (int)name * 10));
        height += TITLE + size.height + BETWEEN;
    }
    svg_begin(out, width + 2 * MARGIN, height);
    int top = MARGIN;
    for (size_t i = 0; i < flows->count; i++) {
        draw_flow(&chart, flows->items[i], top);
        top += TITLE + measure_part(&chart, &flows->items[i]->body).height + BETWEEN;
    }
    text_puts(out, "</svg>\n");
}
