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

typedef struct {
    pid_t *list;
    size_t count, capacity;
} Pids;

static bool pids_add(Pids *pids, pid_t pid)
{
    if (pids->count == pids->capacity) {
        size_t capacity = pids->capacity == 0 ? 64 : pids->capacity * 2;
        pid_t *grown = realloc(pids->list, capacity * sizeof *grown);
        if (grown == NULL)
            return false;
        pids->list = grown;
        pids->capacity = capacity;
    }
    pids->list[pids->count++] = pid;
    return true;
}

// False: this kernel has no such list.
static bool children_listed(Pids *pids)
{
    char path[64];
    int pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (fscanf(file, "%d", &pid) == 1 && pids_add(pids, pid))
        ;
    fclose(file);
    return true;
}

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

static void children_searched(Pids *pids)
{
    DIR *folder = opendir("/proc");
    const struct dirent *entry;
    pid_t self = getpid();
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]) && parent_of(entry->d_name) == self)
            pids_add(pids, (pid_t)atoi(entry->d_name));
    if (folder != NULL)
        closedir(folder);
}

static int pid_compare(const void *left, const void *right)
{
    pid_t a = *(const pid_t *)left, b = *(const pid_t *)right;
    return (a > b) - (a < b);
}

typedef enum { OFFSPRING_NONE, OFFSPRING_ENDED, OFFSPRING_LEFT } Offspring;

// They are this process's children, and it has not waited for them: their numbers are their own.
static Offspring children_kill(const Pids *children, const pid_t *kept, size_t count)
{
    Offspring found = OFFSPRING_NONE;
    for (size_t i = 0; i < children->count; i++) {
        pid_t pid = children->list[i];
        if (count > 0 && bsearch(&pid, kept, count, sizeof pid, pid_compare) != NULL)
            continue;
        bool is_killed = kill(pid, SIGKILL) == 0;
        if (waitpid(pid, NULL, WNOHANG) == pid)
            found = found == OFFSPRING_LEFT ? OFFSPRING_LEFT : OFFSPRING_ENDED;
        else if (is_killed)
            found = OFFSPRING_LEFT;
    }
    return found;
}

bool offspring_end(pid_t *kept, size_t count)
{
    Pids children = {0};
    Offspring found = OFFSPRING_ENDED;
    if (count > 0)
        qsort(kept, count, sizeof *kept, pid_compare);
    for (int i = 0; i < ROUNDS && found == OFFSPRING_ENDED; i++) {
        children.count = 0;
        if (!children_listed(&children))
            children_searched(&children);
        found = children_kill(&children, kept, count);
    }
    free(children.list);
    return found == OFFSPRING_NONE;
}
