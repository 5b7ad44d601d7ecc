// effects.h: what the recovery machine asks for, in a running program. See machine.h.

#ifndef RUNTIME_RECOVERY_EFFECTS_H
#define RUNTIME_RECOVERY_EFFECTS_H

#include "runtime/session/session.h"

extern const RecoveryEffects recovery_effects;

static inline Session *session_of(Recovery *recovery)
{
    return (Session *)(void *)((char *)recovery - offsetof(Session, recovery));
}

// deadline.c's: the deadlines of blocks (`within`), which feed the recovery machine with their expiry.
bool deadline_arm(Recovery *recovery, Block *block);
void deadline_disarm(Recovery *recovery, Block *block);
// What is wrong when a block has taken longer than that.
void deadline_fault(Fault *fault, uint32_t site, uint64_t within_ns);

#endif
