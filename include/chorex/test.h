// chorex/test.h: role functions, called by a test as a session calls them. docs/testing.md shows how.

#ifndef CHOREX_TEST_H
#define CHOREX_TEST_H

#include <chorex.h>

#ifdef __cplusplus
extern "C" {
#endif

// Calls `call(argument)` as the only step of a role, in a session of its own: chx_fail, chx_again_after and all the others work there
// as in any role's function, and chx_context() is `context`. CHX_OK: it has returned. CHX_FAILED: it has failed, and
// chx_last_report() says why: chx_fail's text, a fatal signal.
chx_status chx_test_call(void *context, void (*call)(void *argument), void *argument);

#ifdef __cplusplus
}
#endif

#endif
