// startup.h: can this program be started once more, so that the library stops it before main?
//
// The process that starts isolated roles is this program's own file, executed again. That is safe only if a constructor of
// the library is certain to run there before main does: else the new process would be the program a second time, which
// starts another one, and so on. Everything that is needed for that is checked before the file is executed; where there is
// doubt, it is not.

#ifndef RUNTIME_ISOLATION_STARTUP_H
#define RUNTIME_ISOLATION_STARTUP_H

#include <stdbool.h>
#include <stddef.h>

// Executed by this name, the program knows from its auxiliary vector, which it can't lose, what it was started for.
#define STARTUP_PATH "/proc/self/./exe"

// Was this process started under that name?
bool startup_is_marked(void);

// Why the program must not be started once more, in words for the user; NULL: it can be. `here` is an address in the object
// (the program itself or a shared library) whose constructor has to run there. The text stays as it is until the next call
// of the thread; `why` has room for it. `missing` is set if it could not be found out for lack of something: errno.
const char *startup_refusal(const void *here, char *why, size_t size, int *missing);

// The name of the object that the address lies in, the same in each process of this program. "": the program itself.
const char *startup_object(const void *here);

#endif
