// Loads a file and the headers that it includes, and finds out which of them have choreographies that concern us.

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

static const char LIBRARY[] = "chorex/lib/";

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

static const char *look_up_in(Arena *arena, const char *const *directories, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const char *path = path_join(arena, directories[i], name);
        if (is_file(path))
            return path;
    }
    return NULL;
}

// The file that `#include "name"` or `<name>` means in a file of that directory. NULL: there is none, or it is one of the
// system's, which have no choreographies.
static const char *look_up(Compilation *compilation, const char *directory, const char *name, bool is_angled)
{
    Arena *arena = compilation->arena;
    if (name[0] == '/')
        return is_file(name) ? name : NULL;
    const char *path = is_angled ? NULL : look_up_in(arena, &directory, 1, name);
    if (path == NULL && !is_angled)
        path = look_up_in(arena, compilation->quote_dirs.items, compilation->quote_dirs.count, name);
    if (path == NULL)
        path = look_up_in(arena, compilation->angle_dirs.items, compilation->angle_dirs.count, name);
    // Of our own headers only these have choreographies.
    if (path == NULL && compilation->options.include_dir != NULL && strncmp(name, LIBRARY, strlen(LIBRARY)) == 0)
        path = look_up_in(arena, &compilation->options.include_dir, 1, name);
    return path;
}

static CFile *load_header(Compilation *compilation, const char *path, int depth)
{
    // A header that is missing is for the C compiler to complain about: it knows whether the line is active.
    const char *error;
    return path == NULL ? NULL : load(compilation, path_plain(compilation->arena, path), depth, &error);
}

static void load_includes(Compilation *compilation, CFile *file, int depth)
{
    for (size_t i = 0; i < file->found.includes.count; i++) {
        const FoundInclude *include = &file->found.includes.items[i];
        if (is_companion(include->path))
            continue;
        const char *directory = path_directory(compilation->arena, file->source->path);
        const char *path = look_up(compilation, directory, include->path, include->is_angled);
        CFile *included = load_header(compilation, path, depth + 1);
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
    if (file->found.blocks.count > 0 || file->found.makers.count > 0 || file->found.has_other_includes)
        return true;
    for (size_t i = 0; i < file->found.includes.count; i++)
        if (is_companion(file->found.includes.items[i].path))
            return true;
    return false;
}

static bool is_cxx_with_block(Compilation *compilation, const CFile *file)
{
    (void)compilation;
    return file->found.blocks.count > 0 && !blocks_is_c_header(file->source->path);
}

bool blocks_is_c_header(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".h") == 0;
}

bool blocks_concern_us(Compilation *compilation, CFile *file)
{
    if (find_file(compilation, file, has_something_of_ours) != NULL)
        return true;
    for (size_t i = 0; i < compilation->forced.count; i++) {
        CFile *forced = load_header(compilation, look_up(compilation, ".", compilation->forced.items[i], false), 1);
        if (forced != NULL && find_file(compilation, forced, has_something_of_ours) != NULL)
            return true;
    }
    return false;
}

static bool reaches(CFile *from, const CFile *file, Map *seen)
{
    if (from == file)
        return true;
    if (map_has(seen, from->real_path))
        return false;
    map_put(seen, from->real_path, from);
    for (size_t i = 0; i < from->includes.count; i++)
        if (reaches(from->includes.items[i], file, seen))
            return true;
    return false;
}

bool blocks_reach(Compilation *compilation, CFile *from, const CFile *file)
{
    Map seen;
    map_init(&seen, compilation->arena);
    if (reaches(from, file, &seen))
        return true;
    for (size_t i = 0; i < compilation->forced.count; i++)
        if (blocks_forced_has(compilation, compilation->forced.items[i], file))
            return true;
    return false;
}

bool blocks_forced_has(Compilation *compilation, const char *forced, const CFile *file)
{
    Map seen;
    map_init(&seen, compilation->arena);
    CFile *header = load_header(compilation, look_up(compilation, ".", forced, false), 1);
    return header != NULL && reaches(header, file, &seen);
}

bool blocks_in_cxx(Compilation *compilation, CFile *file)
{
    return find_file(compilation, file, is_cxx_with_block) != NULL;
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

static bool is_obstacle(Compilation *compilation, const char *directory, const FoundInclude *include)
{
    const char *path = path_join(compilation->arena, directory, include->path);
    struct stat status;
    if (stat(path, &status) != 0 || S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))
        return false;
    diag_error(compilation->diags, include->span, "'%s' is in the way: it is not a regular file", path);
    return true;
}

static bool has_obstacle(Compilation *compilation, const CFile *file)
{
    bool found = false;
    for (size_t i = 0; i < file->found.includes.count && !found; i++) {
        const FoundInclude *include = &file->found.includes.items[i];
        if (!is_companion(include->path))
            continue;
        found = is_obstacle(compilation, path_directory(compilation->arena, file->source->path), include);
        for (size_t k = 0; k < compilation->quote_dirs.count && !found; k++)
            found = is_obstacle(compilation, compilation->quote_dirs.items[k], include);
        for (size_t k = 0; k < compilation->angle_dirs.count && !found; k++)
            found = is_obstacle(compilation, compilation->angle_dirs.items[k], include);
        if (compilation->options.emit_dir != NULL && !found)
            found = is_obstacle(compilation, compilation->options.emit_dir, include);
    }
    return found;
}

bool blocks_check_companions(Compilation *compilation, CFile *file)
{
    return find_file(compilation, file, has_obstacle) == NULL;
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

bool blocks_in_library(const CFile *file)
{
    const char *slash = strrchr(file->source->path, '/');
    size_t length = slash != NULL ? (size_t)(slash + 1 - file->source->path) : 0, name = strlen(LIBRARY);
    return length > name && strncmp(slash + 1 - name, LIBRARY, name) == 0;
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
