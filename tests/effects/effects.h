// effects.h: what the generated programs of this folder share: each role keeps a model of where it is, in a variable that
// recovery restores like any other, and every effect is written down with what the model says and its identifier.
//
// Usage: PROGRAM SESSIONS SEED. Environment: EFFECTS_FILE, where effects are written; EFFECTS_SHARED, a file that the
// processes share; EFFECTS_CALM: nobody dies, and what is random depends on the model only; all sessions have known tokens.

#ifndef EFFECTS_H
#define EFFECTS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <chorex.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

enum { MODEL_LEVELS = 16, MODEL_PLACES = 64, MODEL_BLOCKS = 24, SESSION_S = 60 };

typedef struct {
    _Atomic int program; // its process id
    _Atomic uint32_t session, seed, draws;
} Shared;

static inline Shared *shared_get(void)
{
    static Shared *shared;
    if (shared != NULL)
        return shared;
    int file = open(getenv("EFFECTS_SHARED"), O_RDWR | O_CLOEXEC | O_CREAT, 0600);
    if (file < 0 || ftruncate(file, sizeof *shared) != 0)
        abort();
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        abort();
    close(file);
    return shared = (Shared *)memory;
}

static inline bool is_calm(void)
{
    return getenv("EFFECTS_CALM") != NULL;
}

// The library asks this one for the tokens of sessions.
ssize_t getrandom(void *data, size_t size, unsigned flags)
{
    if (!is_calm())
        return syscall(SYS_getrandom, data, size, flags);
    memset(data, (int)atomic_load(&shared_get()->session) + 1, size);
    return (ssize_t)size;
}

// ---- the model ----

// The blocks that the role is in, the outermost level being none, and what was counted at each level.
typedef struct {
    int depth, acts;
    struct {
        short block, ordinal, is_rescue;
        short counts[MODEL_PLACES], entered[MODEL_BLOCKS];
    } level[MODEL_LEVELS];
} model;

static inline model model_new(void)
{
    return (model){0};
}

static inline model model_push(model m, int block, bool is_rescue)
{
    if (m.depth + 1 >= MODEL_LEVELS)
        abort();
    int ordinal = m.level[m.depth].entered[block]++;
    m.depth++;
    memset(&m.level[m.depth], 0, sizeof m.level[0]);
    m.level[m.depth].block = (short)block;
    m.level[m.depth].ordinal = (short)ordinal;
    m.level[m.depth].is_rescue = is_rescue;
    return m;
}

static inline model model_body(model m, int block)
{
    return model_push(m, block, false);
}

static inline model model_rescue(model m, int block)
{
    return model_push(m, block, true);
}

static inline model model_leave(model m)
{
    m.depth--;
    return m;
}

// ---- luck ----

static inline uint32_t mix32(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
    return (uint32_t)(x >> 32);
}

// True once in `one_in` times. Differs between the attempts of a block, except in calm.
static inline bool luck(model m, int place, uint32_t one_in)
{
    Shared *shared = shared_get();
    uint64_t from = is_calm() ? (uint64_t)place << 20 ^ (uint64_t)m.acts : atomic_fetch_add(&shared->draws, 1);
    return mix32(from ^ (uint64_t)atomic_load(&shared->seed) << 40 ^ (uint64_t)atomic_load(&shared->session) << 32) %
               one_in ==
           0;
}

static inline void may_die(model m, uint32_t one_in)
{
    if (is_calm() || !luck(m, 0, one_in))
        return;
    if ((int)getpid() != atomic_load(&shared_get()->program) && luck(m, 0, 2))
        kill(getpid(), SIGKILL);
    chx_fail("no luck");
}

// ---- effects ----

static inline void effect_write(const char *key, chx_effect effect)
{
    static int file = -1;
    char line[400];
    if (file < 0)
        file = open(getenv("EFFECTS_FILE"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    int size = snprintf(line, sizeof line, "%u %s %s %016llx%016llx\n", (unsigned)atomic_load(&shared_get()->session),
                        chx_role_name(), key, (unsigned long long)effect.high, (unsigned long long)effect.low);
    if (write(file, line, (size_t)size) != size)
        abort();
}

// The effect of a place: written down, before or after which the role may die.
static inline model act(model m, int place)
{
    char key[300];
    int size = 0;
    may_die(m, 40);
    int count = ++m.level[m.depth].counts[place];
    m.acts++;
    for (int i = 1; i <= m.depth; i++)
        size += snprintf(key + size, sizeof key - (size_t)size, "%d.%d%c", m.level[i].block, m.level[i].ordinal,
                         m.level[i].is_rescue ? 'r' : 'b');
    size += snprintf(key + size, sizeof key - (size_t)size, "@%d#%d", place, count);
    effect_write(key, chx_effect_id());
    key[size] = '+';
    key[size + 1] = '\0';
    effect_write(key, chx_effect_for("one", 3));
    key[size] = '-';
    effect_write(key, chx_effect_for("two longer than a word", 22));
    may_die(m, 40);
    return m;
}

// The same in an expression that gives a number, 0 or 1.
static inline int act_at(model *m, int place)
{
    *m = act(*m, place);
    return m->acts % 2;
}

// `init` does not know which attempt it is called in.
static inline void hook_init(void)
{
    effect_write("init", chx_effect_id());
}

static inline void hook_fini(void)
{
    effect_write("fini", chx_effect_id());
}

// ---- the program ----

static inline int effects_main(int argc, char **argv, chx_status (*session)(void))
{
    unsigned sessions = argc > 1 ? (unsigned)atoi(argv[1]) : 10, failed = 0;
    Shared *shared = shared_get();
    atomic_store(&shared->program, (int)getpid());
    atomic_store(&shared->seed, argc > 2 ? (uint32_t)atoi(argv[2]) : 1);
    for (unsigned i = 0; i < sessions; i++) {
        atomic_store(&shared->session, i);
        alarm(SESSION_S);
        failed += session() != CHX_OK;
        alarm(0);
    }
    printf("%u sessions, %u failed\n", sessions, failed);
    return 0;
}

#endif
