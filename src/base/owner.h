// owner.h: who runs a session, as the store says it, and whether that program still runs.

#ifndef BASE_OWNER_H
#define BASE_OWNER_H

#include <stdbool.h>
#include <stddef.h>

enum { OWNER_SIZE = 192 };

// What names this program: the machine since it was booted, the process and when that was started.
void owner_self(char owner[OWNER_SIZE]);

typedef enum {
    OWNER_DEAD,    // nobody runs it
    OWNER_ALIVE,   // another process of this machine does
    OWNER_SELF,    // this one
    OWNER_UNKNOWN, // it can't be seen from here: another machine, another container, a node
} OwnerState;
// *process: its number, if it is alive.
OwnerState owner_state(const char *owner, long *process);
// How messages call it, as the subject of a sentence: "process 12 of this machine", "node 'shop'".
void owner_describe(const char *owner, char *text, size_t size);

#endif
