// diagram.c: the command `chorex diagram`: what to draw, and where to write it.

#include "tools/diagram/diagram.h"

#include "base/similar.h"
#include "compiler/driver/cc.h"
#include "compiler/driver/chorcc.h"
#include "tools/diagram/draw.h"
#include "tools/diagram/flow.h"
#include "tools/diagram/graph.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef enum { FORMAT_SVG, FORMAT_MERMAID } Format;
typedef enum { VIEW_SEQUENCE, VIEW_FLOW, VIEW_GRAPH } View;

typedef struct {
    const char *file, *what; // what: NAME or NAME.DEF, NULL for everything
    const char *out;         // NULL: standard output
    const char *role;        // VIEW_FLOW: whose program
    Format format;
    View view;
    VECTOR(const char *) rest; // for the compiler
} Wanted;

static void print_help(void)
{
    fputs("Usage: chorex diagram FILE [NAME[.DEF]] [OPTIONS]\n"
          "\n"
          "Draws the choreographies of a C file as sequence diagrams: all of them, those of the choreography NAME, or "
          "one definition.\n"
          "\n"
          "  -o OUT              write to this file; a name in .mmd is written as Mermaid\n"
          "  --role ROLE         a flowchart of what this role does\n"
          "  --view graph        who talks to whom, with what the compiler adds: who is told how a choice went\n"
          "  --format=svg        a self-contained picture: follows the reader's light or dark mode; the pointer shows "
          "source lines;\n"
          "                      calls are links (default)\n"
          "  --format=mermaid    text that README files on many sites show as a diagram: one definition, or each after "
          "a '%%' line\n"
          "  -I DIR, -D NAME...  as for chorcc\n",
          stdout);
}

static int fail(const char *message)
{
    fprintf(stderr, "chorex: error: %s (see 'chorex diagram --help')\n", message);
    return 2;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

typedef VECTOR(const char *) NameTexts;

// Is this the option, as "--role Bob" or "--role=Bob"? Then `value` is what follows, NULL: nothing does.
static bool takes_value(const char *const *words, size_t count, size_t *at, const char *option, const char **value)
{
    size_t length = strlen(option);
    if (strncmp(words[*at], option, length) != 0)
        return false;
    if (words[*at][length] == '=' && option[1] == '-') {
        *value = words[*at] + length + 1;
        return true;
    }
    if (words[*at][length] != '\0')
        return false;
    *value = *at + 1 < count ? words[++*at] : NULL;
    return true;
}

// NULL, or what is wrong.
static const char *read_words(Arena *arena, const char *const *words, size_t count, Wanted *wanted)
{
    bool has_format = false;
    for (size_t i = 0; i < count; i++) {
        const char *word = words[i], *value, *wrong = NULL;
        if (takes_value(words, count, &i, "-o", &value)) {
            wanted->out = value;
            wrong = value == NULL ? "-o needs the name of a file" : NULL;
        } else if (takes_value(words, count, &i, "--role", &value)) {
            wanted->role = value;
            wrong = value == NULL ? "--role needs the name of a role" : NULL;
        } else if (takes_value(words, count, &i, "--view", &value)) {
            bool is_graph = value != NULL && strcmp(value, "graph") == 0;
            wanted->view = is_graph ? VIEW_GRAPH : VIEW_SEQUENCE;
            wrong =
                is_graph || (value != NULL && strcmp(value, "sequence") == 0) ? NULL : "--view is sequence or graph";
        } else if (strncmp(word, "--format=", 9) == 0) {
            has_format = true;
            if (strcmp(word + 9, "svg") != 0 && strcmp(word + 9, "mermaid") != 0)
                return "--format is svg or mermaid";
            wanted->format = strcmp(word + 9, "svg") == 0 ? FORMAT_SVG : FORMAT_MERMAID;
        } else if (word[0] == '-' &&
                   (word[1] == 'I' || word[1] == 'D' || word[1] == 'U' || strcmp(word, "-include") == 0)) {
            vector_push(arena, &wanted->rest, word);
            if ((word[2] == '\0' || word[1] == 'i') && i + 1 < count)
                vector_push(arena, &wanted->rest, words[++i]);
        } else if (word[0] == '-' && word[1] != '\0') {
            return arena_printf(arena, "unknown option '%s'", word);
        } else if (wanted->file == NULL) {
            wanted->file = word;
        } else if (wanted->what == NULL) {
            wanted->what = word;
        } else {
            return "one file and one choreography at a time";
        }
        if (wrong != NULL)
            return wrong;
    }
    if (wanted->role != NULL && wanted->view == VIEW_GRAPH)
        return "--role and --view graph are two pictures";
    wanted->view = wanted->role != NULL ? VIEW_FLOW : wanted->view;
    if (!has_format && wanted->out != NULL && ends_with(wanted->out, ".mmd"))
        wanted->format = FORMAT_MERMAID;
    return wanted->file == NULL ? "no input file" : NULL;
}

// Is `NAME.DEF`, or `NAME`, this definition?
static bool is_wanted(const char *what, const char *choreography, const char *def)
{
    size_t length = strlen(choreography);
    if (what == NULL)
        return true;
    if (strncmp(what, choreography, length) != 0)
        return false;
    return what[length] == '\0' || (what[length] == '.' && strcmp(what + length + 1, def) == 0);
}

static void find_scenes(Arena *arena, const Compilation *compilation, const char *what, SceneList *scenes,
                        NameTexts *names)
{
    for (size_t i = 0; i < compilation->choreographies.count; i++) {
        const Tree *tree = compilation->choreographies.items[i]->tree;
        if (tree == NULL || tree->name.text == NULL)
            continue;
        vector_push(arena, names, (const char *)tree->name.text);
        for (size_t k = 0; k < tree->defs.count; k++) {
            const char *def = tree->defs.items[k]->name.text;
            vector_push(arena, names, (const char *)arena_printf(arena, "%s.%s", tree->name.text, def));
            if (is_wanted(what, tree->name.text, def))
                vector_push(arena, scenes, scene_new(arena, compilation->sources, tree, tree->defs.items[k]));
        }
    }
}

static void draw(const Sources *sources, const Wanted *wanted, const SceneList *scenes, Text *out)
{
    if (wanted->format == FORMAT_SVG) {
        draw_svg(sources, scenes, out);
        return;
    }
    for (size_t i = 0; i < scenes->count; i++) {
        if (scenes->count > 1)
            text_printf(out, "%s%%%% %s.%s\n", i > 0 ? "\n" : "", scenes->items[i]->choreography,
                        scenes->items[i]->name);
        draw_mermaid(sources, scenes->items[i], out);
    }
}

// Of each scene in which the role takes part. False: there is none, which is reported.
static bool draw_flows(Arena *arena, const Sources *sources, const Wanted *wanted, const SceneList *scenes, Text *out)
{
    FlowList flows = {0};
    NameTexts names = {0};
    for (size_t i = 0; i < scenes->count; i++)
        for (size_t k = 0; k < scenes->items[i]->lifelines.count; k++) {
            const char *name = scenes->items[i]->lifelines.items[k].name;
            vector_push(arena, &names, name);
            if (strcmp(name, wanted->role) == 0)
                vector_push(arena, &flows, flow_new(arena, scenes->items[i], k));
        }
    if (flows.count == 0) {
        const char *best = closest_name(wanted->role, names.items, names.count);
        fprintf(stderr, "chorex: error: there is no role '%s' in '%s'", wanted->role, wanted->file);
        fprintf(stderr, best != NULL ? "; did you mean '%s'?\n" : "\n", best);
        return false;
    }
    if (wanted->format == FORMAT_SVG)
        draw_flow_svg(sources, &flows, out);
    for (size_t i = 0; wanted->format == FORMAT_MERMAID && i < flows.count; i++) {
        if (flows.count > 1)
            text_printf(out, "%s%%%% %s.%s\n", i > 0 ? "\n" : "", flows.items[i]->scene->choreography,
                        flows.items[i]->scene->name);
        draw_flow_mermaid(sources, flows.items[i], out);
    }
    return true;
}

static void draw_graphs(Arena *arena, const Compilation *compilation, const Wanted *wanted, Text *out)
{
    GraphList graphs = {0};
    for (size_t i = 0; i < compilation->choreographies.count; i++) {
        const Choreography *choreography = compilation->choreographies.items[i];
        bool is_named = wanted->what == NULL || is_wanted(wanted->what, choreography->tree->name.text, "");
        if (is_named && choreography->locals != NULL)
            vector_push(arena, &graphs, graph_new(arena, compilation->sources, choreography));
    }
    if (wanted->format == FORMAT_SVG)
        draw_graph_svg(compilation->sources, &graphs, out);
    for (size_t i = 0; wanted->format == FORMAT_MERMAID && i < graphs.count; i++) {
        if (graphs.count > 1)
            text_printf(out, "%s%%%% %s\n", i > 0 ? "\n" : "", graphs.items[i]->name);
        draw_graph_mermaid(compilation->sources, graphs.items[i], out);
    }
}

static int write_out(const char *path, const Text *text)
{
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    bool good = file != NULL && fwrite(text->chars, 1, text->length, file) == text->length;
    int error = errno;
    if (path != NULL && file != NULL && fclose(file) != 0) {
        good = false;
        error = errno;
    }
    if (good)
        return 0;
    fprintf(stderr, "chorex: error: '%s' can't be written: %s\n", path != NULL ? path : "standard output",
            strerror(error));
    return 1;
}

static int run(Arena *arena, const Wanted *wanted)
{
    CompilationOptions options = {
        .until = wanted->view == VIEW_GRAPH ? PASS_PROJECT : PASS_PARSE,
        .cc_args = wanted->rest.items,
        .cc_arg_count = wanted->rest.count,
        .include_dir = places_find(arena).include_dir,
        .wants_all = true,
    };
    Compilation *compilation = compilation_new(arena, &options);
    compilation_add(compilation, wanted->file);
    diags_print(compilation->diags, DIAG_TEXT, false, stderr);
    if (diags_errors(compilation->diags) > 0)
        return 1;
    SceneList scenes = {0};
    NameTexts names = {0};
    find_scenes(arena, compilation, wanted->what, &scenes, &names);
    if (scenes.count == 0 && wanted->what != NULL) {
        const char *best = closest_name(wanted->what, names.items, names.count);
        fprintf(stderr, "chorex: error: there is no '%s' in '%s'", wanted->what, wanted->file);
        if (best != NULL)
            fprintf(stderr, "; did you mean '%s'?", best);
        fputs("\n", stderr);
        return 1;
    }
    if (scenes.count == 0) {
        fprintf(stderr, "chorex: error: there is no choreography in '%s'\n", wanted->file);
        return 1;
    }
    Text text;
    text_init(&text, arena);
    if (wanted->view == VIEW_GRAPH)
        draw_graphs(arena, compilation, wanted, &text);
    else if (wanted->view == VIEW_SEQUENCE)
        draw(compilation->sources, wanted, &scenes, &text);
    else if (!draw_flows(arena, compilation->sources, wanted, &scenes, &text))
        return 1;
    return write_out(wanted->out, &text);
}

int diagram_command(const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            print_help();
            return 0;
        }
    Arena *arena = arena_new();
    Wanted wanted = {0};
    const char *error = read_words(arena, words, count, &wanted);
    int status = error != NULL ? fail(error) : run(arena, &wanted);
    arena_free(arena);
    return status;
}
