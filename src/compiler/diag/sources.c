// sources.c: files in memory, and places in them.

#define _GNU_SOURCE

#include "base/check.h"
#include "compiler/diag/diag.h"
#include "compiler/diag/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOURCE_SIZE_MAX = 64 * 1024 * 1024 };

typedef struct {
    Source source; // first: a Source from here is an Entry
    Arena *arena;
} Entry;

typedef struct {
    const char *path, *text;
    size_t size;
} Replacement;

struct Sources {
    Arena *arena;
    VECTOR(Entry *) entries;
    VECTOR(Replacement) replacements;
};

Sources *sources_new(Arena *arena)
{
    Sources *sources = ARENA_NEW(arena, Sources);
    sources->arena = arena;
    return sources;
}

// Takes `text`, which lives in the arena and ends with a NUL.
static Source *add_text(Sources *sources, const char *path, const char *text, size_t size)
{
    Entry *entry = ARENA_NEW(sources->arena, Entry);
    entry->arena = sources->arena;
    entry->source = (Source){
        .id = (FileId)sources->entries.count,
        .path = arena_strdup(sources->arena, path),
        .text = text,
        .size = (uint32_t)size,
    };
    vector_push(sources->arena, &sources->entries, entry);
    return &entry->source;
}

Source *source_add(Sources *sources, const char *path, const char *text, size_t size)
{
    CHECK(size < UINT32_MAX);
    return add_text(sources, path, arena_copy(sources->arena, text, size), size);
}

static const char *reason(Arena *arena, int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
        return "no such file";
    case EACCES:
    case EPERM:
        return "can't be read: permission denied";
    default:
        return arena_printf(arena, "can't be read: %s", strerror(error));
    }
}

// Why something of this kind is no source; NULL: it is an ordinary file.
static const char *kind_error(mode_t mode)
{
    if (S_ISREG(mode))
        return NULL;
    if (S_ISFIFO(mode))
        return "is a pipe: chorcc reads a source more than once, so it must be a file";
    return S_ISDIR(mode) ? "is a directory" : "is not a regular file";
}

// The content of an open file, with a NUL behind it. NULL: *error says why.
static char *read_all(Arena *arena, int fd, size_t *size, const char **error)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        *error = reason(arena, errno);
        return NULL;
    }
    *error = kind_error(status.st_mode);
    if (*error != NULL)
        return NULL;
    if (status.st_size > SOURCE_SIZE_MAX) {
        *error = "is larger than 64 MiB";
        return NULL;
    }
    size_t wanted = (size_t)status.st_size;
    char *text = arena_alloc(arena, wanted + 1);
    size_t got = 0;
    while (got < wanted) {
        ssize_t count = read(fd, text + got, wanted - got);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0) {
            *error = reason(arena, errno);
            return NULL;
        }
        if (count == 0)
            break;
        got += (size_t)count;
    }
    *size = got;
    return text;
}

void sources_replace(Sources *sources, const char *path, const char *text, size_t size)
{
    Replacement replacement = {arena_strdup(sources->arena, path), text, size};
    vector_push(sources->arena, &sources->replacements, replacement);
}

static const Replacement *find_replacement(const Sources *sources, const char *path)
{
    if (sources->replacements.count == 0)
        return NULL;
    char *real = realpath(path, NULL);
    const Replacement *found = NULL;
    for (size_t i = 0; i < sources->replacements.count; i++)
        if (strcmp(sources->replacements.items[i].path, real != NULL ? real : path) == 0)
            found = &sources->replacements.items[i];
    free(real);
    return found;
}

Source *source_load_any(Sources *sources, const char *path, const char **error)
{
    const Replacement *replacement = find_replacement(sources, path);
    if (replacement != NULL && replacement->size > SOURCE_SIZE_MAX) {
        *error = "is larger than 64 MiB";
        return NULL;
    }
    if (replacement != NULL)
        return add_text(sources, path, replacement->text, replacement->size);
    // A pipe is not even opened: that alone would wake its writer, whose text would be lost.
    struct stat status;
    *error = stat(path, &status) == 0 ? kind_error(status.st_mode) : NULL;
    if (*error != NULL)
        return NULL;
    // Without O_NONBLOCK, opening a named pipe that has just come there would wait for its writer.
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        *error = reason(sources->arena, errno);
        return NULL;
    }
    size_t size = 0;
    char *text = read_all(sources->arena, fd, &size, error);
    close(fd);
    return text == NULL ? NULL : add_text(sources, path, text, size);
}

const char *source_text_error(Arena *arena, const Source *source)
{
    const char *nul = memchr(source->text, '\0', source->size);
    if (nul != NULL) {
        uint32_t offset = (uint32_t)(nul - source->text);
        return arena_printf(arena, "contains a NUL byte (line %u)", source_position(source, offset).line);
    }
    for (uint32_t at = 0; at < source->size;) {
        if ((unsigned char)source->text[at] < 0x80) {
            at++;
            continue;
        }
        uint32_t code;
        size_t length = utf8_decode(source->text + at, source->size - at, &code);
        if (length == 0)
            return arena_printf(arena, "is not UTF-8 text (byte %u)", at + 1);
        at += (uint32_t)length;
    }
    return NULL;
}

Source *source_load(Sources *sources, const char *path, const char **error)
{
    Source *source = source_load_any(sources, path, error);
    if (source == NULL)
        return NULL;
    const char *wrong = source_text_error(sources->arena, source);
    if (wrong == NULL)
        return source;
    // It was added last; nobody has seen its number yet.
    sources->entries.count--;
    *error = wrong;
    return NULL;
}

Source *source_get(const Sources *sources, FileId id)
{
    CHECK(id < sources->entries.count);
    return &sources->entries.items[id]->source;
}

size_t sources_count(const Sources *sources)
{
    return sources->entries.count;
}

static void find_lines(Entry *entry)
{
    Source *source = &entry->source;
    uint32_t count = 1;
    const char *end = source->text + source->size;
    for (const char *at = source->text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        count++;
    uint32_t *starts = ARENA_ARRAY(entry->arena, uint32_t, count);
    uint32_t line = 0;
    starts[line++] = 0;
    for (const char *at = source->text; (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++)
        starts[line++] = (uint32_t)(at + 1 - source->text);
    source->line_starts = starts;
    source->line_count = count;
}

Position source_position(const Source *source, uint32_t offset)
{
    if (source->line_starts == NULL)
        find_lines((Entry *)source); // a cache: nobody can see the difference
    if (offset > source->size)
        offset = source->size;
    // The last line that starts at or before the offset.
    uint32_t low = 0, high = source->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->line_starts[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (Position){low + 1, offset - source->line_starts[low] + 1};
}

Position span_position(const Sources *sources, Span span)
{
    if (span.file == FILE_NONE)
        return (Position){0, 0};
    return source_position(source_get(sources, span.file), span.start);
}

const char *span_text(const Sources *sources, Span span, uint32_t *length)
{
    if (span.file == FILE_NONE) {
        *length = 0;
        return "";
    }
    const Source *source = source_get(sources, span.file);
    CHECK(span.start <= span.end && span.end <= source->size);
    *length = span.end - span.start;
    return source->text + span.start;
}

char *span_copy(Arena *arena, const Sources *sources, Span span)
{
    uint32_t length;
    const char *text = span_text(sources, span, &length);
    return arena_copy(arena, text, length);
}

Span span_join(Span first, Span last)
{
    if (first.file == FILE_NONE)
        return last;
    if (last.file == FILE_NONE || last.file != first.file)
        return first;
    return (Span){
        first.file,
        first.start < last.start ? first.start : last.start,
        first.end > last.end ? first.end : last.end,
    };
}
