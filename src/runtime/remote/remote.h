// remote.h: what the rest of the runtime knows of roles whose session is decided elsewhere.

#ifndef RUNTIME_REMOTE_REMOTE_H
#define RUNTIME_REMOTE_REMOTE_H

#include "runtime/session/runtime.h"

typedef struct Parts Parts;
typedef struct chx_session Session;

// Who takes over the sessions that the program starts. NULL: nobody.
typedef bool (*PartStarter)(chx_runtime *runtime, const chx_choreography *choreography, size_t definition,
                            const chx_actor *cast, const void *arguments, Session **session, chx_status *status);
extern PartStarter part_starter;
// Whoever calls it says whether the arguments stay where they are until the session is over.
extern _Thread_local bool part_arguments_stay;

// A session that has been made, and not begun: its channels and actors become those of the parts.
void parts_attach(Session *session, Parts *parts);
size_t parts_count(const Parts *parts);
// The program has ended the session, or one of the roles has.
void parts_stopped(Session *session, chx_status status, const char *why);
// No role of it runs any more.
void parts_left(Session *session);
void parts_free(chx_runtime *runtime, Parts *parts);

#endif
