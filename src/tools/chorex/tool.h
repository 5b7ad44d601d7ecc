// tool.h: commands of chorex that are programs of their own, as git's are: chorex-certs, chorex-run, chorex-ping. They are there only
// if Chorex was built with OpenSSL.

#ifndef TOOLS_CHOREX_TOOL_H
#define TOOLS_CHOREX_TOOL_H

#include <stdbool.h>

bool tool_is(const char *command);
// Runs chorex-COMMAND in place of this program, with `arguments` (from the command on, NULL at the end). Returns only if that fails,
// with an exit status; a message was written.
int tool_run(char **arguments);

#endif
