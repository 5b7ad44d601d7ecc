// svg.c: scenes as one SVG document.

#include "tools/diagram/draw.h"
#include "tools/diagram/layout.h"
#include "tools/diagram/words.h"

#include <string.h>

enum { MARGIN = 16, BETWEEN = 36, HEAD_PAD = 14, LOOP_HEIGHT = 14, LOOP_WIDTH = 34 };

static const char style[] =
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "svg { --ink: #1f2328; --soft: #59636e; --line: #8c959f; --paper: #ffffff; --box: #f6f8fa; --head: #ddf4ff;\n"
    "  --accent: #0969da; --choice: #8250df; --loop: #1a7f37; --safe: #9a6700; --rescue: #cf222e; background: "
    "var(--paper); }\n"
    "@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --soft: #9198a1; --line: #656c76; --paper: #0d1117;\n"
    "  --box: #161b22; --head: #0c2d6b; --accent: #58a6ff; --choice: #bc8cff; --loop: #3fb950; --safe: #d29922; "
    "--rescue: #f85149; } }\n"
    "text { font: 13px ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; fill: var(--ink); white-space: "
    "pre; }\n"
    ".title { font-size: 16px; font-weight: 600; } .role { font-weight: 600; } .mid { text-anchor: middle; }\n"
    ".head { fill: var(--head); stroke: var(--accent); } .life { stroke: var(--line); stroke-dasharray: 3 4; }\n"
    ".box { fill: var(--box); stroke: var(--line); } .result { fill: var(--box); stroke: var(--accent); stroke-width: "
    "1.6; }\n"
    ".call { fill: var(--paper); stroke: var(--accent); stroke-dasharray: 6 3; } .leave { fill: var(--paper); stroke: "
    "none; }\n"
    ".arrow { stroke: var(--ink); stroke-width: 1.4; fill: none; } .tip { fill: var(--ink); }\n"
    ".say { paint-order: stroke; stroke: var(--paper); stroke-width: 5px; stroke-linejoin: round; }\n"
    ".small { fill: var(--soft); font-size: 12px; } .leave-text { fill: var(--soft); font-style: italic; } a text { "
    "fill: var(--accent); }\n"
    ".frame { fill: none; stroke-width: 1.3; } .choice { stroke: var(--choice); } .loop { stroke: var(--loop); }\n"
    ".checkpoint { stroke: var(--safe); stroke-width: 2; } .rescue { fill: var(--rescue); fill-opacity: .07; stroke: "
    "none; }\n"
    ".part { stroke-dasharray: 5 4; } .word { font-weight: 600; font-size: 12px; }\n"
    ".word.choice { fill: var(--choice); stroke: none; } .word.loop { fill: var(--loop); stroke: none; }\n"
    ".word.checkpoint { fill: var(--safe); stroke: none; } .word.after { fill: var(--rescue); stroke: none; }\n"
    "</style>\n";

typedef struct {
    const Sources *sources;
    const SceneList *scenes;
    Text *out;
} Svg;

static void put_escaped(Text *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '&':
            text_puts(out, "&amp;");
            break;
        case '<':
            text_puts(out, "&lt;");
            break;
        case '>':
            text_puts(out, "&gt;");
            break;
        case '"':
            text_puts(out, "&quot;");
            break;
        default:
            // XML has no other control characters.
            text_add(out, (unsigned char)*text < ' ' ? " " : text, 1);
        }
    }
}

static void put_text(const Svg *svg, int x, int y, const char *classes, const char *text)
{
    text_printf(svg->out, "<text x=\"%d\" y=\"%d\" class=\"%s\">", x, y, classes);
    put_escaped(svg->out, text);
    text_puts(svg->out, "</text>\n");
}

static void put_box(const Svg *svg, int left, int top, int right, int bottom, const char *classes, int round)
{
    text_printf(svg->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" class=\"%s\"/>\n", left, top,
                right - left, bottom - top, round, classes);
}

static void put_line(const Svg *svg, int x1, int y1, int x2, int y2, const char *classes)
{
    text_printf(svg->out, "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"%s\"/>\n", x1, y1, x2, y2, classes);
}

// What is shown when the pointer rests on it: the place in the source and the whole text.
static void open_group(const Svg *svg, Span span, const char *text)
{
    text_puts(svg->out, "<g>");
    if (span.file == FILE_NONE)
        return;
    const Source *source = source_get(svg->sources, span.file);
    const char *name = strrchr(source->path, '/');
    text_puts(svg->out, "<title>");
    put_escaped(svg->out, name != NULL ? name + 1 : source->path);
    text_printf(svg->out, ":%u: ", span_position(svg->sources, span).line);
    put_escaped(svg->out, text);
    text_puts(svg->out, "</title>\n");
}

static void close_group(const Svg *svg)
{
    text_puts(svg->out, "</g>\n");
}

// ---- items ----

static const char *frame_class(FrameKind frame)
{
    return frame == FRAME_CHOICE ? "choice" : frame == FRAME_LOOP ? "loop" : "checkpoint";
}

static void draw_frame(const Svg *svg, const Scene *scene, const Layout *layout, size_t at)
{
    const Item *items = scene->items.items;
    const Place *frame = &layout->places[at];
    char classes[40];
    for (size_t i = at + 1; i < frame->partner; i++) {
        if (items[i].kind != ITEM_DIVIDE || layout->places[i].partner != at)
            continue;
        int y = layout->places[i].top;
        if (items[i].frame == FRAME_CHECKPOINT)
            put_box(svg, frame->left, y, frame->right, frame->bottom, "rescue", 0);
        snprintf(classes, sizeof classes, "frame part %s", frame_class(items[i].frame));
        put_line(svg, frame->left, y, frame->right, y, classes);
    }
    snprintf(classes, sizeof classes, "frame %s", frame_class(items[at].frame));
    put_box(svg, frame->left, frame->top, frame->right, frame->bottom, classes, 4);
}

static void draw_frame_head(const Svg *svg, const Scene *scene, const Layout *layout, size_t at)
{
    const Item *item = &scene->items.items[at];
    const Place *place = &layout->places[at];
    const Place *frame = item->kind == ITEM_OPEN ? place : &layout->places[place->partner];
    int y = place->top + FRAME_HEAD - 8;
    char classes[40];
    snprintf(classes, sizeof classes, "word %s",
             item->kind == ITEM_DIVIDE && item->frame == FRAME_CHECKPOINT ? "after" : frame_class(item->frame));
    open_group(svg, item->span, item->text);
    put_text(svg, frame->left + 8, y, classes, item->word);
    if (item->text[0] != '\0')
        put_text(svg, frame->left + 14 + layout_text_width(item->word), y, "say", place->text);
    close_group(svg);
}

static void draw_tip(const Svg *svg, int x, int y, bool points_right)
{
    int back = points_right ? x - 8 : x + 8;
    text_printf(svg->out, "<path d=\"M%d %d L%d %d L%d %d Z\" class=\"tip\"/>\n", x, y, back, y - 4, back, y + 4);
}

static void draw_message(const Svg *svg, const Layout *layout, const Item *item, const Place *place)
{
    int from = layout->columns[item->from], y = place->bottom - 8;
    open_group(svg, item->span, item->text);
    if (item->lines.count == 1 && item->lines.items[0] == item->from) {
        text_printf(svg->out, "<path d=\"M%d %d h%d v%d h%d\" class=\"arrow\"/>\n", from, y - LOOP_HEIGHT, LOOP_WIDTH,
                    LOOP_HEIGHT, 8 - LOOP_WIDTH);
        draw_tip(svg, from, y, false);
        put_text(svg, from + LOOP_WIDTH + 8, y - 3, "say", place->text);
        close_group(svg);
        return;
    }
    int nearest = layout->columns[scene_nearest(item)];
    for (size_t i = 0; i < item->lines.count; i++) {
        int to = layout->columns[item->lines.items[i]];
        put_line(svg, from, y, to > from ? to - 4 : to + 4, y, "arrow");
        draw_tip(svg, to, y, to > from);
    }
    put_text(svg, (from + nearest) / 2, y - 7, "say mid", place->text);
    close_group(svg);
}

static bool has_scene(const Svg *svg, const Scene *scene, const char *name)
{
    for (size_t i = 0; i < svg->scenes->count; i++)
        if (strcmp(svg->scenes->items[i]->name, name) == 0 &&
            strcmp(svg->scenes->items[i]->choreography, scene->choreography) == 0)
            return true;
    return false;
}

static void draw_box(const Svg *svg, const Scene *scene, const Layout *layout, size_t at)
{
    const Item *item = &scene->items.items[at];
    const Place *place = &layout->places[at];
    bool is_call = item->kind == ITEM_CALL,
         is_link = is_call && item->target != NULL && has_scene(svg, scene, item->target);
    int middle = (place->left + place->right) / 2;
    open_group(svg, item->span, item->text);
    put_box(svg, place->left, place->top, place->right, place->bottom,
            is_call                     ? "call"
            : item->kind == ITEM_RETURN ? "result"
            : item->kind == ITEM_LEAVE  ? "leave"
                                        : "box",
            is_call ? 14 : 4);
    if (is_link)
        text_printf(svg->out, "<a href=\"#%s.%s\">", scene->choreography, item->target);
    size_t last = item->kind == ITEM_STEP ? place->partner : at;
    for (size_t i = at; i <= last; i++) {
        int y = place->top + 5 + (int)(i - at) * LINE_HEIGHT + LINE_HEIGHT - 5;
        put_text(svg, middle, y, item->kind == ITEM_LEAVE ? "leave-text mid" : "mid", layout->places[i].text);
    }
    text_puts(svg->out, is_link ? "</a>" : "");
    close_group(svg);
}

static void draw_item(const Svg *svg, const Scene *scene, const Layout *layout, size_t at)
{
    switch (scene->items.items[at].kind) {
    case ITEM_MESSAGE:
        draw_message(svg, layout, &scene->items.items[at], &layout->places[at]);
        break;
    case ITEM_STEP:
        if (!layout->places[at].follows)
            draw_box(svg, scene, layout, at);
        break;
    case ITEM_CALL:
    case ITEM_RETURN:
    case ITEM_LEAVE:
        draw_box(svg, scene, layout, at);
        break;
    case ITEM_OPEN:
    case ITEM_DIVIDE:
        draw_frame_head(svg, scene, layout, at);
        break;
    case ITEM_CLOSE:
        break;
    }
}

// ---- scenes ----

static void draw_lifelines(const Svg *svg, const Scene *scene, const Layout *layout)
{
    for (size_t i = 0; i < scene->lifelines.count; i++)
        put_line(svg, layout->columns[i], layout->heads_top + HEAD_HEIGHT, layout->columns[i], layout->bottom, "life");
    for (size_t i = 0; i < scene->lifelines.count; i++) {
        const Lifeline *line = &scene->lifelines.items[i];
        const char *name = line->is_family ? arena_printf(svg->out->arena, "%s[]", line->name) : line->name;
        int x = layout->columns[i], half = layout_text_width(name) / 2 + HEAD_PAD, top = layout->heads_top;
        if (line->is_family)
            put_box(svg, x - half + 4, top - 4, x + half + 4, top + HEAD_HEIGHT - 4, "head", 4);
        put_box(svg, x - half, top, x + half, top + HEAD_HEIGHT, "head", 4);
        put_text(svg, x, top + HEAD_HEIGHT - 10, "role mid", name);
    }
}

static void draw_scene(const Svg *svg, const Scene *scene, const Layout *layout, int shift)
{
    text_printf(svg->out, "<g id=\"%s.%s\" transform=\"translate(%d 0)\">\n", scene->choreography, scene->name, shift);
    open_group(svg, scene->span, scene->signature);
    put_text(svg, layout->left, layout->heads_top - TITLE_HEIGHT + 18, "title", scene->name);
    put_text(svg, layout->left, layout->heads_top - TITLE_HEIGHT + 38, "small", layout->signature);
    close_group(svg);
    for (size_t i = 0; i < scene->items.count; i++)
        if (scene->items.items[i].kind == ITEM_OPEN)
            draw_frame(svg, scene, layout, i);
    draw_lifelines(svg, scene, layout);
    for (size_t i = 0; i < scene->items.count; i++)
        draw_item(svg, scene, layout, i);
    text_puts(svg->out, "</g>\n");
}

void draw_svg(const Sources *sources, const SceneList *scenes, Text *out)
{
    Svg svg = {sources, scenes, out};
    Layout **layouts = ARENA_ARRAY(out->arena, Layout *, scenes->count + 1);
    int y = MARGIN, width = 0;
    for (size_t i = 0; i < scenes->count; i++) {
        layouts[i] = layout_new(out->arena, sources, scenes->items[i], y);
        y = layouts[i]->bottom + BETWEEN;
        int right = layouts[i]->right - layouts[i]->left;
        width = right > width ? right : width;
    }
    width += 2 * MARGIN;
    int height = y - BETWEEN + MARGIN;
    text_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n",
        width, height, width, height);
    text_puts(out, style);
    for (size_t i = 0; i < scenes->count; i++)
        draw_scene(&svg, scenes->items[i], layouts[i], MARGIN - layouts[i]->left);
    text_puts(out, "</svg>\n");
}
