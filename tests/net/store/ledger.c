#include "ledger.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// The requests of one client that were done, by their numbers.
typedef struct {
    struct entry *items;
    int capacity;
} Done;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int file;
static Done done[CLIENTS_MAX];
static struct {
    int value;
    long sequence;
} values[KEYS];
static long last_sequence;

static struct entry *place(struct request request)
{
    Done *mine = &done[request.client];
    if (request.number >= mine->capacity) {
        int capacity = request.number * 2 + 100;
        mine->items = realloc(mine->items, (size_t)capacity * sizeof *mine->items);
        if (mine->items == NULL)
            abort();
        for (int i = mine->capacity; i < capacity; i++)
            mine->items[i] = (struct entry){0};
        mine->capacity = capacity;
    }
    return &mine->items[request.number];
}

static void remember(struct entry entry)
{
    *place(entry.request) = entry;
    if (entry.sequence > last_sequence)
        last_sequence = entry.sequence;
    if (entry.is_changed && entry.sequence > values[entry.request.key].sequence) {
        values[entry.request.key].value = entry.request.value;
        values[entry.request.key].sequence = entry.sequence;
    }
}

// First in the file: what was told to others must be there after a kill.
static void append(struct entry entry)
{
    if (write(file, &entry, sizeof entry) != (ssize_t)sizeof entry)
        chx_fail("the file can't be written");
    remember(entry);
}

void ledger_open(const char *path)
{
    struct entry entry;
    file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) {
        perror(path);
        exit(1);
    }
    while (read(file, &entry, sizeof entry) == (ssize_t)sizeof entry)
        remember(entry);
}

struct entry ledger_apply(struct request request)
{
    pthread_mutex_lock(&lock);
    struct entry entry = *place(request);
    if (entry.sequence == 0) {
        int before = values[request.key].value;
        entry = (struct entry){.request = request, .sequence = last_sequence + 1, .value = before};
        entry.is_changed = request.kind == WRITE || (request.kind == SWAP && before == request.expected);
        append(entry);
    }
    pthread_mutex_unlock(&lock);
    return entry;
}

struct entry ledger_find(struct request request)
{
    pthread_mutex_lock(&lock);
    struct entry entry = *place(request);
    pthread_mutex_unlock(&lock);
    entry.request = request;
    return entry;
}

struct entry ledger_keep(struct entry entry)
{
    pthread_mutex_lock(&lock);
    if (entry.sequence != 0 && place(entry.request)->sequence == 0)
        append(entry);
    pthread_mutex_unlock(&lock);
    return entry;
}
