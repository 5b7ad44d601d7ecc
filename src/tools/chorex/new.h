// new.h: a first program for `chorex new`.

#ifndef CHOREX_NEW_H
#define CHOREX_NEW_H

enum { NEW_NAME_MAX = 200, NEW_PATH_SIZE = NEW_NAME_MAX + 8 };

// Writes NAME.c, and its name to `path`. The exit status; if it is not 0, a message was printed.
int new_write(const char *name, char path[NEW_PATH_SIZE]);
// Says how to build it.
void new_explain(const char *name, const char *path);

#endif
