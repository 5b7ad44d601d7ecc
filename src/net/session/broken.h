// broken.h: mistakes in the ends of a channel between hosts that can be compiled in, one at a time, to see that the tests
// find them.
//
// tests/session/broken builds the tests with -DSESSION_BROKEN=SESSION_BROKEN_..., for each. Otherwise session_is_broken is
// false, and what depends on it is not compiled. They are wrong variants of tests/model/net/session.pml.

#ifndef NET_SESSION_BROKEN_H
#define NET_SESSION_BROKEN_H

enum {
    SESSION_BROKEN_NOTHING,
    SESSION_BROKEN_NO_RESEND,    // V_NORESEND: what is kept is not sent to a new life
    SESSION_BROKEN_NO_WINDOW,    // V_NOWINDOW: what is kept is not saved
    SESSION_BROKEN_NO_HANDOVER,  // V_NOHANDOVER: what is kept is lost when a role ends
    SESSION_BROKEN_CUT_ALL,      // V_CUTALL: going back drops everything that was kept
    SESSION_BROKEN_NO_EPOCH,     // V_NOEPOCH: going back leaves the channels as they are
    SESSION_BROKEN_NO_NUMBER,    // V_NONUMBER: a receiver looks at epochs only
    SESSION_BROKEN_DROP_SILENT,  // V_DROPSILENT: a receiver that drops a message says nothing
    SESSION_BROKEN_TO_ANY_LIFE,  // V_TOANYLIFE: what was sent to a life is taken by the next one
    SESSION_BROKEN_WAITING_LOST, // what comes from a life before it is told is dropped
    // These are found by whole sessions (simulate.c) only.
    SESSION_BROKEN_COMING_LOST,     // what comes for a life before its RESTORE is dropped
    SESSION_BROKEN_NO_HOLD,         // V_NOHOLD: messages leave before the home knows of the block
    SESSION_BROKEN_HOME_ORDER,      // V_HOMEORDER: DATA to a role at the home overtakes the ENTER before it
    SESSION_BROKEN_EAGER,           // V_EAGER: a role goes on without waiting for START
    SESSION_BROKEN_ROLE_ADDRESS,    // V_ROLEADDR: orders go to all lives of a role
    SESSION_BROKEN_OLD_REPORTS,     // V_OLDREPORTS: reports of a life that was given up count
    SESSION_BROKEN_NO_ANSWER,       // V_NOANSWER: ENTER in an attempt that is over is not answered with RECOVER
    SESSION_BROKEN_CHARGE_TWICE,    // V_CHARGETWICE: a failure before READY is charged to the new attempt
    SESSION_BROKEN_AWAIT_ABSENT,    // V_AWAITABSENT: READY is awaited of a role that has no life yet
    SESSION_BROKEN_ROUND_GAP,       // V_ROUNDGAP: a round is over for a role before it has entered the next one
    SESSION_BROKEN_OLD_ROUND,       // V_OLDROUND: who fails in a round begins it with what was saved for the one before
    SESSION_BROKEN_MARKS_LOST,      // RESTORE does not say which blocks are in another attempt
    SESSION_BROKEN_LINK_LOST,       // what was given to a link that was lost is not given again
    SESSION_BROKEN_VOID_COUNTS,     // what a role says between RECOVER and READY counts
    SESSION_BROKEN_CONSUMED_LATE,   // a role enters a block, and has not said what it has consumed
    SESSION_BROKEN_STALE_HAND,      // a role enters a block in another attempt, and keeps what it has fetched
    SESSION_BROKEN_CUT_IGNORED,     // nobody is given up of two roles that can't reach each other
    SESSION_BROKEN_CUT_FEWER,       // ... or the one that fewer roles complain of
    SESSION_BROKEN_CUT_OVER,        // ... or although they reach each other again
    SESSION_BROKEN_CUT_OLD,         // ... or because of what was said of an earlier life
    SESSION_BROKEN_CUT_AT_ONCE,     // ... or without waiting
    SESSION_BROKEN_NO_PART_AWAITED, // a role that has no part is waited for
    SESSION_BROKEN_NO_PART_MISSED,  // the loss of one ends the session
    SESSION_BROKEN_NO_PART_LEFT,    // the session is over though one that has begun has not ended
    // Of sessions that are kept in a store: wrong variants of tests/model/net/cuts.pml.
    SESSION_BROKEN_NO_BARRIER,   // V_NOBARRIER: a role begins the body before the others are there
    SESSION_BROKEN_ENTER_FIRST,  // V_ENTERFIRST: roles begin the body before the entry is in the store
    SESSION_BROKEN_GO_FIRST,     // V_GOFIRST: roles go on behind the block before its end is in the store
    SESSION_BROKEN_DECIDE_FIRST, // roles begin another attempt before the decision is in the store
    SESSION_BROKEN_END_FIRST,    // a role's end is acknowledged before the outcome is in the store
    SESSION_BROKEN_OLD_TERM,     // a role hears a home of an earlier term
};

#ifndef SESSION_BROKEN
#define SESSION_BROKEN SESSION_BROKEN_NOTHING
#endif

#define session_is_broken(mistake) (SESSION_BROKEN == (mistake))

#endif
