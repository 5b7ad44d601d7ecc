// lens.c: above each function, a role's part of it and its diagram; and what is shown then.

#define _GNU_SOURCE

#include "base/text.h"
#include "compiler/driver/path.h"
#include "tools/diagram/draw.h"
#include "tools/lsp/known.h"
#include "tools/lsp/uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// More roles than this would fill the line.
enum { PARTS_MAX = 8 };

static json_t *lens(const Question *question, const TreeDef *def, const char *title, const char *command,
                    const char *choreography, const char *role)
{
    json_t *argument = json_pack("{s:o, s:o, s:o}", "uri", reply_text(question->document->uri), "choreography",
                                 reply_text(choreography), "def", reply_text(def->name.text));
    if (role != NULL)
        reply_set(argument, "role", reply_text(role));
    return json_pack("{s:o, s:{s:o, s:s, s:[o]}}", "range",
                     reply_range(&question->view->lines, def->name.span.start, def->name.span.end), "command", "title",
                     reply_text(title), "command", command, "arguments", argument);
}

static bool has_part(const Known *known, const char *def, RoleId role)
{
    const LocalProgram *local = known->choreography->locals[role];
    for (size_t i = 0; i < local->functions.count; i++) {
        const Instance *instance = local->functions.items[i]->instance;
        if (instance->def != NULL && instance->def->name.text != NULL && strcmp(instance->def->name.text, def) == 0 &&
            local->functions.items[i]->body.count > 0)
            return true;
    }
    return false;
}

json_t *feature_lenses(const Question *question)
{
    json_t *array = json_array();
    for (size_t i = 0; i < question->view->blocks.count; i++) {
        const Tree *tree = question->view->blocks.items[i].tree;
        Known known;
        bool is_known = known_of(question->document, tree->name.text, &known);
        for (size_t k = 0; tree->name.text != NULL && k < tree->defs.count; k++) {
            const TreeDef *def = tree->defs.items[k];
            if (def->module != NULL || def->name.text == NULL)
                continue;
            size_t parts = 0;
            for (RoleId role = 0; is_known && role < known.program->role_count && parts < PARTS_MAX; role++) {
                const char *name = known.program->role_names[role];
                if (!has_part(&known, def->name.text, role))
                    continue;
                parts++;
                reply_add(array, lens(question, def, arena_printf(question->arena, "%s's part", name),
                                      "chorex.showPart", tree->name.text, name));
            }
            reply_add(array, lens(question, def, "diagram", "chorex.showDiagram", tree->name.text, NULL));
        }
    }
    return array;
}

// ---- what is shown ----

// Asks the client to show a text, as a file.
static void show(Server *server, Arena *arena, const char *name, const char *text, bool is_external)
{
    if (!server->shows_documents)
        return;
    if (server->folder == NULL) {
        const char *above = getenv("TMPDIR");
        char *folder = arena_printf(server->arena, "%s/chorex-lsp-XXXXXX", above != NULL ? above : "/tmp");
        server->folder = mkdtemp(folder);
    }
    if (server->folder == NULL)
        return;
    const char *path = path_join(arena, server->folder, name);
    if (path_replace(arena, path, text, strlen(text)) != NULL)
        return;
    server_ask(server, "window/showDocument",
               json_pack("{s:o, s:b, s:b}", "uri", reply_text(uri_of_path(arena, path)), "external", is_external,
                         "takeFocus", 0));
}

static const char *draw(Arena *arena, const View *view, const Block *block, const char *def)
{
    SceneList scenes = {0};
    for (size_t i = 0; i < block->tree->defs.count; i++)
        if (block->tree->defs.items[i]->name.text != NULL && strcmp(block->tree->defs.items[i]->name.text, def) == 0)
            vector_push(arena, &scenes, scene_new(arena, view->sources, block->tree, block->tree->defs.items[i]));
    if (scenes.count == 0)
        return NULL;
    Text text;
    text_init(&text, arena);
    draw_svg(view->sources, &scenes, &text);
    return text.chars;
}

typedef struct {
    Document *document;
    const char *choreography, *def, *role;
} Subject;

static json_t *show_part(Server *server, Arena *arena, const Subject *subject, const char **error)
{
    Known known;
    if (subject->role == NULL || !known_of(subject->document, subject->choreography, &known)) {
        *error = "nothing is known of this choreography while there are errors in it";
        return NULL;
    }
    const char *part = known_part(arena, &known, subject->def, subject->role);
    if (part == NULL) {
        *error = "this role has no part in this function";
        return NULL;
    }
    const char *title = arena_printf(arena, "%s's part of %s.%s", subject->role, subject->choreography, subject->def);
    show(server, arena, arena_printf(arena, "%s.%s.%s.txt", subject->choreography, subject->def, subject->role), part,
         false);
    return json_pack("{s:o, s:o}", "title", reply_text(title), "text", reply_text(part));
}

static json_t *show_diagram(Server *server, Arena *arena, const Subject *subject, const char **error)
{
    const View *view = document_view(subject->document);
    const Block *block = view_block_named(view, subject->choreography);
    // A picture of a block that is half typed would be of something else.
    Diags *diags = block != NULL ? diags_new(arena, view->sources) : NULL;
    if (block != NULL)
        parse_block(arena, view->sources, diags, block->found);
    const char *picture = diags != NULL && diags_errors(diags) == 0 ? draw(arena, view, block, subject->def) : NULL;
    if (picture == NULL) {
        *error = "there is no such function, or there are errors in the choreography";
        return NULL;
    }
    show(server, arena, arena_printf(arena, "%s.%s.svg", subject->choreography, subject->def), picture, true);
    return json_pack("{s:o, s:o}", "title",
                     reply_text(arena_printf(arena, "%s.%s", subject->choreography, subject->def)), "svg",
                     reply_text(picture));
}

json_t *feature_command(Server *server, Arena *arena, const json_t *params, const char **error)
{
    const char *command = reply_string(params, "command");
    const json_t *argument = json_array_get(json_object_get(params, "arguments"), 0);
    const char *uri = reply_string(argument, "uri");
    Subject subject = {uri != NULL ? documents_find(&server->documents, uri) : NULL,
                       reply_string(argument, "choreography"), reply_string(argument, "def"),
                       reply_string(argument, "role")};
    if (command == NULL || subject.document == NULL || subject.choreography == NULL || subject.def == NULL) {
        *error = "the command needs a document, a choreography and a function of it";
        return NULL;
    }
    // They become names of files.
    if (strpbrk(subject.choreography, "/") != NULL || strchr(subject.def, '/') != NULL ||
        (subject.role != NULL && strchr(subject.role, '/') != NULL)) {
        *error = "there is no such function";
        return NULL;
    }
    if (strcmp(command, "chorex.showPart") == 0)
        return show_part(server, arena, &subject, error);
    if (strcmp(command, "chorex.showDiagram") == 0)
        return show_diagram(server, arena, &subject, error);
    *error = "there is no such command";
    return NULL;
}
