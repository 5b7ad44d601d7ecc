// site.h: what a role's table says about a site: a place in the choreography where something is sent or received.

#ifndef RUNTIME_VALUE_SITE_H
#define RUNTIME_VALUE_SITE_H

#include <chorex/generated.h>

#include <stddef.h>
#include <stdint.h>

// NULL: the role has no such site.
const chx_site *role_site(const chx_role *role, uint32_t site);
// Drops the value of a message of this site that nobody will read.
void role_drop_message(const chx_role *role, uint32_t site, void *value, size_t size);

#endif
