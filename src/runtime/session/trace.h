// trace.h: CHOREX_TRACE=file: what roles do, as it happens. The format: trace/event.h.
//
// The file belongs to the process, whatever the number of runtimes. Events are collected, and
// written when the buffer is full, at the end of each session, and at the program's end. With the trace off nothing here
// is called but trace_block: see observe.h.

#ifndef RUNTIME_SESSION_TRACE_H
#define RUNTIME_SESSION_TRACE_H

#include "runtime/actor/actor.h"
#include "runtime/platform/platform.h"
#include "trace/event.h"

// Opens the file with the first runtime. False: none is wanted, or it can't be written, which is logged.
bool trace_open(chx_runtime *runtime);

// For the processes of isolated roles: the file, -1 if there is none, and when it began; and in such a process: goes on
// with it. Lines are then written at once: the process may be killed.
int trace_file(uint64_t *start_ns);
bool trace_adopt(int fd, uint64_t start_ns, bool has_values); // false: it can't

void trace_session_start(Session *session);
void trace_session_end(Session *session, chx_status status, const char *why);

// A local step begins; it lasts until this actor's next event, or the end of its turn.
void trace_step(Actor *actor);
// EVENT_CALL, EVENT_RETURN.
void trace_function(Actor *actor, EventKind kind, const chx_function *function);
// Are the values of messages wanted (CHOREX_TRACE=file,values)?
bool trace_has_values(void);
// After the message was sent, or before it is taken out. `value` is what travels, as text; NULL: that is not wanted.
void trace_message(Actor *actor, const Channel *channel, uint32_t site, uint32_t epoch, bool is_out, const char *value);
// After each turn. The fault is read on ACTOR_FAILED.
void trace_turn(Actor *actor, ActorOutcome outcome, const Fault *fault);

// EVENT_ENTER to EVENT_RESTART, of the block whose savepoint is the actor's newest. RECOVER and RESTART: why; NULL: nobody says.
// Nothing happens if the trace is off.
void trace_block(Actor *actor, EventKind kind, uint32_t epoch, const char *why);

#endif
