// startup.h: can this program be started once more, so that the library stops it before main?
//
// The process that starts isolated roles is this program's own file, executed again. That is safe only if a constructor of
// the library is certain to run there before main does: else the new process would be the program a second time, which
// starts another one, and so on. Everything that is needed for that is checked before the file is executed; where there is
// doubt, it is not.

#ifndef RUNTIME_ISOLATION_STARTUP_H
#define RUNTIME_ISOLATION_STARTUP_H

#include "runtime/session/report.h"

#include <stdbool.h>

// Executed by this name, the program knows from its auxiliary vector, which it can't lose, what it was started for.
#define STARTUP_PATH "/proc/self/./exe"

// Was this process started under that name?
bool startup_is_marked(void);

// Can the program be started once more? CHX_INVALID: it must not; CHX_NO_MEMORY: that could not be found out for lack of
// something. `why`, which has room for REPORT_WHY_SIZE bytes, is set to the reason then, in words for the user.
chx_status startup_check(char *why);

// The name of the object that this library lies in, the same in each process of this program: whose constructor has to
// run there. STARTUP_PROGRAM: the program itself.
const char *startup_object(void);
#define STARTUP_PROGRAM "program"

#endif
