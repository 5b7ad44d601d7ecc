// filter.c: the strict filter of system calls: computing, memory, time, descriptors that are open already, and what the
// library needs. Anything else ends the process. docs/security.md has the list for users: keep both the same.
//
// Classic BPF, made when the process starts, since one rule names the process itself. The kernel gives it the number of
// the call, the machine that it is meant for, and the arguments, of which the lower halves are looked at here.

#define _GNU_SOURCE
#include "runtime/isolation/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__ILP32__)
#define MACHINE AUDIT_ARCH_X86_64
#define X32_BIT 0x40000000u
#elif defined(__aarch64__) && defined(__AARCH64EL__)
#define MACHINE AUDIT_ARCH_AARCH64
#endif

#ifdef MACHINE

// The most frequent ones first.
static const unsigned allowed[] = {
    SYS_futex,
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_preadv,
    SYS_pwritev,
    SYS_lseek,
    SYS_close,
    SYS_fstat,
    // Memory; with conditions: mmap, mprotect.
    SYS_brk,
    SYS_munmap,
    SYS_mremap,
    SYS_madvise,
    // Time and waiting.
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_gettimeofday,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_sched_yield,
    SYS_ppoll,
    SYS_pselect6,
#ifdef SYS_poll
    SYS_time,
    SYS_poll,
    SYS_select,
    SYS_pause,
#endif
    // Signals to itself, and the end; with a condition: tgkill.
    SYS_rt_sigreturn,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_sigaltstack,
    SYS_restart_syscall,
    SYS_exit,
    SYS_exit_group,
    // What the C library asks for.
    SYS_getpid,
    SYS_gettid,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_getrandom,
    SYS_getcpu,
    SYS_sysinfo,
};

typedef struct {
    struct sock_filter *program;
    size_t length;
} Maker;

static void make(Maker *maker, struct sock_filter instruction)
{
    maker->program[maker->length++] = instruction;
}

static void make_load(Maker *maker, size_t offset)
{
    make(maker, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void make_answer(Maker *maker, uint32_t answer)
{
    make(maker, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer));
}

// The call with this number, which is loaded: goes on with the `length` instructions that follow, others skip them.
static void make_case(Maker *maker, unsigned number, uint8_t length)
{
    make(maker, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, length));
}

static size_t argument_at(unsigned index)
{
    return offsetof(struct seccomp_data, args) + index * sizeof(uint64_t); // little-endian: the lower half
}

// If the test of the argument against this value holds, the call gets this answer, else the opposite one.
static void make_rule(Maker *maker, unsigned number, unsigned argument, uint16_t test, uint32_t value, uint32_t answer)
{
    make_case(maker, number, 4);
    make_load(maker, argument_at(argument));
    make(maker, (struct sock_filter)BPF_JUMP(BPF_JMP | test | BPF_K, value, 0, 1));
    make_answer(maker, answer);
    make_answer(maker, answer == SECCOMP_RET_ALLOW ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ALLOW);
}

static void make_conditions(Maker *maker)
{
    make_rule(maker, SYS_mmap, 2, BPF_JSET, PROT_EXEC, SECCOMP_RET_KILL_PROCESS);
    make_rule(maker, SYS_mprotect, 2, BPF_JSET, PROT_EXEC, SECCOMP_RET_KILL_PROCESS);
    make_rule(maker, SYS_tgkill, 0, BPF_JEQ, (uint32_t)getpid(), SECCOMP_RET_ALLOW);
    // The C library's fstat; with a name it tells a file's attributes, but opens nothing.
    make_rule(maker, SYS_newfstatat, 3, BPF_JEQ, AT_EMPTY_PATH, SECCOMP_RET_ALLOW);
    make_rule(maker, SYS_fallocate, 1, BPF_JEQ, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, SECCOMP_RET_ALLOW);
    // Is it a terminal? The C library asks that of standard output; it is told that it is not.
    make_case(maker, SYS_ioctl, 1);
    make_answer(maker, SECCOMP_RET_ERRNO | ENOTTY);
}

const bool filter_is_known = true;

size_t filter_strict(struct sock_filter *program)
{
    Maker maker = {.program = program};
    make_load(&maker, offsetof(struct seccomp_data, arch));
    make(&maker, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MACHINE, 1, 0));
    make_answer(&maker, SECCOMP_RET_KILL_PROCESS);
    make_load(&maker, offsetof(struct seccomp_data, nr));
#ifdef X32_BIT
    // The same machine has a second set of calls, in which the numbers mean other calls.
    make(&maker, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1));
    make_answer(&maker, SECCOMP_RET_KILL_PROCESS);
#endif
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        make_case(&maker, allowed[i], 1);
        make_answer(&maker, SECCOMP_RET_ALLOW);
    }
    make_conditions(&maker);
    make_answer(&maker, SECCOMP_RET_KILL_PROCESS);
    return maker.length;
}

#else

const bool filter_is_known = false;

size_t filter_strict(struct sock_filter *program)
{
    (void)program;
    return 0;
}

#endif
