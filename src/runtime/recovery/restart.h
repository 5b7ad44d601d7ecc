// restart.h: whether a failed role is restarted, in threads and in processes alike.

#ifndef RUNTIME_RECOVERY_RESTART_H
#define RUNTIME_RECOVERY_RESTART_H

#include "runtime/actor/actor.h"

// The role has failed. True: a block takes that up, the cast allows one more restart, and it is counted; the caller starts
// the role anew. False: the session fails; fault->why may say more. The blocks are locked. `is_abandoned`: it was rolled back
// before, and had not noticed or not acknowledged it. `line`: of the fault's site.
bool restart_decide(Actor *actor, Fault *fault, SourcePlace place, bool is_abandoned);
// For the program's log.
void restart_log(const Actor *actor, const Fault *fault, SourcePlace place);

#endif
