// workload.c: see workload.h.

#define _GNU_SOURCE

#include "store/workload.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECES = 4, BYTES_MAX = 9000, ATTEMPTS = 2000, PAUSE_US = 1000 };

// What is shared, and what only this file needs to know about.
typedef struct {
    Workload public;
    WorkloadMistake mistake;
    uint64_t writers;
} Shared;

typedef struct {
    Workload *workload;
    const chx_store_ops *ops;
    const char *place;
    void (*prepare)(void *store);
    void *store; // NULL: it is not open
    uint64_t writer[2];
    char why[CHX_STORE_WHY];
} Run;

Workload *workload_new(uint32_t seed)
{
    Shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return NULL;
    shared->public.seed = seed;
    return &shared->public;
}

void workload_free(Workload *workload)
{
    munmap(workload, sizeof(Shared));
}

void workload_mistake(Workload *workload, WorkloadMistake mistake)
{
    ((Shared *)workload)->mistake = mistake;
}

static bool complain(Workload *workload, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool complain(Workload *workload, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (workload->complaint[0] == '\0')
        vsnprintf(workload->complaint, sizeof workload->complaint, format, arguments);
    va_end(arguments);
    return false;
}

// ---- what has to be there ----

static uint32_t mix(uint32_t seed, uint32_t a, uint32_t b)
{
    uint32_t x = seed * 2654435761U + a * 40503U + b * 69069U + 12345U;
    x ^= x >> 15;
    x *= 2246822519U;
    x ^= x >> 13;
    x *= 3266489917U;
    return x ^ x >> 16;
}

static bool takes_part(const Workload *workload, uint64_t commit, unsigned session)
{
    // The first one makes all of them.
    return commit == 0 || mix(workload->seed, (uint32_t)commit, session) % 3 != 0;
}

// How many of the first `commits` commits a session takes part in: its version.
static uint64_t version_after(const Workload *workload, uint64_t commits, unsigned session)
{
    uint64_t version = 0;
    for (uint64_t i = 0; i < commits; i++)
        version += takes_part(workload, i, session);
    return version;
}

static size_t size_at(const Workload *workload, unsigned session, uint64_t version, uint32_t role)
{
    uint32_t number = mix(workload->seed + 7, session * 16 + role, (uint32_t)version);
    return number % 5 == 0 ? number / 5 % BYTES_MAX : number / 5 % 200;
}

static void fill(unsigned char *bytes, size_t size, unsigned session, uint64_t version, uint32_t role)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(session * 31 + version * 7 + role * 3 + i);
}

// The pieces of a session of this version: the head, a role of the base that is written with every third change, and two roles at a level that
// depends on the version, below which nothing is kept. Memory of the caller's: PIECES times BYTES_MAX.
static void pieces_at(const Workload *workload, unsigned session, uint64_t version, chx_store_piece pieces[PIECES],
                      unsigned char *memory)
{
    uint64_t base_version = version - (version - 1) % 3;
    uint32_t level = 1 + (uint32_t)(version % 3);
    pieces[0] = (chx_store_piece){.level = 0, .role = 0, .size = size_at(workload, session, base_version, 0)};
    pieces[1] = (chx_store_piece){.level = 0, .role = CHX_STORE_HEAD, .size = size_at(workload, session, version, 9)};
    pieces[2] = (chx_store_piece){.level = level, .role = 0, .size = size_at(workload, session, version, 1)};
    pieces[3] = (chx_store_piece){.level = level, .role = 1, .size = size_at(workload, session, version, 2)};
    for (uint32_t i = 0; i < PIECES; i++) {
        fill(memory + i * BYTES_MAX, pieces[i].size, session, i == 0 ? base_version : version, i);
        pieces[i].data = memory + i * BYTES_MAX;
    }
}

// ---- running ----

static void close_store(Run *run)
{
    if (run->store != NULL)
        run->ops->close(run->store);
    run->store = NULL;
}

static int open_store(Run *run)
{
    if (run->store != NULL)
        return 0;
    run->writer[0] = getpid() * 1000003ULL;
    run->writer[1] = ++((Shared *)run->workload)->writers;
    int error = run->ops->open(run->place, "home", run->writer, &run->store, run->why);
    if (error != 0)
        run->store = NULL;
    else if (run->prepare != NULL)
        run->prepare(run->store);
    return error;
}

typedef struct {
    char names[WORKLOAD_SESSIONS][16];
    chx_store_change changes[WORKLOAD_SESSIONS];
    chx_store_piece pieces[WORKLOAD_SESSIONS][PIECES];
    unsigned sessions[WORKLOAD_SESSIONS];
    unsigned char memory[WORKLOAD_SESSIONS][PIECES * BYTES_MAX];
    size_t count;
} Commit;

static chx_store_key key_of(unsigned session, char name[16])
{
    snprintf(name, 16, "s%u", session);
    return (chx_store_key){.choreography = "work", .space = "", .name = name};
}

static void make_commit(const Workload *workload, uint64_t number, Commit *commit)
{
    commit->count = 0;
    for (unsigned session = 0; session < WORKLOAD_SESSIONS; session++) {
        if (!takes_part(workload, number, session))
            continue;
        size_t at = commit->count++;
        uint64_t version = version_after(workload, number, session);
        pieces_at(workload, session, version + 1, commit->pieces[at], commit->memory[at]);
        bool has_base = version % 3 == 0;
        commit->sessions[at] = session;
        commit->changes[at] = (chx_store_change){.key = key_of(session, commit->names[at]),
                                                 .term = 1,
                                                 .version = version,
                                                 .definition = "run",
                                                 .home = "home",
                                                 .drops = true,
                                                 .drop_from = 1,
                                                 .pieces = commit->pieces[at] + !has_base,
                                                 .piece_count = (size_t)(PIECES - !has_base)};
    }
}

// Whether the session is of the version before the commit (0), of that after it (1), or something else (-1). Errors of the store that may
// be tried again are returned.
static int look(Run *run, const Commit *commit, size_t at, int *state)
{
    chx_store_cut cut;
    const chx_store_change *change = &commit->changes[at];
    int error = run->ops->load(run->store, &change->key, &cut, run->why);
    *state = -1;
    if (error == -ENOENT && change->version == 0) {
        *state = 0;
        return 0;
    }
    if (error != 0)
        return error;
    if (cut.version == change->version)
        *state = 0;
    else if (cut.version == change->version + 1)
        *state = 1;
    run->ops->release(run->store, &cut);
    return 0;
}

// A commit in doubt: 1: it has happened, 0: it has not, -1: there is something wrong.
static int resolve(Run *run, const Commit *commit)
{
    int all = -1;
    for (size_t i = 0; i < commit->count; i++) {
        int state, error = open_store(run);
        if (error == 0)
            error = look(run, commit, i, &state);
        for (int attempt = 0; error != 0 && error != -EBADMSG && attempt < ATTEMPTS; attempt++) {
            usleep(PAUSE_US);
            error = open_store(run);
            if (error == 0)
                error = look(run, commit, i, &state);
        }
        if (error != 0 || state < 0 || (i > 0 && state != all)) {
            complain(run->workload, "commit %llu is half there, or can't be looked up: session %u: %s",
                     (unsigned long long)run->workload->commits, commit->sessions[i], error != 0 ? run->why : "");
            return -1;
        }
        all = state;
    }
    return all;
}

static int call_commit(Run *run, Commit *commit)
{
    Shared *shared = (Shared *)run->workload;
    if (shared->mistake != MISTAKE_APART)
        return run->ops->commit(run->store, commit->changes, commit->count, run->why);
    for (size_t i = 0; i < commit->count; i++) {
        int error = run->ops->commit(run->store, &commit->changes[i], 1, run->why);
        if (error != 0)
            return error;
    }
    return 0;
}

static bool all_applied(Run *run, const Commit *commit)
{
    for (size_t i = 0; i < commit->count; i++)
        if (!commit->changes[i].is_applied)
            return complain(run->workload, "commit %llu: the change of session %u is stale",
                            (unsigned long long)run->workload->commits, commit->sessions[i]);
    return true;
}

// One attempt. 1: it is done, 0: it is to be tried again, -1: something is wrong.
static int attempt(Run *run, Commit *commit)
{
    Workload *workload = run->workload;
    WorkloadMistake mistake = ((Shared *)workload)->mistake;
    int error = open_store(run);
    if (error == 0)
        error = call_commit(run, commit);
    if (error == 0)
        return all_applied(run, commit) ? 1 : -1;
    if (error == -EINPROGRESS) {
        workload->doubts++;
        return mistake == MISTAKE_TWICE ? 0 : resolve(run, commit);
    }
    workload->failures++;
    if (error == -EBADMSG || error == -EINVAL)
        complain(workload, "%s", run->why);
    return error == -EBADMSG || error == -EINVAL ? -1 : 0;
}

bool workload_run(Workload *workload, const chx_store_ops *ops, const char *place, void (*prepare)(void *store))
{
    Run run = {.workload = workload, .ops = ops, .place = place, .prepare = prepare};
    Commit *commit = malloc(sizeof *commit);
    if (commit == NULL)
        return complain(workload, "there is no memory");
    while (workload->commits < WORKLOAD_COMMITS && workload->complaint[0] == '\0') {
        int state = 0;
        make_commit(workload, workload->commits, commit);
        workload->is_under_way = true;
        if (((Shared *)workload)->mistake == MISTAKE_EARLY)
            workload->commits++;
        for (int i = 0; i < ATTEMPTS && (state = attempt(&run, commit)) == 0; i++)
            usleep(PAUSE_US);
        if (state == 0)
            complain(workload, "it does not get on: %s", run.why);
        if (state == 1 && ((Shared *)workload)->mistake != MISTAKE_EARLY)
            workload->commits++;
        if (state == 1)
            workload->is_under_way = false;
    }
    close_store(&run);
    free(commit);
    return workload->complaint[0] == '\0';
}

// ---- checking ----

static bool check_session(Run *run, unsigned session, uint64_t version)
{
    char name[16];
    chx_store_key key = key_of(session, name);
    chx_store_cut cut;
    chx_store_piece pieces[PIECES];
    int error = run->ops->load(run->store, &key, &cut, run->why);
    if (error == -ENOENT && version == 0)
        return true;
    if (error != 0)
        return complain(run->workload, "session %u: %s", session, run->why);
    unsigned char *memory = malloc(PIECES * BYTES_MAX);
    bool is_good = memory != NULL && cut.version == version && cut.piece_count == PIECES;
    if (is_good)
        pieces_at(run->workload, session, version, pieces, memory);
    for (size_t i = 0; is_good && i < PIECES; i++)
        is_good = cut.pieces[i].level == pieces[i].level && cut.pieces[i].role == pieces[i].role &&
                  cut.pieces[i].size == pieces[i].size &&
                  memcmp(cut.pieces[i].data, pieces[i].data, pieces[i].size) == 0;
    if (!is_good)
        complain(run->workload,
                 "session %u is of version %llu with %zu pieces, and is not what it must be in version %llu", session,
                 (unsigned long long)cut.version, cut.piece_count, (unsigned long long)version);
    run->ops->release(run->store, &cut);
    free(memory);
    return is_good;
}

bool workload_check(Workload *workload, const chx_store_ops *ops, const char *place)
{
    Run run = {.workload = workload, .ops = ops, .place = place};
    Commit *commit = malloc(sizeof *commit);
    if (commit == NULL || open_store(&run) != 0) {
        free(commit);
        return complain(workload, "the store can't be opened: %s", run.why);
    }
    if (workload->is_under_way && workload->commits < WORKLOAD_COMMITS) {
        make_commit(workload, workload->commits, commit);
        workload->commits += resolve(&run, commit) == 1;
    }
    workload->is_under_way = false;
    for (unsigned session = 0; session < WORKLOAD_SESSIONS && workload->complaint[0] == '\0'; session++)
        check_session(&run, session, version_after(workload, workload->commits, session));
    close_store(&run);
    free(commit);
    return workload->complaint[0] == '\0';
}
