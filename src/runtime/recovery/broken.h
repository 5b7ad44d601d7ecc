// broken.h: mistakes in the recovery that can be compiled in, one at a time, to see that the fault matrix finds them.
//
// tests/fault/broken builds the library with -DCHX_BROKEN=BROKEN_..., for each. Otherwise is_broken is false, and what
// depends on it is not compiled.

#ifndef RUNTIME_RECOVERY_BROKEN_H
#define RUNTIME_RECOVERY_BROKEN_H

enum {
    BROKEN_NOTHING,
    BROKEN_NO_EPOCH_CHECK,         // messages of abandoned attempts are received
    BROKEN_ONE_SESSION_EPOCH,      // a recovery changes the epoch of all channels, also with roles outside of the block
    BROKEN_ARRIVALS_SURVIVE,       // a role that was at the end of an abandoned attempt counts in the next one
    BROKEN_LIFO,                   // the newest message of a channel is received first
    BROKEN_MEETING_SKIPPED,        // nobody waits at the end of a block
    BROKEN_WRONG_BLOCK,            // a failure goes to the outermost block
    BROKEN_NOT_RESTORED,           // variables keep the values of the abandoned attempt
    BROKEN_LATE_ATTEMPT_FORGOTTEN, // a role that comes late begins with the first attempt
    BROKEN_NOTICE_TWICE,           // a role that comes late goes back once more
    BROKEN_COUNTED_NAMES,          // instances of blocks are named by counting all blocks that a role has entered
    BROKEN_DEATH_CHARGED_TWICE,    // a failure in an abandoned attempt counts as one of the current attempt
    BROKEN_RETRIES_IGNORED,        // a block that is to be tried again goes to its rescue
    BROKEN_DEADLINE_SURVIVES,      // the time of an attempt that is over goes on running
    BROKEN_INBOUND_LOST,           // messages to a role are lost when it is restarted
    BROKEN_ROUND_ARRIVED,          // arrivals at the end of a round count for the next one
    BROKEN_OLD_ROUND,              // a role goes back to what it saved for the round before
    BROKEN_RESCUE_ONCE,            // a failure in the rescue of a round is the enclosing block's
    // Arms.
    BROKEN_ARM_TAKES_OTHERS, // a failure in a block of an arm is one of the role, and takes its other arms back
    BROKEN_ARM_NOT_COUNTED,  // a failure that no block of an arm takes up is not one of the role
    BROKEN_ARM_LEFT_BEHIND,  // a role that goes back, and has several arms, leaves one of them as it is
    BROKEN_ARM_NO_ORDINAL,   // arms of one `par` that is come to again are not told apart
    BROKEN_ARM_NO_ATTEMPT,   // arms of different attempts of the block around them are not told apart
    BROKEN_ARM_SEND_YIELDS,  // a role changes to another arm where it sends, though there is room
    // On the fast paths.
    BROKEN_LEFT_UNTOLD,       // a block that is left for all participants at once: those that wait are not woken
    BROKEN_LEFT_FOR_OTHERS,   // the same: the last participant does not leave
    BROKEN_QUIET_LOCK_DEAF,   // blocks are locked quietly by a role that does not know of a rollback yet
    BROKEN_HAND_OVER_DEAF,    // a role that hands over waits though it has to be rolled back
    BROKEN_HAND_OVER_FORGETS, // the actor that was to be run next is forgotten when another one is handed over to
    BROKEN_SLICES_SURVIVE,    // unpinning a session, or quiescing, does not end slices: handing over goes on unasked
};

#ifndef CHX_BROKEN
#define CHX_BROKEN BROKEN_NOTHING
#endif

#define is_broken(mistake) (CHX_BROKEN == (mistake))

#endif
