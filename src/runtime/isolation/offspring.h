// offspring.h: ends what roles have started and left behind.
//
// A role's process adopts whatever is orphaned below it (PR_SET_CHILD_SUBREAPER), and the zygote adopts what a role leaves
// behind when it ends. So a child of the zygote that is not a role was started by a role that is no more, whatever it has
// done to get away: a process group or a session of its own makes no difference.

#ifndef RUNTIME_ISOLATION_OFFSPRING_H
#define RUNTIME_ISOLATION_OFFSPRING_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

// In a process with one thread: kills its children, but not those that are listed (the list is put into order). What a
// killed one leaves behind becomes this process's child, and is found then. True: there are none left but those that are
// listed and those that it has no right to kill.
bool offspring_end(pid_t *kept, size_t count);

#endif
