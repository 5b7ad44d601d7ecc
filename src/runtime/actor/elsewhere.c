// elsewhere.c: what a role's functions can ask about roles on other hosts.

#include "runtime/actor/elsewhere.h"

#include "runtime/session/session.h"

#include <string.h>

const char *chx_peer(const char *role)
{
    Actor *actor = current()->actor;
    if (role == NULL || actor == NULL || actor->away == NULL || actor->away->ops->peer == NULL)
        return NULL;
    const chx_choreography *choreography = actor->session->plan->choreography;
    for (unsigned i = 0; i < choreography->role_count; i++) {
        if (strcmp(choreography->roles[i], role) == 0)
            return i == actor->index ? NULL : actor->away->ops->peer(actor, i);
    }
    return NULL;
}

uint64_t chx_fence(void)
{
    Actor *actor = current()->actor;
    if (actor == NULL)
        return 0;
    if (actor->away != NULL)
        return actor->away->ops->fence != NULL ? actor->away->ops->fence(actor) : 0;
    return session_fence(actor->session);
}
