// registry.h: the implementations of roles that are linked into the program.

#ifndef RUNTIME_SESSION_REGISTRY_H
#define RUNTIME_SESSION_REGISTRY_H

#include <chorex/generated.h>

// The implementation of a role when the cast names none: the one with the default name, else the only one. On failure
// the thread's report says why.
chx_status registry_find(const chx_choreography *choreography, unsigned role, const chx_role **found);
// The implementation with this name. NULL: none, or more than one.
const chx_role *registry_named(const char *choreography, const char *name);
// The implementation of a role whose snapshots have this digest. NULL: none.
const chx_role *registry_of_state(const char *choreography, const char *role, uint64_t state_digest);
// The registration that came last: after another one, what was found may be found differently.
const chx_registration *registry_latest(void);

// What is registered by now is there in each new process of this program when the library's constructor, which calls this,
// runs there.
void registry_seal(void);
// Also true as long as it has not been called.
bool registry_was_sealed_with(const chx_role *role);

#endif
