// work.h: what the programs of this folder commit: blocks of sessions, as a runtime with durable blocks does. Arguments: where, how many commits, how
// many sessions share a commit, bytes of each role's state.

#ifndef BENCH_STORES_WORK_H
#define BENCH_STORES_WORK_H

#include "bench/measure.h"

#include <stdlib.h>
#include <string.h>

enum { WORK_ROLES = 2, WORK_HEAD_BYTES = 32 };

typedef struct {
    const char *place;
    long commits, sessions, bytes;
    char *state; // that many bytes
} Work;

static inline Work work_of(char **arguments)
{
    Work work = {arguments[0], atol(arguments[1]), atol(arguments[2]), atol(arguments[3]), NULL};
    work.state = malloc((size_t)work.bytes + WORK_HEAD_BYTES);
    for (long i = 0; i < work.bytes + WORK_HEAD_BYTES; i++)
        work.state[i] = (char)(i * 7919 >> 3);
    return work;
}

// What a commit writes for one session.
static inline size_t work_session_bytes(const Work *work)
{
    return (size_t)(WORK_ROLES * work->bytes + WORK_HEAD_BYTES);
}

static inline void work_fail(const char *why)
{
    fprintf(stderr, "bench/stores: %s\n", why);
    exit(1);
}

#endif
