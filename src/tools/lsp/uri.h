// uri.h: file:// addresses and paths.

#ifndef LSP_URI_H
#define LSP_URI_H

#include "base/arena.h"

const char *uri_of_path(Arena *arena, const char *path);
// NULL: it is not the address of a file.
const char *uri_path(Arena *arena, const char *uri);

#endif
