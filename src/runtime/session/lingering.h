// lingering.h: a session that is being stopped and can't end, because a function of a role does not return.
//
// A role of this program that is in a function of its own can't be interrupted: it is told (chx_recall_fd), and waited for. If that
// takes a second, the log says for whom and where.

#ifndef RUNTIME_SESSION_LINGERING_H
#define RUNTIME_SESSION_LINGERING_H

#include "runtime/session/session.h"

// The session is being stopped, and some of its roles may be in functions of their own. The caller holds a count of `live`.
void lingering_watch(Session *session);
// It ends, and was watched.
void lingering_end(Session *session);

#endif
