// program.c: which roles a program has. It is asked: CHOREX_DESCRIBE, see runtime/isolation/describe.h.
//
// Only a program that understands the question is started with it: any other would simply run.

#define _GNU_SOURCE
#include "tools/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char marker[] = "chorex-describe-1";
enum { ANSWER_MAX = 1 << 20, PATIENCE_MS = 10000 };

#define HOW_TO_COMPILE "compile it with: chorcc PROGRAM.c $(chorcc --cflags --libs=net) -o PROGRAM"

// ---- the file ----

// Is it a program of ours? 0, or an exit status.
static int file_check(const char *path)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &about) != 0) {
        int error = errno;
        if (file >= 0)
            close(file);
        return run_error(strchr(path, '/') == NULL && error == ENOENT
                             ? "'%s': %s (programs are not looked for in $PATH: ./%s)"
                             : "'%s': %s",
                         path, strerror(error), path);
    }
    void *text = S_ISREG(about.st_mode) && about.st_size > 0
                     ? mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0)
                     : MAP_FAILED;
    close(file);
    if (text == MAP_FAILED)
        return run_error("'%s' is not a program", path);
    bool is_program = about.st_size > 4 && memcmp(text, "\177ELF", 4) == 0;
    bool is_ours = memmem(text, (size_t)about.st_size, marker, strlen(marker)) != NULL;
    munmap(text, (size_t)about.st_size);
    if (!is_program)
        return run_error("'%s' is not a program: %s", path, HOW_TO_COMPILE);
    if (!is_ours)
        return run_error("'%s' has no choreography, or the library that has it is an older one: %s", path,
                         HOW_TO_COMPILE);
    if (access(path, X_OK) != 0)
        return run_error("'%s': %s: chmod +x %s", path, strerror(errno), path);
    return 0;
}

// ---- the question ----

static pid_t question_start(const char *path, int output)
{
    pid_t child = fork();
    if (child != 0)
        return child;
    dup2(output, STDOUT_FILENO);
    int nothing = open("/dev/null", O_RDWR);
    dup2(nothing, STDIN_FILENO);
    setenv("CHOREX_DESCRIBE", "1", 1);
    unsetenv("CHOREX_ROLES");
    char *arguments[] = {(char *)path, NULL};
    execv(path, arguments);
    fprintf(stderr, "chorex run: error: '%s': %s\n", path, strerror(errno));
    _exit(127);
}

// What it answers. NULL: it does not come to an end.
static char *answer_read(int input)
{
    char *text = run_grow(NULL, ANSWER_MAX + 1, 1);
    size_t size = 0;
    struct pollfd ready = {.fd = input, .events = POLLIN};
    while (size < ANSWER_MAX) {
        if (poll(&ready, 1, PATIENCE_MS) <= 0)
            return NULL;
        ssize_t count = read(input, text + size, ANSWER_MAX - size);
        if (count <= 0)
            break;
        size += (size_t)count;
    }
    text[size] = '\0';
    return text;
}

static char *question_ask(const char *path)
{
    int ends[2], status = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    pid_t child = question_start(path, ends[1]);
    close(ends[1]);
    char *text = child < 0 ? NULL : answer_read(ends[0]);
    close(ends[0]);
    if (child > 0 && text == NULL)
        kill(child, SIGKILL);
    if (child > 0)
        waitpid(child, &status, 0);
    return text;
}

// ---- the answer ----

static int compare_roles(const void *one, const void *other)
{
    const ProgramRole *a = one, *b = other;
    int order = strcmp(a->choreography, b->choreography);
    return order != 0 ? order : a->index < b->index ? -1 : a->index > b->index;
}

// A role that several implementations play is one role.
static void program_add(Program *program, const char *choreography, const char *role, unsigned index)
{
    for (size_t i = 0; i < program->count; i++)
        if (strcmp(program->roles[i].choreography, choreography) == 0 && strcmp(program->roles[i].role, role) == 0)
            return;
    program->roles = run_grow(program->roles, program->count + 1, sizeof *program->roles);
    program->roles[program->count++] = (ProgramRole){run_text("%s", choreography), run_text("%s", role), index};
}

static int program_read(const char *path, char *text, Program *program)
{
    char *at = strstr(text, marker), *line, choreography[256], role[256];
    bool has_net = false, is_whole = false;
    unsigned index;
    while ((line = strsep(&at, "\n")) != NULL) {
        if (sscanf(line, "role %255s %255s %u", choreography, role, &index) == 3)
            program_add(program, choreography, role, index);
        has_net |= strcmp(line, "net yes") == 0;
        is_whole |= strcmp(line, "end") == 0;
    }
    if (!is_whole)
        return run_error("'%s' does not say which roles it has. If its choreographies are in a shared library, so is "
                         "libchorex: link them into the program",
                         path);
    if (!has_net)
        return run_error("'%s' is not linked with libchorex-net: %s", path, HOW_TO_COMPILE);
    if (program->count == 0)
        return run_error("'%s' has no roles: a file of it includes NAME.ROLE.chor.h for each of them", path);
    qsort(program->roles, program->count, sizeof *program->roles, compare_roles);
    return 0;
}

int program_ask(const char *path, Program *program)
{
    *program = (Program){0};
    int status = file_check(path);
    if (status != 0)
        return status;
    char *text = question_ask(path);
    if (text == NULL)
        return run_error("'%s' does not answer when it is asked for its roles", path);
    status = program_read(path, text, program);
    free(text);
    return status;
}
