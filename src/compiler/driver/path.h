// path.h: names of files, and reading and writing them whole.

#ifndef DRIVER_PATH_H
#define DRIVER_PATH_H

#include "base/arena.h"

#include <stddef.h>

const char *path_join(Arena *arena, const char *directory, const char *name); // "." adds nothing
const char *path_directory(Arena *arena, const char *path);                   // "." for a plain name
const char *path_base(const char *path);
// Without links, "." and "..". The path itself if there is no such file.
const char *path_real(Arena *arena, const char *path);
// The same file, relative to the current directory and without detours, so that it has one name wherever it is included
// from. A path that is so already stays as it is written.
const char *path_plain(Arena *arena, const char *path);
// What there is at a path, symbolic links followed. Never waits for the other end of a pipe.
typedef enum {
    PATH_ABSENT,
    PATH_FILE,  // a regular file that can be read
    PATH_OTHER, // anything else
} PathKind;
// For a file: its whole content, with a NUL behind it. For anything else: what it is, "is a directory".
PathKind path_look(Arena *arena, const char *path, char **text, size_t *size, const char **problem);
// The same for who only wants the content. NULL: there is no such file, or it can't be read.
char *path_read(Arena *arena, const char *path, size_t *size);

// Makes or replaces a regular file in one step: a reader sees the old content or the new one, and whatever happens
// meanwhile, nothing half-made is left. A symbolic link stays one. NULL, or why it failed.
const char *path_replace(Arena *arena, const char *path, const char *text, size_t size);
// The same for a file that the user named: a pipe or a device is written to.
const char *path_write(Arena *arena, const char *path, const char *text, size_t size);

#endif
