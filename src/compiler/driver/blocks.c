#define _GNU_SOURCE

#include "compiler/driver/blocks.h"

#include "compiler/driver/path.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// A chain of includes longer than this is not C any more.
enum { INCLUDE_DEPTH_MAX = 200 };

static CFile *load(Compilation *compilation, const char *path, int depth, const char **error);

static bool is_companion(const char *path)
{
    size_t length = strlen(path);
    return length > strlen(".chor.h") && strcmp(path + length - strlen(".chor.h"), ".chor.h") == 0;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

// The file that `#include "name"` means in `file`, or NULL.
static const char *look_up(Compilation *compilation, const CFile *file, const char *name)
{
    Arena *arena = compilation->arena;
    if (name[0] == '/')
        return is_file(name) ? name : NULL;
    const char *path = path_join(arena, path_directory(arena, file->source->path), name);
    if (is_file(path))
        return path;
    for (size_t i = 0; i < compilation->quote_dirs.count; i++) {
        path = path_join(arena, compilation->quote_dirs.items[i], name);
        if (is_file(path))
            return path;
    }
    return NULL;
}

static void load_includes(Compilation *compilation, CFile *file, int depth)
{
    for (size_t i = 0; i < file->found.includes.count; i++) {
        const char *name = file->found.includes.items[i].path;
        if (is_companion(name))
            continue;
        const char *path = look_up(compilation, file, name);
        const char *error;
        // A header that is missing is for the C compiler to complain about: it knows whether the line is active.
        CFile *included =
            path == NULL ? NULL : load(compilation, path_plain(compilation->arena, path), depth + 1, &error);
        if (included != NULL)
            vector_push(compilation->arena, &file->includes, included);
    }
}

static CFile *load(Compilation *compilation, const char *path, int depth, const char **error)
{
    Arena *arena = compilation->arena;
    const char *real_path = path_real(arena, path);
    CFile *file = map_get(&compilation->files, real_path);
    if (file != NULL)
        return file;
    if (depth > INCLUDE_DEPTH_MAX) {
        *error = "is included too deeply";
        return NULL;
    }
    Source *source = source_load_any(compilation->sources, path, error);
    if (source == NULL)
        return NULL;
    file = ARENA_NEW(arena, CFile);
    file->source = source;
    file->real_path = real_path;
    // Before its includes: a cycle ends here.
    map_put(&compilation->files, real_path, file);
    find_blocks(arena, compilation->sources, source, &file->found);
    load_includes(compilation, file, depth);
    return file;
}

CFile *blocks_load(Compilation *compilation, const char *path, const char **error)
{
    return load(compilation, path, 0, error);
}

typedef bool Test(Compilation *compilation, const CFile *file);

static CFile *find_unseen(Compilation *compilation, CFile *file, Map *seen, Test *test)
{
    if (map_has(seen, file->real_path))
        return NULL;
    map_put(seen, file->real_path, file);
    if (test(compilation, file))
        return file;
    CFile *found = NULL;
    for (size_t i = 0; found == NULL && i < file->includes.count; i++)
        found = find_unseen(compilation, file->includes.items[i], seen, test);
    return found;
}

// The first, of the file and all it includes, that passes the test.
static CFile *find_file(Compilation *compilation, CFile *file, Test *test)
{
    Map seen;
    map_init(&seen, compilation->arena);
    return find_unseen(compilation, file, &seen, test);
}

static bool has_something_of_ours(Compilation *compilation, const CFile *file)
{
    (void)compilation;
    if (file->found.blocks.count > 0 || file->found.makers.count > 0)
        return true;
    for (size_t i = 0; i < file->found.includes.count; i++)
        if (is_companion(file->found.includes.items[i].path))
            return true;
    return false;
}

bool blocks_concern_us(Compilation *compilation, CFile *file)
{
    return find_file(compilation, file, has_something_of_ours) != NULL;
}

static bool is_no_text(Compilation *compilation, const CFile *file)
{
    const char *error = file->found.blocks.count == 0 ? NULL : source_text_error(compilation->arena, file->source);
    if (error != NULL)
        diag_error(compilation->diags, SPAN_NONE, "%s: %s", file->source->path, error);
    return error != NULL;
}

bool blocks_check_text(Compilation *compilation, CFile *file)
{
    return find_file(compilation, file, is_no_text) == NULL;
}

static bool has_unclosed(Compilation *compilation, const CFile *file)
{
    (void)compilation;
    size_t count = file->found.blocks.count;
    return count > 0 && !file->found.blocks.items[count - 1].closed;
}

CFile *blocks_unclosed(Compilation *compilation, CFile *file)
{
    return find_file(compilation, file, has_unclosed);
}

bool blocks_word_in_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    struct stat status;
    bool found = false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        size_t size = (size_t)status.st_size;
        void *text = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (text != MAP_FAILED) {
            found = memmem(text, size, "choreography", strlen("choreography")) != NULL;
            munmap(text, size);
        }
    }
    close(fd);
    return found;
}
