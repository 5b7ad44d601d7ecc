// offspring.c: see offspring.h.

#define _GNU_SOURCE
#include "runtime/isolation/offspring.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 64 }; // of killing at once; each finds what the last one has orphaned

static pid_t parent_of(const char *number)
{
    char path[300], text[1024];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%s/stat", number);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    // The name may contain anything.
    const char *name_end = fgets(text, sizeof text, file) != NULL ? strrchr(text, ')') : NULL;
    if (name_end == NULL || sscanf(name_end, ") %*c %d", &parent) != 1)
        parent = 0;
    fclose(file);
    return parent;
}

static int pid_compare(const void *left, const void *right)
{
    pid_t a = *(const pid_t *)left, b = *(const pid_t *)right;
    return (a > b) - (a < b);
}

typedef struct {
    const pid_t *kept; // in order
    size_t count;
    bool is_any;  // another one was found
    bool is_left; // it was killed, and has not ended yet
} Sweep;

// It is this process's child, which has not waited for it: the number is its own.
static void child_end(Sweep *sweep, pid_t pid)
{
    if (sweep->count > 0 && bsearch(&pid, sweep->kept, sweep->count, sizeof pid, pid_compare) != NULL)
        return;
    bool is_killed = kill(pid, SIGKILL) == 0;
    bool has_ended = waitpid(pid, NULL, WNOHANG) == pid;
    sweep->is_any |= is_killed || has_ended;
    sweep->is_left |= is_killed && !has_ended;
}

// False: this kernel has no such list. It may leave out some while others end; then there is another round.
static bool children_listed(Sweep *sweep)
{
    char path[64];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (fscanf(file, "%d", &pid) == 1)
        child_end(sweep, pid);
    fclose(file);
    return true;
}

static void children_searched(Sweep *sweep)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    pid_t self = getpid();
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == self)
            child_end(sweep, (pid_t)atoi(entry->d_name));
    if (folder != NULL)
        closedir(folder);
}

bool offspring_end(pid_t *kept, size_t count)
{
    Sweep sweep = {.is_any = true};
    if (count > 0)
        qsort(kept, count, sizeof *kept, pid_compare);
    for (int i = 0; i < ROUNDS && sweep.is_any && !sweep.is_left; i++) {
        sweep = (Sweep){.kept = kept, .count = count};
        if (!children_listed(&sweep))
            children_searched(&sweep);
    }
    return !sweep.is_any;
}
