// top.h: CHOREX_TOP: a running program says on a socket which sessions it has and where their roles wait.
//
// It is off unless the environment asks for it. Then the sessions of all runtimes of the process are in one list (top.c), and a
// thread of its own answers whoever connects (top_server.c). A session that is not listed pays nothing. What is said:
// docs/runtime.md, `chorex top`.

#ifndef RUNTIME_SESSION_TOP_H
#define RUNTIME_SESSION_TOP_H

#include "runtime/actor/actor.h"

enum {
    TOP_VERSION = 1,
    TOP_SESSIONS_MAX = 200,        // in one answer
    TOP_ROLES_MAX = 64,            // of a session
    TOP_ANSWER_BYTES = 256 * 1024, // sessions that don't fit are left out
};

// A new runtime: its sessions are to be listed if the environment says so.
void top_know(chx_runtime *runtime);

// A session, all of which is made, is about to run; and before anything of it is taken apart. Removing one that is not listed does
// nothing.
void top_add(Session *session);
void top_remove(Session *session);

// What the program does, as text: at most so many sessions, those first that have sent nothing for the longest time. The number of bytes,
// which is less than TOP_ANSWER_BYTES.
size_t top_describe(char answer[TOP_ANSWER_BYTES], unsigned sessions_max);
// A forked child has sessions of its own only.
void top_forget(void);

// Answers at the socket that CHOREX_TOP names, from now on. Does nothing if that was tried before.
void top_serve(chx_runtime *runtime);

#endif
