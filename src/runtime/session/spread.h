// spread.h: a choreography with families of roles, spread out for a given number of members of each.
//
// Compiled code knows a family as one role. The rest of the runtime knows only roles: here each member becomes one, with a
// number and a name of its own, "Worker[3]", and its tables name the other roles by their numbers. What is made for one choreography and
// given numbers of members is kept, and used for all sessions that have as many.

#ifndef RUNTIME_SESSION_SPREAD_H
#define RUNTIME_SESSION_SPREAD_H

#include "runtime/value/spread.h"

// A cast for all members, and the choreography that has them all. The caller frees `flat` (free) after use.
chx_status spread_cast(const chx_choreography *choreography, const void *cast, const chx_choreography **spread,
                       chx_actor **flat);
// The role with this number, as spread_cast makes it, in another process; `counts` is by role of the choreography. NULL: no memory.
const chx_role *spread_role(const chx_role *model, const size_t *counts, unsigned number);

// Is the role with this number a member of a family?
bool spread_is_member(const chx_choreography *spread, const chx_role *role);

// Copies the results of a session, which has ended well, to where the caller wants them.
void spread_results(const chx_choreography *spread, const chx_definition *definition, const void *results, void *to);

#endif
