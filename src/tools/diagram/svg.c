// svg.c: scenes as one SVG document.

#include "tools/diagram/draw.h"
#include "tools/diagram/layout.h"
#include "tools/diagram/svg_parts.h"
#include "tools/diagram/words.h"

#include <string.h>

enum { MARGIN = 16, BETWEEN = 36, HEAD_PAD = 14, LOOP_HEIGHT = 14, LOOP_WIDTH = 34 };

typedef struct {
    const Sources *sources;
    const SceneList *scenes;
    Text *out;
} Svg;

// ---- items ----

static const char *frame_class(FrameKind frame)
{
    static const char *const classes[] = {"choice", "loop", "checkpoint", "par"};
    return classes[frame];
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
            svg_box(svg->out, frame->left, y, frame->right, frame->bottom, "rescue", 0);
        snprintf(classes, sizeof classes, "frame part %s", frame_class(items[i].frame));
        svg_line(svg->out, frame->left, y, frame->right, y, classes);
    }
    snprintf(classes, sizeof classes, "frame %s", frame_class(items[at].frame));
    svg_box(svg->out, frame->left, frame->top, frame->right, frame->bottom, classes, 4);
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
    svg_open(svg->sources, svg->out, item->span, item->text);
    svg_text(svg->out, frame->left + 8, y, classes, item->word);
    if (item->text[0] != '\0')
        svg_text(svg->out, frame->left + 14 + layout_text_width(item->word), y, "say", place->text);
    svg_close(svg->out);
}

static void draw_message(const Svg *svg, const Layout *layout, const Item *item, const Place *place)
{
    int from = layout->columns[item->from], y = place->bottom - 8;
    svg_open(svg->sources, svg->out, item->span, item->text);
    if (item->lines.count == 1 && item->lines.items[0] == item->from) {
        text_printf(svg->out, "<path d=\"M%d %d h%d v%d h%d\" class=\"arrow\"/>\n", from, y - LOOP_HEIGHT, LOOP_WIDTH,
                    LOOP_HEIGHT, 8 - LOOP_WIDTH);
        svg_tip(svg->out, from, y, TIP_LEFT);
        svg_text(svg->out, from + LOOP_WIDTH + 8, y - 3, "say", place->text);
        svg_close(svg->out);
        return;
    }
    int nearest = layout->columns[scene_nearest(item)];
    for (size_t i = 0; i < item->lines.count; i++) {
        int to = layout->columns[item->lines.items[i]];
        svg_line(svg->out, from, y, to > from ? to - 4 : to + 4, y, "arrow");
        svg_tip(svg->out, to, y, to > from ? TIP_RIGHT : TIP_LEFT);
    }
    svg_text(svg->out, (from + nearest) / 2, y - 7, "say mid", place->text);
    svg_close(svg->out);
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
    svg_open(svg->sources, svg->out, item->span, item->text);
    svg_box(svg->out, place->left, place->top, place->right, place->bottom,
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
        svg_text(svg->out, middle, y, item->kind == ITEM_LEAVE ? "leave-text mid" : "mid", layout->places[i].text);
    }
    text_puts(svg->out, is_link ? "</a>" : "");
    svg_close(svg->out);
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
        svg_line(svg->out, layout->columns[i], layout->heads_top + HEAD_HEIGHT, layout->columns[i], layout->bottom,
                 "life");
    for (size_t i = 0; i < scene->lifelines.count; i++) {
        const Lifeline *line = &scene->lifelines.items[i];
        const char *name = line->is_family ? arena_printf(svg->out->arena, "%s[]", line->name) : line->name;
        int x = layout->columns[i], half = layout_text_width(name) / 2 + HEAD_PAD, top = layout->heads_top;
        if (line->is_family)
            svg_box(svg->out, x - half + 4, top - 4, x + half + 4, top + HEAD_HEIGHT - 4, "head", 4);
        svg_box(svg->out, x - half, top, x + half, top + HEAD_HEIGHT, "head", 4);
        svg_text(svg->out, x, top + HEAD_HEIGHT - 10, "role mid", name);
    }
}

static void draw_scene(const Svg *svg, const Scene *scene, const Layout *layout, int shift)
{
    text_printf(svg->out, "<g id=\"%s.%s\" transform=\"translate(%d 0)\">\n", scene->choreography, scene->name, shift);
    svg_open(svg->sources, svg->out, scene->span, scene->signature);
    svg_text(svg->out, layout->left, layout->heads_top - TITLE_HEIGHT + 18, "title", scene->name);
    svg_text(svg->out, layout->left, layout->heads_top - TITLE_HEIGHT + 38, "small", layout->signature);
    svg_close(svg->out);
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
    svg_begin(out, width, height);
    for (size_t i = 0; i < scenes->count; i++)
        draw_scene(&svg, scenes->items[i], layouts[i], MARGIN - layouts[i]->left);
    text_puts(out, "</svg>\n");
}
