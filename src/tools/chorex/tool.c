// tool.c: finds a program beside chorex, or in $PATH, and becomes it.

#define _GNU_SOURCE

#include "tools/chorex/tool.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_SIZE = 32 };

bool tool_is(const char *command)
{
    static const char *const commands[] = {"certs", "run", "ping", "sessions", "sweep", "top", "lsp"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strcmp(command, commands[i]) == 0)
            return true;
    return false;
}

// What it can't be built without.
static const char *needs(const char *command)
{
    if (strcmp(command, "sessions") == 0)
        return "SQLite and libpq. Install the headers of one of them (libsqlite3-dev, libpq-dev)";
    if (strcmp(command, "lsp") == 0)
        return "the language server. Install libjansson-dev and libclang-14-dev";
    return "OpenSSL 3. Install its headers (libssl-dev)";
}

int tool_run(char **arguments)
{
    char name[NAME_SIZE], path[PATH_MAX + NAME_SIZE];
    snprintf(name, sizeof name, "chorex-%s", arguments[0]);
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) {
        strcpy(slash + 1, name);
        execv(path, arguments);
    }
    if (slash == NULL || errno == ENOENT)
        execvp(name, arguments);
    if (errno == ENOENT && strcmp(arguments[0], "top") == 0)
        fprintf(stderr, "chorex: error: %s is not installed beside chorex, nor found in $PATH\n", name);
    else if (errno == ENOENT)
        fprintf(
            stderr,
            "chorex: error: %s is not installed: Chorex was built without %s, then build and install Chorex again\n",
            name, needs(arguments[0]));
    else
        fprintf(stderr, "chorex: error: %s can't be started: %s\n", name, strerror(errno));
    return 1;
}
