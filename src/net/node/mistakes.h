// mistakes.h: mistakes in what a node does with its sessions that can be compiled in, one at a time, to see that the simulation of whole
// nodes finds them.
//
// tests/net/simulate --broken builds the library with -DNODE_BROKEN=NODE_BROKEN_..., for each. Otherwise node_is_broken is false, and
// what depends on it is not compiled. (broken.h has those of links.)

#ifndef NET_NODE_MISTAKES_H
#define NET_NODE_MISTAKES_H

enum {
    NODE_BROKEN_NOTHING,
    NODE_BROKEN_NO_ASK,        // a life does not ask whether it is heard when the home is
    NODE_BROKEN_LATE_SILENT,   // a report for a session that is forgotten is not answered
    NODE_BROKEN_EARLY_LOST,    // what comes for a role before its RESTORE is dropped
    NODE_BROKEN_HOLD_STAYS,    // a role that does nothing, since the home does not hear it, never goes on
    NODE_BROKEN_NO_SUSPICION,  // a node that is silent is never given up
    NODE_BROKEN_OUTCOME_EARLY, // a role that has come to its end does not wait for the outcome of the session
    NODE_BROKEN_LOST_SEATS,    // the home does not notice that another process has a node's name
    NODE_BROKEN_ORDER_ASLEEP,  // a role that waits is not woken for an order
    NODE_BROKEN_GO_ASLEEP,     // ... nor when all are at the end of its block
};

#ifndef NODE_BROKEN
#define NODE_BROKEN NODE_BROKEN_NOTHING
#endif

#define node_is_broken(mistake) (NODE_BROKEN == (mistake))

#endif
