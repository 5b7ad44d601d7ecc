// elsewhere.h: a role that runs elsewhere than its session's recovery machine.
//
// Such a role has two ends. Where the machine is, an actor stands for it that is never run: its proxy takes what the machine
// asks for. Where the role runs, its actor has no machine to enter blocks in: what it does at their ends goes through its table
// of operations. Both ends are tables, so that the machine and projected code need not know what lies between: a process of
// this computer (isolation/), or another host.

#ifndef RUNTIME_ACTOR_ELSEWHERE_H
#define RUNTIME_ACTOR_ELSEWHERE_H

#include "runtime/actor/actor.h"

// Where the machine is. Each is called with the session's block lock held.
typedef struct Proxy Proxy;
typedef struct ProxyOps {
    // A block that the role takes part in went to another attempt.
    void (*roll_back)(Proxy *proxy);
    // The role has arrived at the end of a block that is done: it leaves the block. Or of a round that is over: it is in the
    // next.
    void (*go)(Proxy *proxy, Block *block);
    // The store has what the role waits for at the beginning or at the end of a durable block.
    void (*settle)(Proxy *proxy);
} ProxyOps;
struct Proxy {
    const ProxyOps *ops;
};

// As chx_arm_begin, chx_arm_end and chx_par_end.
typedef struct {
    void (*begin)(Actor *actor, chx_frame *frame, const chx_arm *arm, const chx_checkpoint *block);
    chx_step (*end)(Actor *actor);
    bool (*par_end)(Actor *actor, chx_frame *frame);
} ArmOps;

// Where the role runs: the first four as chx_enter, chx_leave, chx_renew and chx_fault_here, which call these.
typedef struct Away Away;
typedef struct {
    bool is_process; // the role has a process of its own, which this is: it has no workers, and can be killed
    uint32_t (*enter)(Actor *actor, chx_frame *frame, const chx_checkpoint *checkpoint);
    bool (*leave)(Actor *actor, const chx_checkpoint *checkpoint);
    bool (*renew)(Actor *actor, const chx_checkpoint *checkpoint);
    chx_fault (*fault)(Actor *actor);
    // It has seen that it is to go back, or to begin again. False: it has to wait, for what self.wants says.
    bool (*roll_back)(Actor *actor);

    const ArmOps *arms; // for roles with a process of their own
    // For roles without a process of their own; NULL for others.
    bool (*is_over)(Actor *actor); // the block or round at whose end it waits
    // It has failed. True: it goes on, or waits, as roll_back says. False: the session is being stopped.
    bool (*fail)(Actor *actor, Fault *fault);
    bool (*end)(Actor *actor); // it has its result. False: it has to wait, for what self.wants says, and is asked again
    void (*flush)(Actor *actor); // it is about to do something that takes a while: what it has sent has to leave
    // chx_peer, of another role of the session, and chx_fence.
    const char *(*peer)(Actor *actor, unsigned role);
    uint64_t (*fence)(Actor *actor);
} AwayOps;
struct Away {
    const AwayOps *ops;
    bool is_ending; // the role has come to its end, and waits until that counts
};
static inline bool actor_is_process(const Actor *actor)
{
    return actor->away != NULL && actor->away->ops->is_process;
}

#endif
