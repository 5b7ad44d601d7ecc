// owner.c: see owner.h.
//
// A process is named by its number together with the time at which it was started, since numbers are used again, and by the boot of the
// machine and the namespace in which the number means something.

#define _GNU_SOURCE
#include "base/owner.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char PREFIX[] = "local";

// The first word of the file; empty: it can't be read.
static void read_word(const char *path, char *word, size_t size)
{
    FILE *file = fopen(path, "re");
    char format[16];
    word[0] = '\0';
    if (file == NULL)
        return;
    snprintf(format, sizeof format, "%%%zus", size - 1);
    if (fscanf(file, format, word) != 1)
        word[0] = '\0';
    fclose(file);
}

// When the process was started, in ticks since the boot; 0: there is no such process, or it is dead and waited for.
static unsigned long long started(long process)
{
    enum { STATE = 3, START_TIME = 22 };
    char path[64], line[1024], state = 'Z';
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return 0;
    bool is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    // The name of the program, in parentheses, may have anything in it.
    char *at = is_read ? strrchr(line, ')') : NULL, *saved = NULL;
    if (at == NULL)
        return 0;
    char *word = strtok_r(at + 1, " ", &saved);
    for (int field = STATE; word != NULL; field++, word = strtok_r(NULL, " ", &saved)) {
        if (field == STATE)
            state = word[0];
        if (field == START_TIME)
            start = strtoull(word, NULL, 10);
    }
    return state == 'Z' || state == 'X' ? 0 : start;
}

enum { PLACE_SIZE = OWNER_SIZE - 48 };

// What does not change while this process lives. A child that was forked is another one.
typedef struct Self {
    const struct Self *before; // of the process that this one was forked from
    pid_t process;
    char place[PLACE_SIZE], owner[OWNER_SIZE];
} Self;

static void self_find(Self *self)
{
    char boot[64], space[64] = "";
    read_word("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
    ssize_t length = readlink("/proc/self/ns/pid", space, sizeof space - 1);
    space[length > 0 ? length : 0] = '\0';
    snprintf(self->place, sizeof self->place, "%s %s %s", PREFIX, boot[0] != '\0' ? boot : "-",
             space[0] != '\0' ? space : "-");
    snprintf(self->owner, sizeof self->owner, "%s %ld %llu", self->place, (long)getpid(), started(getpid()));
    self->process = getpid();
}

// Found once for the whole process, and never freed, since other threads may be reading it. It is not kept in each thread: libraries
// that are loaded at run time share a small room for the variables of threads. `spare` is used where there is no memory to keep it.
static const Self *self_known(Self *spare)
{
    static _Atomic(const Self *) known;
    const Self *before = atomic_load_explicit(&known, memory_order_acquire);
    if (before != NULL && before->process == getpid())
        return before;
    self_find(spare);
    spare->before = before;
    Self *kept = malloc(sizeof *kept);
    if (kept == NULL)
        return spare;
    *kept = *spare;
    if (!atomic_compare_exchange_strong_explicit(&known, &before, kept, memory_order_acq_rel, memory_order_acquire)) {
        free(kept); // another thread was first
        return spare;
    }
    return kept;
}

void owner_self(char owner[OWNER_SIZE])
{
    Self spare;
    snprintf(owner, OWNER_SIZE, "%s", self_known(&spare)->owner);
}

OwnerState owner_state(const char *owner, long *process)
{
    Self spare;
    const Self *self = self_known(&spare);
    const char *place = self->place;
    if (strcmp(owner, self->owner) == 0)
        return OWNER_SELF;
    size_t length = strlen(place);
    unsigned long long start;
    if (strstr(place, " -") != NULL || strncmp(owner, place, length) != 0 ||
        sscanf(owner + length, " %ld %llu", process, &start) != 2)
        return OWNER_UNKNOWN;
    return started(*process) == start && start != 0 ? OWNER_ALIVE : OWNER_DEAD;
}

void owner_describe(const char *owner, char *text, size_t size)
{
    long process = 0;
    OwnerState state = owner_state(owner, &process);
    if (state == OWNER_SELF)
        snprintf(text, size, "this program");
    else if (state != OWNER_UNKNOWN)
        snprintf(text, size, "process %ld of this machine", process);
    else if (strncmp(owner, PREFIX, strlen(PREFIX)) == 0 && sscanf(owner, "%*s %*s %*s %ld", &process) == 1)
        snprintf(text, size, "process %ld of another machine or container", process);
    else
        snprintf(text, size, "node '%s'", owner);
}
