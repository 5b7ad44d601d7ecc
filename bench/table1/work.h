// work.h: the unit of work of the original's benchmarks, and what the programs of this folder share.

#ifndef BENCH_TABLE1_WORK_H
#define BENCH_TABLE1_WORK_H

#include "bench/measure.h"

#include <chorex.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WORK_HASHES = 1001, WORK_DIGEST_BYTES = 32 };

typedef struct {
    const char *variant; // plain, checkpoint, crash, ...
    bool work;           // false: work_hard does nothing
    long size;           // laps; 0: the program's own
    int repeat;          // sessions in a sample
} WorkOptions;

// SHA-256 with the algorithm fetched once and one context for each thread.
static inline void work_digest(const void *data, size_t size, unsigned char *digest)
{
    static _Thread_local EVP_MD_CTX *context;
    static _Thread_local EVP_MD *algorithm;
    if (context == NULL) {
        context = EVP_MD_CTX_new();
        algorithm = EVP_MD_fetch(NULL, "SHA256", NULL);
    }
    if (context == NULL || algorithm == NULL || EVP_DigestInit_ex2(context, algorithm, NULL) != 1 ||
        EVP_DigestUpdate(context, data, size) != 1 || EVP_DigestFinal_ex(context, digest, NULL) != 1)
        abort();
}

// The digests of "foo0" to "foo1000", all of them kept until the end.
static inline int work_hard(bool work)
{
    if (!work)
        return WORK_HASHES;
    static _Thread_local unsigned char digests[WORK_HASHES][WORK_DIGEST_BYTES];
    for (int i = 0; i < WORK_HASHES; i++) {
        char text[] = "foo1000";
        size_t size = 3;
        for (int unit = 1000; unit > 0; unit /= 10)
            if (i >= unit || unit == 1)
                text[size++] = (char)('0' + i / unit % 10);
        work_digest(text, size, digests[i]);
    }
    return (int)(sizeof digests / sizeof digests[0]);
}

typedef struct {
    long laps;
    _Atomic long done[2];
} WorkPair;

static inline void work_laps(WorkPair *pair, int who)
{
    for (long lap = 1; lap <= pair->laps; lap++) {
        work_hard(true);
        atomic_store_explicit(&pair->done[who], lap, memory_order_release);
        while (atomic_load_explicit(&pair->done[1 - who], memory_order_acquire) < lap)
            ;
    }
}

static inline void *work_second(void *pair)
{
    work_laps((WorkPair *)pair, 1);
    return NULL;
}

// What the work of two roles takes at least: two threads, each of which begins its next lap when both are through with the
// last one, and that have nothing else to say to each other.
static inline bool work_alone(const WorkOptions *options)
{
    pthread_t other;
    WorkPair pair = {.laps = options->size + 1};
    if (pthread_create(&other, NULL, work_second, &pair) != 0)
        return false;
    work_laps(&pair, 0);
    return pthread_join(other, NULL) == 0;
}

// PROGRAM VARIANT [work|idle] [SIZE] [REPEAT]
static inline WorkOptions work_options(int argc, char **argv, long size)
{
    WorkOptions options = {argc > 1 ? argv[1] : "plain", argc <= 2 || strcmp(argv[2], "idle") != 0, size, 1};
    if (argc > 3 && atol(argv[3]) > 0)
        options.size = atol(argv[3]);
    if (argc > 4 && atoi(argv[4]) > 0)
        options.repeat = atoi(argv[4]);
    return options;
}

static inline bool work_is(const WorkOptions *options, const char *variant)
{
    return strcmp(options->variant, variant) == 0;
}

// Runs `sample` options->repeat times and prints the time of one. Before, a few laps of it: what the program needs once
// (threads, the hashing library's tables) is not what is measured.
static inline int work_measure(const WorkOptions *options, bool (*sample)(const WorkOptions *options))
{
    enum { WARM_LAPS = 20 };
    WorkOptions few = *options;
    if (few.size > WARM_LAPS)
        few.size = WARM_LAPS;
    if (!sample(&few))
        return 1;
    Measure measure = measure_begin();
    for (int i = 0; i < options->repeat; i++)
        if (!sample(options))
            return 1;
    measure_end(&measure);
    measure.wall_s /= options->repeat;
    measure.cpu_s /= options->repeat;
    measure_print(&measure);
    return 0;
}

#endif
