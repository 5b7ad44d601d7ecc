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

// With a runtime's beginning and end: from now on its sessions are traced when others are. With the first runtime, the file is
// opened that CHOREX_TRACE names. If it can't be written, that is logged. (trace_switch.c)
void trace_know(chx_runtime *runtime);
void trace_forget(chx_runtime *runtime);

// Opens the file, by its name or by its name and ",values". False: it can't be written, and errno says why; EBUSY: one is open.
bool trace_open(const chx_runtime *runtime, const char *given);
void trace_close(void); // does nothing if none is open
bool trace_is_open(void);

// For the processes of isolated roles: the file, -1 if there is none, and when it began; and in such a process: goes on
// with it. Lines are then written at once: the process may be killed.
int trace_file(uint64_t *start_ns);
bool trace_adopt(int fd, uint64_t start_ns, bool has_values); // false: it can't

void trace_session_start(Session *session);
// The session's token is that of its home: its traces on other hosts have it, too. Nothing happens if the trace is off.
void trace_session_token(const Actor *actor);
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
