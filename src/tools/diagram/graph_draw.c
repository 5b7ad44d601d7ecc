// graph_draw.c: who talks to whom, as SVG with the roles on a circle, and as Mermaid.

#include "tools/diagram/graph.h"
#include "tools/diagram/layout.h"
#include "tools/diagram/svg_parts.h"
#include "tools/diagram/words.h"

#include <math.h>
#include <string.h>

enum {
    LONGEST = 26,
    MARGIN = 24,
    TITLE = 44,
    BOX_HEIGHT = 34,
    RADIUS_LEAST = 170,
    PER_ROLE = 56,
    LOOP = 34,
    SIDE = 13
};

typedef struct {
    double x, y;
} Point;

// "title, address, ..."
static const char *edge_label(const Words *words, const GraphEdge *edge)
{
    Text text;
    text_init(&text, words->arena);
    for (size_t i = 0; i < edge->says.count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", edge->says.items[i]);
    return words_shorten(words, text.chars, LONGEST);
}

static int box_half(const char *name)
{
    return layout_text_width(name) / 2 + 14;
}

// ---- SVG ----

typedef struct {
    const Graph *graph;
    Words words;
    Text *out;
    Point *places;
    double radius;
} Picture;

static double radius_of(const Graph *graph)
{
    double radius = (double)graph->roles.count * PER_ROLE;
    return radius < RADIUS_LEAST ? RADIUS_LEAST : radius;
}

// Where a line from the middle of a box in this direction leaves it.
static Point leave_box(Point from, Point to, int half)
{
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    if (length < 1)
        return from;
    double across = fabs(dx) > 0.01 ? (half + 4) / fabs(dx) : 1e9,
           down = fabs(dy) > 0.01 ? (BOX_HEIGHT / 2.0 + 4) / fabs(dy) : 1e9;
    double share = across < down ? across : down;
    return (Point){from.x + dx * share, from.y + dy * share};
}

static void draw_tip(const Picture *picture, Point tip, Point from)
{
    double angle = atan2(tip.y - from.y, tip.x - from.x);
    text_printf(picture->out, "<path d=\"M%.0f %.0f L%.0f %.0f L%.0f %.0f Z\" class=\"tip\"/>\n", tip.x, tip.y,
                tip.x - 9 * cos(angle - 0.4), tip.y - 9 * sin(angle - 0.4), tip.x - 9 * cos(angle + 0.4),
                tip.y - 9 * sin(angle + 0.4));
}

// Members of a family to each other.
static void draw_loop(const Picture *picture, const GraphEdge *edge)
{
    Point at = picture->places[edge->from];
    int half = box_half(picture->graph->roles.items[edge->from]);
    Point begin = {at.x + half - 14, at.y - BOX_HEIGHT / 2.0 - 5}, end = {at.x + half + 4, at.y - 6};
    text_printf(picture->out, "<path d=\"M%.0f %.0f c0 %d %d %d %.0f %.0f\" class=\"edge\"/>\n", begin.x, begin.y,
                -LOOP, LOOP + 14, -LOOP + 10, end.x - begin.x, end.y - begin.y);
    draw_tip(picture, end, (Point){end.x + 10, end.y - 8});
}

// To the right of the straight line, as one looks along it: so both directions have lines of their own.
static Point bend(const Picture *picture, const GraphEdge *edge)
{
    Point from = picture->places[edge->from], to = picture->places[edge->to];
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    return (Point){(from.x + to.x) / 2 - dy / length * 2 * SIDE, (from.y + to.y) / 2 + dx / length * 2 * SIDE};
}

static void draw_edge(const Picture *picture, const GraphEdge *edge)
{
    if (edge->from == edge->to) {
        draw_loop(picture, edge);
        return;
    }
    Point middle = bend(picture, edge);
    Point begin = leave_box(picture->places[edge->from], middle, box_half(picture->graph->roles.items[edge->from]));
    Point end = leave_box(picture->places[edge->to], middle, box_half(picture->graph->roles.items[edge->to]));
    text_printf(picture->out, "<path d=\"M%.0f %.0f Q%.0f %.0f %.0f %.0f\" class=\"edge\"/>\n", begin.x, begin.y,
                middle.x, middle.y, end.x, end.y);
    draw_tip(picture, end, middle);
}

// Near the sender: where lines cross in the middle, labels would stand on each other.
static void draw_label(const Picture *picture, const GraphEdge *edge)
{
    Point from = picture->places[edge->from], to = picture->places[edge->to], at;
    if (edge->from == edge->to) {
        at = (Point){from.x + box_half(picture->graph->roles.items[edge->from]) + 6, from.y - BOX_HEIGHT};
        svg_text(picture->out, (int)at.x, (int)at.y, "small say", edge_label(&picture->words, edge));
        return;
    }
    Point middle = bend(picture, edge);
    double t = picture->graph->roles.count == 2 ? 0.5 : 0.3;
    at.x = (1 - t) * (1 - t) * from.x + 2 * t * (1 - t) * middle.x + t * t * to.x;
    at.y = (1 - t) * (1 - t) * from.y + 2 * t * (1 - t) * middle.y + t * t * to.y;
    svg_text(picture->out, (int)at.x, (int)at.y + (to.x < from.x ? -6 : 14) * (picture->graph->roles.count == 2),
             "small say mid", edge_label(&picture->words, edge));
}

static void draw_roles(const Picture *picture)
{
    for (size_t i = 0; i < picture->graph->roles.count; i++) {
        const char *name = picture->graph->roles.items[i];
        int x = (int)picture->places[i].x, top = (int)picture->places[i].y - BOX_HEIGHT / 2, half = box_half(name);
        if (strchr(name, '[') != NULL)
            svg_box(picture->out, x - half + 4, top - 4, x + half + 4, top + BOX_HEIGHT - 4, "head", 6);
        svg_box(picture->out, x - half, top, x + half, top + BOX_HEIGHT, "head", 6);
        svg_text(picture->out, x, top + BOX_HEIGHT - 12, "role mid", name);
    }
}

static void place_roles(Picture *picture, double left, double top)
{
    size_t count = picture->graph->roles.count;
    const double turn = 6.283185307179586;
    for (size_t i = 0; i < count; i++) {
        double angle = turn * (double)i / (double)count - (count == 2 ? turn / 2 : turn / 4);
        picture->places[i] =
            (Point){left + picture->radius * cos(angle), top + picture->radius * sin(angle) * (count == 2 ? 0 : 1)};
    }
}

// What may stand beside the middle of a role, at the left or the right of the circle: half a label, its box, a loop with its label.
static int side_room(const Words *words, const Graph *graph)
{
    int room = LONGEST * CHAR_WIDTH / 2;
    for (size_t i = 0; i < graph->roles.count; i++)
        room = box_half(graph->roles.items[i]) + LOOP > room ? box_half(graph->roles.items[i]) + LOOP : room;
    for (size_t i = 0; i < graph->edges.count; i++) {
        const GraphEdge *edge = &graph->edges.items[i];
        if (edge->from != edge->to)
            continue;
        int wide = box_half(graph->roles.items[edge->from]) + 6 + layout_text_width(edge_label(words, edge));
        room = wide > room ? wide : room;
    }
    return room;
}

static int graph_height(const Graph *graph)
{
    return (graph->roles.count <= 2 ? 3 * BOX_HEIGHT : (int)(2 * radius_of(graph)) + 2 * BOX_HEIGHT) + TITLE;
}

void draw_graph_svg(const Sources *sources, const GraphList *graphs, Text *out)
{
    int width = 0, height = MARGIN;
    const Words words = {out->arena, sources};
    for (size_t i = 0; i < graphs->count; i++) {
        int wide = 2 * ((int)radius_of(graphs->items[i]) + side_room(&words, graphs->items[i]));
        width = wide > width ? wide : width;
        height += graph_height(graphs->items[i]) + MARGIN;
    }
    svg_begin(out, width + 2 * MARGIN, height);
    int top = MARGIN;
    for (size_t i = 0; i < graphs->count; i++) {
        const Graph *graph = graphs->items[i];
        Picture picture = {graph,
                           {out->arena, sources},
                           out,
                           ARENA_ARRAY(out->arena, Point, graph->roles.count + 1),
                           radius_of(graph)};
        place_roles(&picture, width / 2.0 + MARGIN, top + TITLE + (graph_height(graph) - TITLE) / 2.0);
        text_printf(out, "<g id=\"%s\" transform=\"translate(0 0)\">\n", graph->name);
        svg_text(out, MARGIN, top + 14, "title", graph->name);
        for (size_t k = 0; k < graph->edges.count; k++)
            draw_edge(&picture, &graph->edges.items[k]);
        for (size_t k = 0; k < graph->edges.count; k++)
            draw_label(&picture, &graph->edges.items[k]);
        draw_roles(&picture);
        text_puts(out, "</g>\n");
        top += graph_height(graph) + MARGIN;
    }
    text_puts(out, "</svg>\n");
}

// ---- Mermaid ----

static void put_label(Text *out, const char *label)
{
    text_puts(out, "\"");
    for (; *label != '\0'; label++) {
        if (strchr(";#<>\"", *label) != NULL)
            text_printf(out, "#%d;", *label);
        else
            text_add(out, label, 1);
    }
    text_puts(out, "\"");
}

void draw_graph_mermaid(const Sources *sources, const Graph *graph, Text *out)
{
    Words words = {out->arena, sources};
    text_puts(out, "flowchart LR\n");
    for (size_t i = 0; i < graph->roles.count; i++) {
        text_printf(out, "    r%zu[", i);
        put_label(out, graph->roles.items[i]);
        text_puts(out, "]\n");
    }
    for (size_t i = 0; i < graph->edges.count; i++) {
        const GraphEdge *edge = &graph->edges.items[i];
        text_printf(out, "    r%zu -->|", edge->from);
        put_label(out, edge_label(&words, edge));
        text_printf(out, "| r%zu\n", edge->to);
    }
}
