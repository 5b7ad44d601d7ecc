// document.c: see document.h.

#define _GNU_SOURCE

#include "tools/lsp/document.h"

#include "compiler/driver/path.h"
#include "tools/lsp/uri.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Larger files on disk are not looked into; so many of them are kept.
enum { CLOSED_SIZE_MAX = 4 * 1024 * 1024, CLOSED_MAX = 1000 };

struct ClosedFile {
    char *path;
    struct timespec changed;
    off_t size;
    View *view; // NULL: it can't be read
};

static void *enough(void *memory)
{
    if (memory == NULL)
        abort();
    return memory;
}

static void forget(Document *document)
{
    view_free(document->view);
    document->view = NULL;
}

static void document_free(Document *document)
{
    forget(document);
    if (document->good != document->latest)
        analysis_free(document->good);
    analysis_free(document->latest);
    free(document->uri);
    free(document->path);
    free(document->text);
    free(document);
}

void documents_fini(Documents *documents)
{
    for (size_t i = 0; i < documents->count; i++)
        document_free(documents->items[i]);
    for (size_t i = 0; i < documents->closed_count; i++) {
        view_free(documents->closed[i].view);
        free(documents->closed[i].path);
    }
    free(documents->items);
    free(documents->closed);
    *documents = (Documents){0};
}

Document *documents_find(const Documents *documents, const char *uri)
{
    for (size_t i = 0; i < documents->count; i++)
        if (strcmp(documents->items[i]->uri, uri) == 0)
            return documents->items[i];
    // Clients may escape the same address in another way later.
    Arena *arena = arena_new();
    const char *path = uri_path(arena, uri);
    Document *found = path != NULL ? documents_find_path(documents, path_real(arena, path)) : NULL;
    arena_free(arena);
    return found;
}

Document *documents_find_path(const Documents *documents, const char *path)
{
    for (size_t i = 0; i < documents->count; i++)
        if (strcmp(documents->items[i]->path, path) == 0)
            return documents->items[i];
    return NULL;
}

Document *documents_open(Documents *documents, const char *uri, int64_t version, const char *text, size_t size)
{
    Document *document = documents_find(documents, uri);
    if (document == NULL) {
        Arena *arena = arena_new();
        const char *path = uri_path(arena, uri);
        char *real = path != NULL ? enough(strdup(path_real(arena, path))) : NULL;
        arena_free(arena);
        if (real == NULL)
            return NULL;
        document = enough(calloc(1, sizeof *document));
        document->uri = enough(strdup(uri));
        document->path = real;
        document->looked_at = -1;
        if (documents->count == documents->capacity) {
            documents->capacity = documents->capacity * 2 + 8;
            documents->items = enough(realloc(documents->items, documents->capacity * sizeof *documents->items));
        }
        documents->items[documents->count++] = document;
    }
    document->version = version;
    document_replace(document, text, size);
    return document;
}

void documents_close(Documents *documents, Document *document)
{
    for (size_t i = 0; i < documents->count; i++)
        if (documents->items[i] == document)
            documents->items[i--] = documents->items[--documents->count];
    document_free(document);
}

void document_replace(Document *document, const char *text, size_t size)
{
    char *copy = enough(malloc(size + 1));
    memcpy(copy, text, size);
    copy[size] = '\0';
    free(document->text);
    document->text = copy;
    document->size = size;
    document->edits++;
    forget(document);
}

void document_edit(Document *document, Place start, Place end, const char *text, size_t size)
{
    Lines lines;
    lines_init(&lines, document->text, (uint32_t)document->size);
    uint32_t from = lines_offset(&lines, start), to = lines_offset(&lines, end);
    lines_fini(&lines);
    if (to < from)
        to = from;
    size_t rest = document->size - to;
    char *copy = enough(malloc(from + size + rest + 1));
    memcpy(copy, document->text, from);
    memcpy(copy + from, text, size);
    memcpy(copy + from + size, document->text + to, rest);
    copy[from + size + rest] = '\0';
    free(document->text);
    document->text = copy;
    document->size = from + size + rest;
    document->edits++;
    forget(document);
}

void document_learn(Document *document, Analysis *analysis)
{
    if (document->latest != document->good)
        analysis_free(document->latest);
    document->latest = analysis;
    if (analysis->is_good) {
        analysis_free(document->good);
        document->good = analysis;
    }
    // What is a function of a role is known better now.
    forget(document);
}

View *document_view(Document *document)
{
    if (document->view != NULL)
        return document->view;
    Arena *arena = arena_new();
    Map known;
    map_init(&known, arena);
    analysis_functions(document->good, arena, &known);
    document->view = view_new(document->path, document->text, document->size, &known);
    arena_free(arena);
    return document->view;
}

// ---- files that are not open ----

static View *read_view(const char *path, const struct stat *status)
{
    if (!S_ISREG(status->st_mode) || status->st_size > CLOSED_SIZE_MAX)
        return NULL;
    Arena *arena = arena_new();
    size_t size;
    char *text = path_read(arena, path, &size);
    View *view = text != NULL ? view_new(path, text, size, NULL) : NULL;
    arena_free(arena);
    return view;
}

View *documents_view(Documents *documents, const char *path)
{
    Document *document = documents_find_path(documents, path);
    if (document != NULL)
        return document_view(document);
    struct stat status;
    if (stat(path, &status) != 0)
        return NULL;
    for (size_t i = 0; i < documents->closed_count; i++) {
        ClosedFile *file = &documents->closed[i];
        if (strcmp(file->path, path) != 0)
            continue;
        if (file->size == status.st_size && file->changed.tv_sec == status.st_mtim.tv_sec &&
            file->changed.tv_nsec == status.st_mtim.tv_nsec)
            return file->view;
        view_free(file->view);
        file->view = read_view(path, &status);
        file->size = status.st_size;
        file->changed = status.st_mtim;
        return file->view;
    }
    if (documents->closed_count == CLOSED_MAX)
        return NULL;
    if (documents->closed_count == documents->closed_capacity) {
        documents->closed_capacity = documents->closed_capacity * 2 + 8;
        documents->closed = enough(realloc(documents->closed, documents->closed_capacity * sizeof *documents->closed));
    }
    ClosedFile file = {enough(strdup(path)), status.st_mtim, status.st_size, read_view(path, &status)};
    documents->closed[documents->closed_count++] = file;
    return file.view;
}
