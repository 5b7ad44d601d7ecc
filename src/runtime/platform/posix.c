// posix.c: the platform table on Linux.

#define _GNU_SOURCE
#include "runtime/platform/platform.h"

#include "runtime/platform/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t posix_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void posix_random(void *data, size_t size)
{
    unsigned char *bytes = data;
    size_t filled = 0;
    while (filled < size) {
        ssize_t got = getrandom(bytes + filled, size - filled, 0);
        if (got > 0) {
            filled += (size_t)got;
        } else if (got < 0 && errno != EINTR) {
            break;
        }
    }
    // A kernel without getrandom: tokens must still differ from run to run.
    for (uint64_t seed = posix_now_ns() ^ ((uint64_t)getpid() << 32); filled < size; filled++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        bytes[filled] = (unsigned char)(seed >> 56);
    }
}

static unsigned posix_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        int count = CPU_COUNT(&set);
        return count > 0 ? (unsigned)count : 1;
    }
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

static bool posix_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    // The program's own handlers run on the program's own threads; only what a role can cause is delivered here.
    sigset_t blocked, old;
    sigfillset(&blocked);
    static const int kept[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGPROF};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        sigdelset(&blocked, kept[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &old);
    int error = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return error == 0;
}

static void posix_thread_join(pthread_t thread)
{
    pthread_join(thread, NULL);
}

static uint64_t posix_thread_cpu_ns(long id)
{
    // As pthread_getcpuclockid makes it, which must not be asked about a thread that may have ended.
    enum { THREAD_CLOCK = 6 };
    clockid_t clock = (clockid_t)(~(unsigned)id << 3 | THREAD_CLOCK);
    struct timespec used;
    if (clock_gettime(clock, &used) != 0)
        return 0;
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static long posix_thread_id(void)
{
    return syscall(SYS_gettid);
}

// What the file says of a thread or process after its name, which may contain anything: ") ", its state, and more. NULL:
// it is gone. `text` is the file's path, and is overwritten.
static const char *stat_read(char *text, size_t size)
{
    Descriptor file = descriptor_note(open(text, O_RDONLY | O_CLOEXEC));
    ssize_t got = descriptor_read(&file, text, size - 1);
    descriptor_close(&file);
    text[got > 0 ? got : 0] = '\0';
    return strrchr(text, ')');
}

static bool posix_thread_sleeps(long id)
{
    char text[1024];
    snprintf(text, sizeof text, "/proc/self/task/%ld/stat", id);
    const char *state = stat_read(text, sizeof text);
    return state == NULL || strncmp(state, ") R", 3) != 0;
}

static void posix_sleep_on(_Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns)
{
    struct timespec limit = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
    syscall(SYS_futex, (void *)word, FUTEX_WAIT_PRIVATE, expected, timeout_ns == 0 ? NULL : &limit, NULL, 0);
}

static void posix_wake(_Atomic uint32_t *word)
{
    syscall(SYS_futex, (void *)word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void posix_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static void posix_yield(void)
{
    sched_yield();
}

static void posix_poll(struct pollfd *polled, size_t count, int timeout_ms)
{
    if (poll(polled, count, timeout_ms) > 0)
        return;
    for (size_t i = 0; i < count; i++)
        polled[i].revents = 0;
}

static bool posix_can_fence_all(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void posix_fence_all(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

// ---- processes ----

static pid_t posix_process_fork(const ProcessEntry *entry, int *ended)
{
    pid_t pid = fork();
    if (pid == 0)
        entry->run(entry->argument);
    if (pid < 0)
        return -1;
    *ended = (int)syscall(SYS_pidfd_open, pid, 0); // has close-on-exec
    if (*ended >= 0)
        return pid;
    int error = errno;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    errno = error;
    return -1;
}

static bool posix_process_reap(pid_t pid, int *status)
{
    return waitpid(pid, status, WNOHANG) == pid;
}

static void posix_process_kill(pid_t pid)
{
    kill(pid, SIGKILL);
}

static uint64_t posix_process_time(pid_t pid)
{
    char text[1024];
    snprintf(text, sizeof text, "/proc/%d/stat", (int)pid);
    const char *at = stat_read(text, sizeof text);
    // One that has ended may not have been waited for yet.
    if (at != NULL && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
        return 0;
    // The 22nd field; the second one is the name.
    for (int i = 2; at != NULL && i < 22; i++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

static void posix_process_exit(int status)
{
    _exit(status);
}

static void posix_sleep_on_shared(_Atomic uint32_t *word, uint32_t expected)
{
    syscall(SYS_futex, (void *)word, FUTEX_WAIT, expected, NULL, NULL, 0);
}

static void posix_wake_shared(_Atomic uint32_t *word)
{
    syscall(SYS_futex, (void *)word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

const Platform platform_posix = {
    .now_ns = posix_now_ns,
    .random = posix_random,
    .cores = posix_cores,
    .thread_start = posix_thread_start,
    .thread_join = posix_thread_join,
    .thread_id = posix_thread_id,
    .thread_cpu_ns = posix_thread_cpu_ns,
    .thread_sleeps = posix_thread_sleeps,
    .sleep_on = posix_sleep_on,
    .wake = posix_wake,
    .relax = posix_relax,
    .yield = posix_yield,
    .poll = posix_poll,
    .wait_events = epoll_wait,
    .can_fence_all = posix_can_fence_all,
    .fence_all = posix_fence_all,
    .process_fork = posix_process_fork,
    .process_reap = posix_process_reap,
    .process_kill = posix_process_kill,
    .process_time = posix_process_time,
    .process_exit = posix_process_exit,
    .sleep_on_shared = posix_sleep_on_shared,
    .wake_shared = posix_wake_shared,
};
