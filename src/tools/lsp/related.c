// related.c: the files that may have to do with a document.

#define _GNU_SOURCE

#include "compiler/driver/path.h"
#include "tools/lsp/thing.h"

#include <dirent.h>
#include <string.h>

// A folder with more files than this is not searched to its end.
enum { FILES_MAX = 400 };

static void add_view(const Question *question, const char *path, ViewList *views)
{
    if (views->count >= FILES_MAX)
        return;
    for (size_t i = 0; i < views->count; i++)
        if (strcmp(views->items[i]->path, path) == 0)
            return;
    const View *view = documents_view(&question->server->documents, path);
    if (view != NULL)
        vector_push(question->arena, views, view);
}

static bool is_c_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    if (dot == NULL || view_is_companion(name))
        return false;
    return strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".chor") == 0;
}

static void add_folder(const Question *question, const char *path, ViewList *views)
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        if (is_c_name(entry->d_name))
            add_view(question, path_real(question->arena, path_join(question->arena, path, entry->d_name)), views);
    if (folder != NULL)
        closedir(folder);
}

void related_views(const Question *question, ViewList *views)
{
    Arena *arena = question->arena;
    vector_push(arena, views, question->view);
    const Documents *documents = &question->server->documents;
    for (size_t i = 0; i < documents->count; i++)
        add_view(question, documents->items[i]->path, views);
    const Analysis *analysis = question->document->latest;
    for (size_t i = 0; analysis != NULL && analysis->unit != NULL && i < analysis->unit->choreographies.count; i++)
        add_view(question, analysis->unit->choreographies.items[i]->file->real_path, views);
    add_folder(question, path_directory(arena, question->document->path), views);
    FlagList files = {0};
    flags_files(arena, question->document->path, &files);
    for (size_t i = 0; i < files.count; i++)
        add_view(question, files.items[i], views);
}
