// kill.h: what the programs of this folder share: ways to die, a killer, a watchdog, and checks that can't be undone.
//
// A program is one choreography, run again and again, each time with another subset of its roles in processes of their
// own. Roles die at random steps by themselves (`risky`), and a thread of the program kills role processes and now and
// then the zygote at random moments. The program checks itself: roles call `expect` and the like, which complain on
// standard error at once, since what a role remembers may be rolled back.
//
// The processes share a small piece of memory, reached through /proc/PID/fd of the program. Usage:
// PROGRAM KILLS SEED MODE, where MODE is `self` (roles die by themselves), `killed` (by the killer) or `both`.

#ifndef KILL_H
#define KILL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <chorex.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { KILL_ROLES = 64, KILL_HANG_S = 30, KILL_NAME = 24 };

typedef enum {
    WAY_SIGKILL,
    WAY_SIGSEGV,
    WAY_SIGABRT,
    WAY_SIGTERM,
    WAY_SIGFPE,
    WAY_EXIT,
    WAY_QUICK_EXIT,
    WAY_FAIL,
    WAY_MEMORY,
    WAY_STACK,
    WAY_ENDLESS, // this and the next one: only where a deadline is
    WAY_STOP,
    WAY_COUNT,
} Way;
static const char *const way_names[WAY_COUNT] = {"SIGKILL", "SIGSEGV", "SIGABRT", "SIGTERM", "SIGFPE",  "exit",
                                                 "_exit",   "fail",    "memory",  "stack",   "endless", "stopped"};

typedef struct {
    _Atomic int program, zygote;    // process ids
    _Atomic uint32_t progress;       // steps of all roles so far
    _Atomic uint32_t fresh;          // numbers that are used once
    _Atomic uint32_t seed, one_in;   // a step dies once in so many times; 0: never
    _Atomic uint32_t died[WAY_COUNT];
    _Atomic uint32_t died_outside;   // in this session, where no block takes it up
    _Atomic uint32_t spared;         // nobody is killed before this step
    _Atomic uint32_t wrong;
    struct {
        _Atomic int pid, line;
        char name[KILL_NAME];
    } last[KILL_ROLES]; // where the processes were last seen, for the watchdog
} KillShared;

static inline KillShared *kill_shared(void)
{
    static KillShared *shared;
    if (shared != NULL)
        return shared;
    int file = open(getenv("KILL_SHARED"), O_RDWR | O_CLOEXEC);
    void *memory = file >= 0 ? mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0) : MAP_FAILED;
    if (memory == MAP_FAILED)
        abort();
    close(file);
    shared = (KillShared *)memory;
    if (getpid() != atomic_load(&shared->program))
        atomic_store(&shared->zygote, getppid());
    return shared;
}

static inline uint32_t kill_mix(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
    return (uint32_t)(x >> 32);
}

// ---- in the roles ----

static inline void kill_wrong(const char *what, int line, long got, long expected)
{
    char text[200];
    int size = snprintf(text, sizeof text, "WRONG: line %d: %s: %ld instead of %ld (role %s, process %d)\n", line, what,
                        got, expected, chx_role_name(), (int)getpid());
    atomic_fetch_add(&kill_shared()->wrong, 1);
    if (write(2, text, (size_t)size) < 0)
        abort();
}

static inline uint32_t kill_step(int line)
{
    KillShared *shared = kill_shared();
    uint32_t number = atomic_fetch_add(&shared->progress, 1);
    const char *role = chx_role_name();
    unsigned slot = 0;
    for (const char *letter = role; *letter != '\0'; letter++)
        slot = slot * 31 + (unsigned char)*letter;
    slot %= KILL_ROLES;
    strncpy(shared->last[slot].name, role, KILL_NAME - 1);
    atomic_store(&shared->last[slot].pid, (int)getpid());
    atomic_store(&shared->last[slot].line, line);
    return number;
}

static inline int kill_overflow(int depth)
{
    volatile char here[4096];
    here[0] = (char)depth;
    return depth < 0 ? 0 : kill_overflow(depth + 1) + here[0];
}

static inline void kill_die(Way way)
{
    KillShared *shared = kill_shared();
    atomic_fetch_add(&shared->died[way], 1);
    switch (way) {
    case WAY_SIGKILL:
        kill(getpid(), SIGKILL);
        break;
    case WAY_SIGSEGV:
        *(volatile int *)(uintptr_t)8 = 1;
        break;
    case WAY_SIGABRT:
        abort();
    case WAY_SIGTERM:
        kill(getpid(), SIGTERM);
        break;
    case WAY_SIGFPE:
        raise(SIGFPE);
        break;
    case WAY_EXIT:
        exit((int)(atomic_load(&shared->progress) % 3));
    case WAY_QUICK_EXIT:
        _exit((int)(atomic_load(&shared->progress) % 3));
    case WAY_FAIL:
        chx_fail("no luck");
    case WAY_MEMORY: {
        // Whoever asks for memory first gets none: this code, or the runtime.
        struct rlimit limit = {64 << 20, 64 << 20};
        setrlimit(RLIMIT_AS, &limit);
        for (;;) {
            char *memory = (char *)malloc(1 << 20);
            if (memory == NULL)
                break;
            memset(memory, 1, 1 << 20);
        }
        chx_alloc(64 << 20);
        *(volatile int *)(uintptr_t)8 = 1;
        break;
    }
    case WAY_STACK:
        kill_overflow(0);
        break;
    case WAY_ENDLESS:
        for (;;)
            atomic_load(&shared->progress);
    case WAY_STOP:
        raise(SIGSTOP);
        break;
    default:
        break;
    }
}

static inline void kill_maybe(int line, bool has_deadline, bool is_outside)
{
    KillShared *shared = kill_shared();
    uint32_t number = kill_step(line), one_in = atomic_load(&shared->one_in);
    uint32_t luck = kill_mix((uint64_t)atomic_load(&shared->seed) << 32 | number);
    if (one_in == 0 || luck % one_in != 0)
        return;
    if (is_outside)
        atomic_fetch_add(&shared->died_outside, 1);
    bool is_thread = getpid() == atomic_load(&shared->program);
    kill_die(is_thread ? WAY_FAIL : (Way)(kill_mix(luck) % (has_deadline ? WAY_COUNT : WAY_ENDLESS)));
}

static inline int kill_risky(int line, int x)
{
    kill_maybe(line, false, false);
    return x;
}

static inline int kill_timed(int line, int x)
{
    kill_maybe(line, true, false);
    return x;
}

static inline int kill_outside(int line, int x)
{
    kill_maybe(line, false, true);
    return x;
}

// x, unless the role dies. In a block that has a rescue; in one with a deadline; where nothing takes it up.
#define risky(x) kill_risky(__LINE__, x)
#define timed(x) kill_timed(__LINE__, x)
#define outside(x) kill_outside(__LINE__, x)

static inline void kill_expect(int line, const char *what, long got, long expected)
{
    kill_step(line);
    if (got != expected)
        kill_wrong(what, line, got, expected);
}
// A message that can't be; a variable that is not what it was at the entry.
#define expect(got, expected) kill_expect(__LINE__, "message", got, expected)
#define restored(got, expected) kill_expect(__LINE__, "variable", got, expected)

// A number that nobody has had: who has the same one stands in the same attempt.
static inline int fresh(void)
{
    return (int)atomic_fetch_add(&kill_shared()->fresh, 1);
}

// What a variable holds before round n; made so that rounds, roles and attempts can't be confused.
static inline int value(int n, int role)
{
    return n * 1000 + role * 7;
}

// ---- the killer ----

typedef struct {
    uint64_t random;
    uint32_t wanted;
    _Atomic uint32_t kills;
    _Atomic bool is_over;
} Killer;

static inline uint32_t killer_draw(Killer *killer)
{
    return kill_mix(++killer->random);
}

static inline int kill_read(const char *path, char *text, size_t size)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, size - 1) : -1;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0 ? (int)got : 0;
}

static inline int kill_parent_of(int pid)
{
    char path[64], text[512];
    int parent = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    kill_read(path, text, sizeof text);
    char *behind = strrchr(text, ')');
    return behind != NULL && sscanf(behind, ") %*c %d", &parent) == 1 ? parent : 0;
}

static inline int kill_children(int pids[KILL_ROLES])
{
    char path[64], text[4096];
    int zygote = atomic_load(&kill_shared()->zygote), count = 0, pid, used;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", zygote, zygote);
    if (zygote == 0 || kill_read(path, text, sizeof text) == 0)
        return 0;
    for (char *at = text; count < KILL_ROLES && sscanf(at, "%d%n", &pid, &used) == 1; at += used)
        pids[count++] = pid;
    return count;
}

// Only a child of our zygote: numbers are used again.
static inline bool killer_signal(int pid, int number)
{
    int file = (int)syscall(SYS_pidfd_open, pid, 0);
    if (file < 0)
        return false;
    bool sent = kill_parent_of(pid) == atomic_load(&kill_shared()->zygote) &&
                syscall(SYS_pidfd_send_signal, file, number, NULL, 0) == 0;
    close(file);
    return sent;
}

static inline void kill_sleep_us(long us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static inline void kill_zygote(Killer *killer)
{
    char path[64], text[64];
    int zygote = atomic_load(&kill_shared()->zygote);
    snprintf(path, sizeof path, "/proc/%d/comm", zygote);
    if (zygote != 0 && kill_read(path, text, sizeof text) > 0 && strcmp(text, "chorex-zygote\n") == 0 &&
        kill(zygote, SIGKILL) == 0)
        atomic_fetch_add(&killer->kills, 1);
}

static inline void *killer_main(void *argument)
{
    static const int signals[] = {SIGKILL, SIGKILL, SIGKILL, SIGSEGV, SIGABRT, SIGTERM, SIGSTOP};
    Killer *killer = (Killer *)argument;
    KillShared *shared = kill_shared();
    while (!atomic_load(&killer->is_over)) {
        int pids[KILL_ROLES], count = kill_children(pids);
        uint32_t how = killer_draw(killer), number = signals[killer_draw(killer) % 7];
        kill_sleep_us((long)(killer_draw(killer) % 3000));
        // Most sessions get time to begin: before their first block every death is the end of them.
        if ((int32_t)(atomic_load(&shared->progress) - atomic_load(&shared->spared)) < 0)
            continue;
        if (how % 128 == 0) {
            kill_zygote(killer);
            continue;
        }
        // One of them, two, or all at once.
        int first = count > 0 ? (int)(killer_draw(killer) % (uint32_t)count) : 0;
        int many = how % 8 == 1 ? count : how % 8 == 2 ? 2 : 1;
        for (int i = 0; i < many && i < count; i++) {
            int pid = pids[(first + i) % count];
            if (killer_signal(pid, (int)number) && number != SIGSTOP)
                atomic_fetch_add(&killer->kills, 1);
        }
        if (number == SIGSTOP) {
            kill_sleep_us((long)(killer_draw(killer) % 20000));
            for (int i = 0; i < many && i < count; i++)
                killer_signal(pids[(first + i) % count], SIGCONT);
        }
    }
    return NULL;
}

// ---- the watchdog ----

static inline void watchdog_show(const char *path)
{
    char text[2048];
    kill_read(path, text, sizeof text);
    fprintf(stderr, "%s: %s\n", path, text);
}

static inline void *watchdog_main(void *argument)
{
    Killer *killer = (Killer *)argument;
    KillShared *shared = kill_shared();
    uint32_t seen = 0;
    for (int quiet_ms = 0; !atomic_load(&killer->is_over); quiet_ms += 50) {
        uint32_t now = atomic_load(&shared->progress);
        quiet_ms = now != seen ? 0 : quiet_ms;
        seen = now;
        if (quiet_ms >= KILL_HANG_S * 1000) {
            int pids[KILL_ROLES], count = kill_children(pids);
            fprintf(stderr, "HANG: nothing has happened for %d s\n", KILL_HANG_S);
            for (int i = 0; i < KILL_ROLES; i++)
                if (shared->last[i].pid != 0)
                    fprintf(stderr, "%s, process %d, was last seen in line %d\n", shared->last[i].name,
                            shared->last[i].pid, shared->last[i].line);
            for (int i = 0; i < count; i++) {
                static const char *const files[] = {"comm", "wchan", "syscall", "stack"};
                char path[64];
                for (int k = 0; k < 4; k++) {
                    snprintf(path, sizeof path, "/proc/%d/%s", pids[i], files[k]);
                    watchdog_show(path);
                }
            }
            if (getenv("KILL_STAY") != NULL)
                pause();
            _exit(3);
        }
        kill_sleep_us(50000);
    }
    return NULL;
}

// ---- the program ----

// One session. `isolated`: which roles, by bit. The status is the session's; the program has checked its results.
typedef chx_status (*KillSession)(unsigned isolated);

static inline void kill_isolate(void *cast, size_t bytes, unsigned isolated)
{
    chx_actor *actors = (chx_actor *)cast;
    memset(cast, 0, bytes);
    for (size_t i = 0; i < bytes / sizeof *actors; i++)
        actors[i].isolation = (isolated >> i & 1) != 0 ? CHX_PROCESS : CHX_THREAD;
}

static inline uint32_t kill_count(const Killer *killer)
{
    uint32_t count = atomic_load(&killer->kills);
    for (int i = 0; i < WAY_COUNT; i++)
        count += atomic_load(&kill_shared()->died[i]);
    return count;
}

// A failed session: what the report says must be so.
static inline void kill_check_report(bool is_killed)
{
    const chx_report *report = chx_last_report();
    bool is_sensible = report->role[0] != '\0' && report->why[0] != '\0' && report->line > 0 &&
                       report->kind != CHX_FAULT_SYSTEM && (report->kind == CHX_FAULT_SIGNAL) == (report->signal != 0);
    // A process that was killed before its first step has no line.
    if (is_killed && report->line == 0 && report->kind == CHX_FAULT_SIGNAL)
        is_sensible = true;
    if (!is_sensible || (!is_killed && atomic_load(&kill_shared()->died_outside) == 0)) {
        fprintf(stderr, "WRONG: the session failed: %s:%d: %s: %s (kind %d, signal %d)\n", report->file, report->line,
                report->role, report->why, report->kind, report->signal);
        atomic_fetch_add(&kill_shared()->wrong, 1);
    }
}

static inline void kill_prepare(uint32_t seed)
{
    char path[64];
    struct rlimit none = {0, 0};
    int file = memfd_create("kill", 0);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)getpid(), file);
    if (file < 0 || ftruncate(file, sizeof(KillShared)) != 0 || setenv("KILL_SHARED", path, 1) != 0)
        abort();
    setrlimit(RLIMIT_CORE, &none);
    atomic_store(&kill_shared()->program, (int)getpid());
    atomic_store(&kill_shared()->zygote, 0);
    atomic_store(&kill_shared()->seed, seed);
}

// `one_in`: how rare a death of a role's own is.
static inline int kill_main(int argc, char **argv, KillSession session, uint32_t one_in)
{
    Killer killer = {0};
    killer.wanted = argc > 1 ? (uint32_t)atoi(argv[1]) : 100;
    uint32_t seed = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
    const char *mode = argc > 3 ? argv[3] : "both";
    bool is_killed = strcmp(mode, "self") != 0;
    unsigned sessions = 0, failed = 0;
    pthread_t killer_thread, watchdog;
    kill_prepare(seed);
    KillShared *shared = kill_shared();
    killer.random = (uint64_t)seed << 32;
    atomic_store(&shared->one_in, strcmp(mode, "killed") != 0 ? one_in : 0);
    pthread_create(&watchdog, NULL, watchdog_main, &killer);
    if (is_killed)
        pthread_create(&killer_thread, NULL, killer_main, &killer);
    while (kill_count(&killer) < killer.wanted && atomic_load(&shared->wrong) == 0) {
        uint32_t luck = kill_mix((uint64_t)seed << 32 | ++sessions);
        atomic_store(&shared->died_outside, 0);
        atomic_store(&shared->spared, atomic_load(&shared->progress) + (luck % 16 == 1 ? 0 : 20));
        chx_status status = session(luck % 2 == 0 ? ~0u : luck >> 8 | 1);
        if (status != CHX_OK) {
            failed++;
            kill_check_report(is_killed);
            if (getenv("KILL_REPORTS") != NULL)
                fprintf(stderr, "%s:%d: %s: %s\n", chx_last_report()->file, chx_last_report()->line,
                        chx_last_report()->role, chx_last_report()->why);
        }
    }
    atomic_store(&killer.is_over, true);
    if (is_killed)
        pthread_join(killer_thread, NULL);
    pthread_join(watchdog, NULL);
    printf("%u kills, %u sessions, %u of them failed, %u steps;", kill_count(&killer), sessions, failed,
           atomic_load(&shared->progress));
    printf(" %u from outside", atomic_load(&killer.kills));
    for (int i = 0; i < WAY_COUNT; i++)
        printf(", %u %s", atomic_load(&shared->died[i]), way_names[i]);
    printf("\n");
    return atomic_load(&shared->wrong) != 0;
}

// Results that roles must agree on.
static inline void kill_agree(const char *what, long one, long other)
{
    if (one != other) {
        fprintf(stderr, "WRONG: %s: %ld and %ld\n", what, one, other);
        atomic_fetch_add(&kill_shared()->wrong, 1);
    }
}

#endif
