// Where the headers and the library are, and calls of the C compiler that is behind chorcc.

#define _GNU_SOURCE

#include "compiler/driver/cc.h"

#include "base/text.h"
#include "compiler/driver/path.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// ---- where things are ----

// Distributions put libraries into a directory of the machine's below lib.
static const char *lib_dir_below(Arena *arena, const char *prefix)
{
    const char *plain = path_join(arena, prefix, "lib");
    if (access(path_join(arena, plain, "libchorex.a"), R_OK) == 0)
        return plain;
    const char *const patterns[] = {"lib/*/libchorex.a", "lib64/libchorex.a"};
    // What is special in a pattern is not in the name of a directory.
    Text literal;
    text_init(&literal, arena);
    for (const char *at = prefix; *at != '\0'; at++)
        text_printf(&literal, strchr("*?[]\\", *at) != NULL ? "\\%c" : "%c", *at);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++) {
        glob_t found;
        if (glob(path_join(arena, literal.chars, patterns[i]), 0, NULL, &found) != 0)
            continue;
        const char *directory = path_directory(arena, arena_strdup(arena, found.gl_pathv[0]));
        globfree(&found);
        return directory;
    }
    return plain;
}

Places places_find(Arena *arena)
{
    static const char self[] = "/proc/self/exe";
    const char *prefix = getenv("CHORCC_PREFIX"), *problem = NULL;
    if (prefix == NULL || prefix[0] == '\0') {
        const char *program = path_real(arena, self);
        if (strcmp(program, self) == 0)
            problem = "without /proc it can't be found where chorcc is installed: say it with CHORCC_PREFIX";
        prefix = path_directory(arena, path_directory(arena, program));
    } else if (access(path_join(arena, prefix, "include/chorex.h"), R_OK) != 0) {
        problem = arena_printf(arena, "CHORCC_PREFIX is '%s', but include/chorex.h is not there", prefix);
    }
    return (Places){path_join(arena, prefix, "include"), lib_dir_below(arena, prefix), problem};
}

// ---- the command ----

// In the environment of the C compiler.
#define CALLED_BY_US "CHORCC_INSIDE"

bool cc_is_chorcc(void)
{
    return getenv(CALLED_BY_US) != NULL;
}

void cc_add_command(Arena *arena, WordList *words)
{
    const char *command = getenv("CHORCC_CC");
    size_t count = 0;
    char *rest = arena_strdup(arena, command == NULL ? "" : command);
    for (char *word; (word = strsep(&rest, " \t\n")) != NULL;) {
        if (word[0] == '\0')
            continue;
        vector_push(arena, words, (const char *)word);
        count++;
    }
    if (count == 0)
        vector_push(arena, words, "cc");
}

void cc_add_libs(Arena *arena, const Places *places, WordList *words)
{
    const char *lib_dir = arena_printf(arena, "-L%s", places->lib_dir);
    vector_push(arena, words, lib_dir);
    vector_push(arena, words, "-lchorex");
    vector_push(arena, words, "-lpthread");
}

// Ours besides libchorex, in the order in which they are linked, because they are static: each comes before those that it needs. A program
// need not mention what its configuration, its cast or its environment asks for, so the linker is told what it wants.
static const struct {
    unsigned is; // LIBRARY_...
    const char *name, *wants, *needs[2], *needs_text, *package;
} more[] = {
    {LIBRARY_NATS, "chorex-nats", "chx_carrier_nats", {"-lnats"}, "libnats", "libnats-dev"},
    {LIBRARY_NET, "chorex-net", "chx_node_start", {"-lssl", "-lcrypto"}, "OpenSSL 3", "libssl-dev"},
    {LIBRARY_SQLITE, "chorex-sqlite", "chx_store_ops_sqlite", {"-lsqlite3"}, "SQLite", "libsqlite3-dev"},
    {LIBRARY_POSTGRES, "chorex-postgres", "chx_store_ops_postgres", {"-lpq"}, "libpq", "libpq-dev"},
};
enum { MORE_COUNT = sizeof more / sizeof more[0] };

// NULL: those that are wanted are there.
static const char *missing_library(Arena *arena, const Places *places, unsigned libraries)
{
    // What is needed by others comes last.
    for (size_t i = MORE_COUNT; i-- > 0;) {
        const char *library = path_join(arena, places->lib_dir, arena_printf(arena, "lib%s.a", more[i].name));
        if ((libraries & more[i].is) != 0 && access(library, R_OK) != 0)
            return arena_printf(arena,
                                "'%s' is not there: Chorex was built without %s. Install its headers (%s), "
                                "then build and install Chorex again",
                                library, more[i].needs_text, more[i].package);
    }
    return NULL;
}

const char *cc_add_more_libs(Arena *arena, const Places *places, unsigned libraries, WordList *words)
{
    const char *problem = missing_library(arena, places, libraries);
    if (problem != NULL)
        return problem;
    const char *lib_dir = arena_printf(arena, "-L%s", places->lib_dir);
    vector_push(arena, words, lib_dir);
    for (size_t i = 0; i < MORE_COUNT; i++) {
        if ((libraries & more[i].is) == 0)
            continue;
        const char *wants = arena_printf(arena, "-Wl,--undefined=%s", more[i].wants);
        const char *library = arena_printf(arena, "-l%s", more[i].name);
        vector_push(arena, words, wants);
        vector_push(arena, words, library);
    }
    vector_push(arena, words, "-lchorex");
    for (size_t i = 0; i < MORE_COUNT; i++)
        for (size_t j = 0; j < 2 && (libraries & more[i].is) != 0 && more[i].needs[j] != NULL; j++)
            vector_push(arena, words, more[i].needs[j]);
    vector_push(arena, words, "-lpthread");
    return NULL;
}

static int run(Arena *arena, const WordList *words, const posix_spawn_file_actions_t *actions)
{
    char **arguments = ARENA_ARRAY(arena, char *, words->count + 1);
    for (size_t i = 0; i < words->count; i++)
        arguments[i] = (char *)words->items[i];
    fflush(NULL);
    setenv(CALLED_BY_US, "1", 1);
    pid_t child;
    int error = posix_spawnp(&child, arguments[0], actions, NULL, arguments, environ);
    if (error != 0) {
        fprintf(stderr, "chorcc: error: the C compiler '%s' can't be started: %s\n", arguments[0], strerror(error));
        return 127;
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return 127;
    }
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int cc_run(Arena *arena, const WordList *words)
{
    return run(arena, words, NULL);
}

int cc_run_silently(Arena *arena, const WordList *words)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int status = run(arena, words, &actions);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static void print_word(const char *word, FILE *out)
{
    const char *safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%^";
    if (word[0] != '\0' && strspn(word, safe) == strlen(word)) {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'')
            fputs("'\\''", out);
        else
            putc(*at, out);
    }
    putc('\'', out);
}

void cc_print(const WordList *words, FILE *out)
{
    for (size_t i = 0; i < words->count; i++) {
        if (i > 0)
            putc(' ', out);
        print_word(words->items[i], out);
    }
    putc('\n', out);
}
