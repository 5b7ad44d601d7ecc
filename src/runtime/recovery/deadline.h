// deadline.h: the deadlines of blocks (`within`), which feed the recovery machine with their expiry.

#ifndef RUNTIME_RECOVERY_DEADLINE_H
#define RUNTIME_RECOVERY_DEADLINE_H

#include "runtime/recovery/machine.h"
#include "runtime/platform/platform.h"

typedef struct Deadline Deadline;

// With the blocks locked.
bool deadline_arm(Session *session, Block *block);    // false: it can't be; session->recovery.lacks says why
void deadline_disarm(Session *session, Block *block); // one that is armed

#endif
