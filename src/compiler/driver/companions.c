// companions.c: puts companions on disk.
//
// A file that has the right content is not touched, so that a second build does nothing. One that was made from another
// source, or not by chorcc, is never overwritten.

#define _GNU_SOURCE

#include "compiler/driver/companions.h"

#include "compiler/driver/blocks.h"
#include "compiler/driver/path.h"
#include "compiler/emit/out.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

// What the first comment of a companion says.
#define MADE_FROM "// Made by chorcc from "

// The source that a companion was made from, as it is written there; NULL: it is not a companion.
static const char *origin(Arena *arena, const char *text)
{
    if (strncmp(text, MADE_FROM, strlen(MADE_FROM)) != 0)
        return NULL;
    const char *from = text + strlen(MADE_FROM);
    return c_comment_decode(arena, arena_copy(arena, from, strcspn(from, "\n")));
}

// Does the file still hold a choreography of this name?
static bool holds(Compilation *compilation, const char *path, const char *name)
{
    Arena *arena = compilation->arena;
    const char *error;
    Sources *sources = sources_new(arena);
    Source *source = source_load_any(sources, path, &error);
    if (source == NULL)
        return false;
    Found found = {0};
    find_blocks(arena, sources, source, &found);
    for (size_t i = 0; i < found.blocks.count; i++) {
        const char *inside = span_copy(arena, sources, found.blocks.items[i].inside);
        inside += strspn(inside, " \t\r\n");
        size_t length = strcspn(inside, " \t\r\n,");
        if (length == strlen(name) && memcmp(inside, name, length) == 0)
            return true;
    }
    return false;
}

// Another file than ours that the companion was made from and that would make it again.
static bool is_other_source(Compilation *compilation, const Choreography *choreography, const char *path)
{
    return !file_same(path, choreography->file->source->path) &&
           holds(compilation, path, choreography->tree->name.text);
}

// True: there is nothing at `path`, or it may be replaced: a companion, or an empty file, as a crash of the machine can
// leave it.
static bool may_write(Compilation *compilation, const Choreography *choreography, const char *path)
{
    Arena *arena = compilation->arena;
    Span span = choreography->tree->name.span;
    size_t size = 0;
    char *text = NULL;
    const char *problem = "";
    PathKind kind = path_look(arena, path, &text, &size, &problem);
    if (kind == PATH_OTHER) {
        diag_error(compilation->diags, span, "'%s' is in the way: it %s", path, problem);
        if (compilation->options.emit_dir == NULL)
            diag_note(compilation->diags, SPAN_NONE, "'--emit-dir=DIR' writes companions to another directory");
        return false;
    }
    if (kind == PATH_ABSENT || size == 0)
        return true;
    const char *from = origin(arena, text);
    if (from == NULL) {
        diag_error(compilation->diags, span, "'%s' is in the way: it was not made by chorcc", path);
        return false;
    }
    // The path was relative to the directory of that compilation; mostly that is the current one, or the file lies
    // beside its companion.
    const char *beside = path_join(arena, path_directory(arena, path), path_base(from));
    if (is_other_source(compilation, choreography, from) ||
        (!file_same(from, choreography->file->source->path) && is_other_source(compilation, choreography, beside))) {
        diag_error(compilation->diags, span,
                   "'%s' was made from %s: two choreographies named '%s' in one directory; use --emit-dir", path, from,
                   choreography->tree->name.text);
        return false;
    }
    return true;
}

// True: the folder of the source is one for companions, too. Not so where the system keeps its devices and processes,
// to which the paths of standard input and of `<(command)` lead.
static bool check_directory(Compilation *compilation, const Choreography *choreography)
{
    const char *real = path_real(compilation->arena, choreography->directory);
    if (compilation->options.emit_dir != NULL ||
        (strcmp(real, "/dev") != 0 && strcmp(real, "/proc") != 0 && strncmp(real, "/proc/", 6) != 0))
        return true;
    diag_error(
        compilation->diags, choreography->tree->name.span,
        "the companions of '%s' can't be written beside '%s': use a file in another directory, or --emit-dir=DIR",
        choreography->tree->name.text, choreography->file->source->path);
    return false;
}

static bool check_all(Compilation *compilation)
{
    Map planned; // path of a companion: the choreography that it comes from
    map_init(&planned, compilation->arena);
    bool good = true;
    for (size_t i = 0; i < compilation->choreographies.count; i++) {
        Choreography *choreography = compilation->choreographies.items[i];
        if (blocks_in_library(choreography->file))
            continue;
        if (choreography->companions.count > 0 && !check_directory(compilation, choreography)) {
            good = false;
            continue;
        }
        for (size_t k = 0; k < choreography->companions.count; k++) {
            const char *path =
                path_join(compilation->arena, choreography->directory, choreography->companions.items[k].name);
            const Choreography *other = map_get(&planned, path);
            if (other != NULL) {
                diag_error(compilation->diags, choreography->tree->name.span,
                           "'%s' is made from %s too: two choreographies named '%s' in one directory; use --emit-dir",
                           path, other->file->source->path, choreography->tree->name.text);
                diag_note(compilation->diags, other->tree->name.span, "this is the other one");
                good = false;
                break;
            }
            map_put(&planned, path, choreography);
            if (!may_write(compilation, choreography, path)) {
                good = false;
                break; // one error for all its companions
            }
        }
    }
    return good;
}

static bool make_directory(Compilation *compilation, const char *directory)
{
    char *path = arena_strdup(compilation->arena, directory);
    for (char *at = path + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(path, 0777); // that it fails shows at the last one
        *at = '/';
    }
    struct stat status;
    if (mkdir(path, 0777) == 0 || (stat(path, &status) == 0 && S_ISDIR(status.st_mode)))
        return true;
    int error = errno;
    diag_error(compilation->diags, SPAN_NONE, "the directory '%s' can't be made: %s", directory,
               strerror(error == EEXIST ? ENOTDIR : error));
    return false;
}

static bool write_one(Compilation *compilation, const Choreography *choreography, const Companion *companion)
{
    Arena *arena = compilation->arena;
    const char *path = path_join(arena, choreography->directory, companion->name);
    size_t size = strlen(companion->text), old_size;
    char *old = path_read(arena, path, &old_size);
    if (old != NULL && old_size == size && memcmp(old, companion->text, size) == 0)
        return true;
    const char *error = path_replace(arena, path, companion->text, size);
    if (error == NULL)
        return true;
    diag_error(compilation->diags, SPAN_NONE, "'%s' can't be written: %s", path, error);
    if (compilation->options.emit_dir == NULL)
        diag_note(compilation->diags, SPAN_NONE, "'--emit-dir=DIR' writes companions to another directory");
    return false;
}

// A companion of an earlier build beside the source would be included instead of the one that is written elsewhere.
static void warn_of_shadow(Compilation *compilation, const Choreography *choreography)
{
    Arena *arena = compilation->arena;
    for (size_t i = 0; i < choreography->companions.count; i++) {
        const Companion *companion = &choreography->companions.items[i];
        const char *written = path_join(arena, choreography->directory, companion->name);
        const char *shadow = path_join(arena, path_directory(arena, choreography->file->source->path), companion->name);
        size_t size;
        const char *text = file_same(written, shadow) ? NULL : path_read(arena, shadow, &size);
        if (text == NULL || strcmp(text, companion->text) == 0)
            continue;
        diag_warning(compilation->diags, choreography->tree->name.span,
                     "'%s' is of another build and will be included instead of '%s': remove it", shadow, written);
        return; // one for all of them
    }
}

void companions_write(Compilation *compilation)
{
    if (!check_all(compilation))
        return;
    const char *emit_dir = compilation->options.emit_dir;
    if (emit_dir != NULL && compilation->choreographies.count > 0 && !make_directory(compilation, emit_dir))
        return;
    for (size_t i = 0; i < compilation->choreographies.count; i++) {
        const Choreography *choreography = compilation->choreographies.items[i];
        if (blocks_in_library(choreography->file))
            continue; // it is only used
        for (size_t k = 0; k < choreography->companions.count; k++)
            if (!write_one(compilation, choreography, &choreography->companions.items[k]))
                return;
        if (emit_dir != NULL)
            warn_of_shadow(compilation, choreography);
    }
}
