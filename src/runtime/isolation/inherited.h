// inherited.h: what processes of roles inherit from the program, and whether that is still what the program has.
//
// Roles are forked from the zygote, which got all this when it was started. A program may change it later: drop
// privileges above all. Then the zygote is of no use for new sessions, and there must be another.

#ifndef RUNTIME_ISOLATION_INHERITED_H
#define RUNTIME_ISOLATION_INHERITED_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    // User, group and supplementary group identities, capabilities, securebits, no_new_privs, filters of system calls,
    // root directory, namespaces.
    uint64_t privileges;
    // umask, resource limits, working directory, what the standard streams are, environment.
    uint64_t surroundings;
} Inherited;

// What a process that the calling thread started now would inherit; equal things give equal numbers, others different ones.
// False: it can't be found out now, errno says why.
bool inherited_now(Inherited *inherited);

static inline bool inherited_is_same(Inherited a, Inherited b)
{
    return a.privileges == b.privileges && a.surroundings == b.surroundings;
}

#endif
