// role_proxy_fixture.h: a session of which the test plays the isolated roles' processes, the zygote and the supervisor thread.

#ifndef RUNTIME_ISOLATION_ROLE_PROXY_FIXTURE_H
#define RUNTIME_ISOLATION_ROLE_PROXY_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/isolation/process_fixture.h"

extern ProcessFixture process_fixture;
extern chx_session *session;
extern IsolatedSession *isolated;
extern RoleProxy *proxies;
extern bool is_there;   // the session is: not all of its roles have left it
extern const char *why; // the report of the last session that was finished

// Which roles are isolated.
extern const bool all[PROCESS_FIXTURE_ROLES], three[PROCESS_FIXTURE_ROLES];

Zygote *zygote(void);
uint64_t now_ns(void);

// Starts a session, whose processes have begun; and one in which the first three roles have entered OUTER.
void begin(const bool *is_isolated);
void begin_outer(void);
// The processes of the session come as far as their own code.
void all_begin(void);
// The supervisor thread takes the control messages.
void serve(void);
// Checks that the supervisor thread sleeps no longer than until a role wants to be looked at.
void timers_are_set(void);
// The role's process dies.
void die(unsigned role);
// Ends the session. Returns its status, and sets `why`.
chx_status finish(void);

// What the role's process says.
void control_enter(unsigned role, uint32_t site);
void control_arrive(unsigned role, uint32_t site);
void control_ready(unsigned role);
void control_end(unsigned role, int64_t result);
void control_two(unsigned role, uint32_t kind, uint32_t first, uint32_t second);
void control_report_violation(unsigned role, unsigned from, unsigned to, Violation about);
// What the first `count` roles' processes say.
void enter(unsigned count, uint32_t site);
void arrive(unsigned count, uint32_t site);

void set_kill_pending(unsigned role, const char *reason);
bool kill_pending(unsigned role);

#endif
