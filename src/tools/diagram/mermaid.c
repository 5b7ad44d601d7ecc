// mermaid.c: a scene as a Mermaid sequence diagram, as README files show it.

#include "tools/diagram/draw.h"
#include "tools/diagram/words.h"

#include <string.h>
#include <strings.h>

enum { LONGEST = 60 }; // characters of a label

typedef struct {
    const Scene *scene;
    Words words;
    Text *out;
    int depth;
} Mermaid;

// Mermaid ends a line at ';' and begins an entity with '#'; some of its renderers take '<' and '>' for HTML.
static void put_label(const Mermaid *mermaid, const char *label)
{
    label = words_shorten(&mermaid->words, label, LONGEST);
    for (; *label != '\0'; label++) {
        if (strchr(";#<>", *label) != NULL)
            text_printf(mermaid->out, "#%d;", *label);
        else
            text_add(mermaid->out, label, 1);
    }
}

static void begin_line(const Mermaid *mermaid, const char *word)
{
    text_printf(mermaid->out, "    %*s%s", mermaid->depth * 4, "", word);
}

static void put_line(const Mermaid *mermaid, const char *word, const char *label)
{
    begin_line(mermaid, word);
    if (label[0] != '\0') {
        text_puts(mermaid->out, " ");
        put_label(mermaid, label);
    }
    text_puts(mermaid->out, "\n");
}

// Words of Mermaid, in whatever case, can't be names.
static const char *line_name(const Mermaid *mermaid, size_t line)
{
    static const char *const words[] = {"participant", "actor", "note",  "end",    "loop",    "alt",
                                        "else",        "opt",   "par",   "and",    "box",     "rect",
                                        "break",       "over",  "title", "create", "destroy", "option",
                                        "critical",    "links", "link",  "left",   "right"};
    const char *name = mermaid->scene->lifelines.items[line].name;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(words[i], name) == 0)
            return arena_printf(mermaid->words.arena, "R_%s", name);
    return name;
}

// A note spans all lifelines from its first to its last.
static void begin_note(const Mermaid *mermaid, const LineSet *lines)
{
    size_t last = mermaid->scene->lifelines.count;
    size_t from = lines->count > 0 ? lines->items[0] : 0;
    size_t to = lines->count > 0 ? lines->items[lines->count - 1] : last - 1;
    begin_line(mermaid, "note over ");
    text_puts(mermaid->out, line_name(mermaid, from));
    if (to != from)
        text_printf(mermaid->out, ",%s", line_name(mermaid, to));
    text_puts(mermaid->out, ": ");
}

// Steps of the same role, one after the other, share a note. Returns the last item that is in it.
static size_t put_note(const Mermaid *mermaid, size_t at)
{
    size_t end = scene_last_step(mermaid->scene, at);
    if (mermaid->scene->lifelines.count == 0)
        return end;
    begin_note(mermaid, &mermaid->scene->items.items[at].lines);
    for (size_t i = at; i <= end; i++) {
        text_puts(mermaid->out, i > at ? "<br/>" : "");
        put_label(mermaid, mermaid->scene->items.items[i].text);
    }
    text_puts(mermaid->out, "\n");
    return end;
}

static void put_message(const Mermaid *mermaid, const Item *item)
{
    for (size_t i = 0; i < item->lines.count; i++) {
        begin_line(mermaid, "");
        text_printf(mermaid->out, "%s->>%s: ", line_name(mermaid, item->from),
                    line_name(mermaid, item->lines.items[i]));
        put_label(mermaid, item->text);
        text_puts(mermaid->out, "\n");
    }
}

static const char *join(const Mermaid *mermaid, const char *first, const char *second)
{
    return second[0] == '\0' ? first : arena_printf(mermaid->words.arena, "%s %s", first, second);
}

// Of a switch, the first case's label belongs to the line that opens the frame.
static void put_open(Mermaid *mermaid, const Item *item, const Item *first_case)
{
    switch (item->frame) {
    case FRAME_CHOICE:
        if (first_case != NULL)
            put_line(mermaid, "alt",
                     arena_printf(mermaid->words.arena, "%s: %s", item->text,
                                  join(mermaid, first_case->word, first_case->text)));
        else
            put_line(mermaid, "alt", item->text);
        break;
    case FRAME_LOOP:
        put_line(mermaid, "loop", strcmp(item->word, "loop") == 0 ? item->text : join(mermaid, item->word, item->text));
        break;
    case FRAME_PAR:
        put_line(mermaid, "par", item->text);
        break;
    case FRAME_CHECKPOINT:
        put_line(mermaid, "critical", join(mermaid, item->word, item->text));
        break;
    }
    mermaid->depth++;
}

static void put_divide(Mermaid *mermaid, const Item *item)
{
    mermaid->depth--;
    if (item->frame == FRAME_CHECKPOINT)
        put_line(mermaid, "option", join(mermaid, item->word, item->text));
    else if (item->frame == FRAME_PAR)
        put_line(mermaid, "and", item->text);
    else
        put_line(mermaid, "else",
                 strcmp(item->word, "else if") == 0 ? item->text
                 : strcmp(item->word, "else") == 0  ? ""
                                                    : join(mermaid, item->word, item->text));
    mermaid->depth++;
}

void draw_mermaid(const Sources *sources, const Scene *scene, Text *out)
{
    Mermaid mermaid = {scene, {out->arena, sources}, out, 0};
    text_puts(out, "sequenceDiagram\n");
    for (size_t i = 0; i < scene->lifelines.count; i++) {
        const Lifeline *line = &scene->lifelines.items[i];
        const char *name = line_name(&mermaid, i);
        if (line->is_family || strcmp(name, line->name) != 0)
            text_printf(out, "    participant %s as %s%s\n", name, line->name, line->is_family ? "[]" : "");
        else
            text_printf(out, "    participant %s\n", name);
    }
    for (size_t i = 0; i < scene->items.count; i++) {
        const Item *item = &scene->items.items[i];
        const Item *next = i + 1 < scene->items.count ? &scene->items.items[i + 1] : NULL;
        bool is_switch = item->kind == ITEM_OPEN && next != NULL && next->kind == ITEM_DIVIDE;
        switch (item->kind) {
        case ITEM_MESSAGE:
            put_message(&mermaid, item);
            break;
        case ITEM_STEP:
        case ITEM_CALL:
        case ITEM_RETURN:
        case ITEM_LEAVE:
            i = put_note(&mermaid, i);
            break;
        case ITEM_OPEN:
            put_open(&mermaid, item, is_switch ? next : NULL);
            i += is_switch;
            break;
        case ITEM_DIVIDE:
            put_divide(&mermaid, item);
            break;
        case ITEM_CLOSE:
            mermaid.depth--;
            put_line(&mermaid, "end", "");
            break;
        }
    }
}
