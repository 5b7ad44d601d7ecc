// layout.c: columns wide enough for what stands between them, rows from top to bottom, frames around what they hold.

#include "tools/diagram/layout.h"

#include "tools/diagram/words.h"

enum {
    LONGEST = 52, // characters of a label
    LONGEST_SIGNATURE = 100,
    BOX_PAD = 10,     // left and right of a box's text
    GAP = 14,         // between a box and the next lifeline
    LEAST_GAP = 90,   // between two lifelines
    ARROW_PAD = 16,   // beside a message's text, at each end
    ROW_GAP = 8,      // below a row
    FRAME_PAD = 12,   // between a frame and what it holds
    LOOP_WIDTH = 34,  // the arrow of a message to itself
    MESSAGE_ROW = 34, // its text and its arrow
    BOX_INSET = 5     // above and below a box's text
};

typedef struct {
    Arena *arena;
    const Scene *scene;
    Layout *layout;
    int *gaps; // gaps[i]: from lifeline i to i + 1
    size_t count;
} Plan;

int layout_text_width(const char *text)
{
    return (int)words_width(text) * CHAR_WIDTH;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

// The lifelines that an item stands on, from the first to the last. Without any of its own: all of them.
static void range_of(const Plan *plan, const Item *item, size_t *first, size_t *last)
{
    *first = item->lines.count > 0 ? item->lines.items[0] : 0;
    *last = item->lines.count > 0 ? item->lines.items[item->lines.count - 1] : plan->count - 1;
    if (item->kind == ITEM_MESSAGE) {
        *first = least(*first, item->from);
        *last = most(*last, item->from);
    }
}

// ---- columns ----

static int distance(const Plan *plan, size_t first, size_t last)
{
    int sum = 0;
    for (size_t i = first; i < last; i++)
        sum += plan->gaps[i];
    return sum;
}

static void widen(const Plan *plan, size_t first, size_t last, int wanted)
{
    int lack = wanted - distance(plan, first, last);
    if (lack <= 0 || last <= first)
        return;
    int share = lack / (int)(last - first) + 1;
    for (size_t i = first; i < last; i++)
        plan->gaps[i] += share;
}

static bool is_box(const Item *item)
{
    return item->kind == ITEM_STEP || item->kind == ITEM_RETURN || item->kind == ITEM_CALL || item->kind == ITEM_LEAVE;
}

static void make_room(const Plan *plan, const Item *item, const char *text)
{
    size_t first, last;
    range_of(plan, item, &first, &last);
    int width = layout_text_width(text);
    if (item->kind == ITEM_MESSAGE && first == last) {
        if (first + 1 < plan->count)
            widen(plan, first, first + 1, width + LOOP_WIDTH + 2 * GAP);
    } else if (item->kind == ITEM_MESSAGE) {
        // Its text stands between the sender and the nearest receiver.
        size_t nearest = scene_nearest(item);
        widen(plan, least(nearest, item->from), most(nearest, item->from), width + 2 * ARROW_PAD);
    } else if (is_box(item) && first == last) {
        int half = width / 2 + BOX_PAD + GAP;
        if (first > 0)
            widen(plan, first - 1, first, half);
        if (first + 1 < plan->count)
            widen(plan, first, first + 1, half);
    } else if (is_box(item)) {
        widen(plan, first, last, width);
    }
}

// Those that concern neighbours first: the others then find much of their room there already.
static void make_columns(const Plan *plan)
{
    for (size_t i = 0; i + 1 < plan->count; i++) {
        int heads = layout_text_width(plan->scene->lifelines.items[i].name) +
                    layout_text_width(plan->scene->lifelines.items[i + 1].name);
        plan->gaps[i] = heads / 2 + 2 * BOX_PAD + 2 * GAP;
        plan->gaps[i] = plan->gaps[i] < LEAST_GAP ? LEAST_GAP : plan->gaps[i];
    }
    for (size_t span = 0; span < plan->count; span++)
        for (size_t i = 0; i < plan->scene->items.count; i++) {
            size_t first, last;
            range_of(plan, &plan->scene->items.items[i], &first, &last);
            if (last - first == span)
                make_room(plan, &plan->scene->items.items[i], plan->layout->places[i].text);
        }
    for (size_t i = 0; i < plan->count; i++)
        plan->layout->columns[i] = distance(plan, 0, i);
}

// ---- edges ----

static void place_across(const Plan *plan, size_t at)
{
    const Item *item = &plan->scene->items.items[at];
    Place *place = &plan->layout->places[at];
    size_t first, last;
    range_of(plan, item, &first, &last);
    place->left = plan->layout->columns[first];
    place->right = plan->layout->columns[last];
    int width = layout_text_width(place->text);
    if (item->kind == ITEM_MESSAGE && first == last)
        place->right += LOOP_WIDTH + GAP + width;
    if (!is_box(item))
        return;
    int wanted = width + 2 * BOX_PAD, middle = (place->left + place->right) / 2;
    if (first != last) {
        place->left -= 2 * BOX_PAD;
        place->right += 2 * BOX_PAD;
    }
    // Leaving a loop is said in its middle.
    if (place->right - place->left < wanted || item->kind == ITEM_LEAVE) {
        place->left = middle - wanted / 2;
        place->right = middle + wanted / 2;
    }
}

// ---- rows ----

// Steps of the same role one after the other share a box, which is as wide as the widest of them.
static size_t place_steps(const Plan *plan, size_t at, int *y)
{
    Place *places = plan->layout->places;
    size_t end = scene_last_step(plan->scene, at);
    int top = *y;
    for (size_t i = at; i <= end; i++) {
        place_across(plan, i);
        places[at].left = places[i].left < places[at].left ? places[i].left : places[at].left;
        places[at].right = places[i].right > places[at].right ? places[i].right : places[at].right;
        places[i].follows = i > at;
        places[i].top = top + BOX_INSET + (int)(i - at) * LINE_HEIGHT;
        places[i].bottom = places[i].top + LINE_HEIGHT;
    }
    places[at].partner = end;
    places[at].bottom = top + 2 * BOX_INSET + (int)(end - at + 1) * LINE_HEIGHT;
    places[at].top = top;
    *y = places[at].bottom + ROW_GAP;
    return end;
}

static void place_row(const Plan *plan, size_t at, int *y)
{
    Place *place = &plan->layout->places[at];
    place_across(plan, at);
    // Results of several roles stand side by side where there is room.
    if (at > 0 && plan->scene->items.items[at].kind == ITEM_RETURN &&
        plan->scene->items.items[at - 1].kind == ITEM_RETURN && place[-1].right + BOX_PAD <= place->left)
        *y = place[-1].top;
    place->top = *y;
    switch (plan->scene->items.items[at].kind) {
    case ITEM_MESSAGE:
        place->bottom = *y + MESSAGE_ROW;
        break;
    case ITEM_OPEN:
    case ITEM_DIVIDE:
        place->bottom = *y + FRAME_HEAD;
        break;
    case ITEM_CLOSE:
        place->bottom = *y + 2;
        break;
    case ITEM_STEP:
    case ITEM_CALL:
    case ITEM_RETURN:
    case ITEM_LEAVE:
        place->bottom = *y + LINE_HEIGHT + 2 * BOX_INSET;
        break;
    }
    *y = place->bottom + ROW_GAP;
}

static int head_width(const Item *item, const char *text)
{
    return layout_text_width(item->word) + layout_text_width(text) + 4 * BOX_PAD;
}

// The frame holds everything between its OPEN and its CLOSE, whose inner frames are closed already.
static void close_frame(const Plan *plan, size_t open, size_t close)
{
    Place *places = plan->layout->places, *frame = &places[open];
    const Item *items = plan->scene->items.items;
    for (size_t i = open + 1; i < close; i++) {
        if (items[i].kind == ITEM_CLOSE || items[i].kind == ITEM_DIVIDE)
            continue;
        frame->left = places[i].left < frame->left ? places[i].left : frame->left;
        frame->right = places[i].right > frame->right ? places[i].right : frame->right;
    }
    frame->left -= FRAME_PAD;
    frame->right += FRAME_PAD;
    for (size_t i = open; i < close; i++)
        if (i == open || (items[i].kind == ITEM_DIVIDE && places[i].partner == open)) {
            int right = frame->left + head_width(&items[i], places[i].text);
            frame->right = right > frame->right ? right : frame->right;
        }
    frame->partner = close;
    frame->bottom = places[close].bottom;
}

static void make_rows(const Plan *plan, int y)
{
    const Item *items = plan->scene->items.items;
    VECTOR(size_t) open = {0};
    for (size_t i = 0; i < plan->scene->items.count; i++) {
        if (items[i].kind == ITEM_STEP) {
            i = place_steps(plan, i, &y);
            continue;
        }
        place_row(plan, i, &y);
        if (items[i].kind == ITEM_DIVIDE || items[i].kind == ITEM_CLOSE)
            plan->layout->places[i].partner = open.items[open.count - 1];
        if (items[i].kind == ITEM_OPEN)
            vector_push(plan->arena, &open, i);
        if (items[i].kind == ITEM_CLOSE)
            close_frame(plan, open.items[--open.count], i);
    }
    plan->layout->bottom = y + ROW_GAP;
}

static void find_edges(const Plan *plan)
{
    Layout *layout = plan->layout;
    for (size_t i = 0; i < plan->count; i++) {
        int half = layout_text_width(plan->scene->lifelines.items[i].name) / 2 + 3 * BOX_PAD;
        layout->left = i == 0 || layout->columns[i] - half < layout->left ? layout->columns[i] - half : layout->left;
        layout->right = i == 0 || layout->columns[i] + half > layout->right ? layout->columns[i] + half : layout->right;
    }
    for (size_t i = 0; i < plan->scene->items.count; i++) {
        const Place *place = &layout->places[i];
        layout->left = place->left < layout->left ? place->left : layout->left;
        layout->right = place->right > layout->right ? place->right : layout->right;
    }
}

// The title, and the signature, which is set smaller.
static void make_room_for_title(const Plan *plan, const Words *words)
{
    Layout *layout = plan->layout;
    layout->signature = words_shorten(words, plan->scene->signature, LONGEST_SIGNATURE);
    int title = layout->left + layout_text_width(plan->scene->name) * 5 / 4;
    int signature = layout->left + layout_text_width(layout->signature);
    layout->right = title > layout->right ? title : layout->right;
    layout->right = signature > layout->right ? signature : layout->right;
}

Layout *layout_new(Arena *arena, const Sources *sources, const Scene *scene, int top)
{
    Layout *layout = ARENA_NEW(arena, Layout);
    Words words = {arena, sources};
    Plan plan = {arena, scene, layout, ARENA_ARRAY(arena, int, scene->lifelines.count + 1), scene->lifelines.count};
    layout->columns = ARENA_ARRAY(arena, int, scene->lifelines.count + 1);
    layout->places = ARENA_ARRAY(arena, Place, scene->items.count + 1);
    for (size_t i = 0; i < scene->items.count; i++)
        layout->places[i].text = words_shorten(&words, scene->items.items[i].text, LONGEST);
    layout->heads_top = top + TITLE_HEIGHT;
    if (plan.count > 0) {
        make_columns(&plan);
        make_rows(&plan, layout->heads_top + HEAD_HEIGHT + 2 * ROW_GAP);
        find_edges(&plan);
    } else {
        layout->bottom = layout->heads_top;
    }
    make_room_for_title(&plan, &words);
    return layout;
}
