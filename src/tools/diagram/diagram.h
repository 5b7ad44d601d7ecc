// diagram.h: the command `chorex diagram`.

#ifndef TOOLS_DIAGRAM_DIAGRAM_H
#define TOOLS_DIAGRAM_DIAGRAM_H

#include <stddef.h>

// The words behind `diagram`. Returns an exit status.
int diagram_command(const char *const *words, size_t count);

#endif
