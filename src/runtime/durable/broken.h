// broken.h: mistakes in what is committed when that can be compiled in, one at a time, to see that the simulation finds them.
//
// tests/durable/broken builds the simulation with -DCUT_BROKEN=CUT_BROKEN_..., for each. Otherwise cut_is_broken is false, and what
// depends on it is not compiled. The names in the comments are those of the model (tests/model/net/cuts.pml).

#ifndef RUNTIME_DURABLE_BROKEN_H
#define RUNTIME_DURABLE_BROKEN_H

enum {
    CUT_BROKEN_NOTHING,
    CUT_BROKEN_NO_CONDITION,   // V_NOCAS: a commit is not conditional on term and version
    CUT_BROKEN_NO_OUTCOME,     // V_NOOUTCOME: an outcome is not final
    CUT_BROKEN_NO_BARRIER,     // V_NOBARRIER: a role begins the body before the others are there
    CUT_BROKEN_ENTER_FIRST,    // V_ENTERFIRST: roles begin the body before the entry is in the store
    CUT_BROKEN_GO_FIRST,       // V_GOFIRST: roles go on behind the block before its end is in the store
    CUT_BROKEN_NO_EXIT,        // V_NOEXIT: the end of a block does not change what the session goes on from
    CUT_BROKEN_SAME_ATTEMPT,   // V_SAMEATTEMPT: after a loss the attempt that was lost is begun again
    CUT_BROKEN_DECIDE_FIRST,   // roles begin another attempt before the decision is in the store
    CUT_BROKEN_DOUBT_IS_DONE,  // a commit in doubt counts as done
    CUT_BROKEN_DOUBT_IS_NOT,   // a commit in doubt is done again without having looked
    CUT_BROKEN_INNER_SURVIVES, // a decision about a block leaves the blocks inside of it in the store
};

#ifndef CUT_BROKEN
#define CUT_BROKEN CUT_BROKEN_NOTHING
#endif

#define cut_is_broken(mistake) (CUT_BROKEN == (mistake))

#endif
