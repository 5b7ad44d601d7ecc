// pair.h: what the two programs of the family "links" share: two processes, one of which listens, and what they do.
//
//   PROGRAM DIRECTORY rounds|stream COUNT SIZE
//
// rounds: a message of SIZE bytes there and back, COUNT times. stream: COUNT messages in one direction, then one back. DIRECTORY has
// certificates of the nodes `one` and `two`. The process that dials measures, and prints one line.

#ifndef BENCH_LINKS_PAIR_H
#define BENCH_LINKS_PAIR_H

#include "bench/measure.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

typedef struct {
    const char *directory;
    bool is_stream;
    long count;
    size_t size;
} PairTask;

static inline PairTask pair_task(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: %s DIRECTORY rounds|stream COUNT SIZE\n", argv[0]);
        exit(2);
    }
    return (PairTask){argv[1], strcmp(argv[2], "stream") == 0, atol(argv[3]), strtoul(argv[4], NULL, 10)};
}

// True in the new process, which listens; it ends with this one.
static inline bool pair_fork(int pipe_ends[2])
{
    if (pipe(pipe_ends) != 0)
        exit(1);
    pid_t child = fork();
    if (child < 0)
        exit(1);
    if (child == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return child == 0;
}

#endif
