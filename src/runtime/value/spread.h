// spread.h: what is known of a role in a session with families of roles: session/spread.h makes it.
//
// Sites and names of blocks with single members among their participants are made of the static ones and of which members they are:
// static + n * limit, with n from 1 on.

#ifndef RUNTIME_VALUE_SPREAD_H
#define RUNTIME_VALUE_SPREAD_H

#include <chorex/generated.h>

// Of a role that is spread out, and of the choreography.
struct chx_spread {
    const chx_choreography *choreography; // as it is compiled in
    const chx_role *model;                // the same; of the choreography: NULL
    unsigned role;                        // the model's index
    unsigned member;
    const size_t *counts;       // by role of the choreography: how many members; a role that is no family has one
    const unsigned *firsts;     // by role of the choreography: the number of the first member
    const unsigned *out_firsts; // by place in the model's sends_to: the first channel
    const unsigned *in_firsts;
    // The block of this site of the role, which may name members. NULL: there is none.
    const chx_checkpoint *(*block_at)(const chx_role *role, uint32_t site);
};

#endif
