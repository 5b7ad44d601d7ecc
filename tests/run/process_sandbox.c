// A role under the strict filter does what it is for, and nothing else: whatever else it tries ends its process, the
// block's rescue hears of it, and the next one goes on.
//! no-sim
//! no-central
//! no-process
//! no-sanitizer
// expect: honest: computed 1000000, read 'here', slept, uid is known, sent 300000 bytes
// expect: opens a file: SIGSYS
// expect: asks for a socket: SIGSYS
// expect: runs a program: SIGSYS
// expect: forks: SIGSYS
// expect: starts a thread: SIGSYS
// expect: kills its parent: SIGSYS
// expect: kills another thread group: SIGSYS
// expect: traces its parent: SIGSYS
// expect: reads its parent's memory: SIGSYS
// expect: makes memory executable: SIGSYS
// expect: maps executable memory: SIGSYS
// expect: calls by numbers of another machine: SIGSYS
// expect: signals by a descriptor's owner: SIGSYS
// expect: changes its filter: SIGSYS
// expect: aborts: SIGABRT (abort)
// expect: 15 attempts, 16 processes; the last one: fine
#define _GNU_SOURCE
#include <chorex.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

choreography(sandboxed, (Host, Guest),
    void Guest.init(void);
    chx_str Guest.honest(void);
    chx_bytes Guest.large(void);
    void Guest.try(int what);
    const char *Host.what(int i);
    def work() -> Host.chx_str {
        Guest.honest() ~> Host.said;
        Guest.large() ~> Host.bytes;
        Host.chx_str answer = chx_strf("%s, sent %zu bytes", chx_cstr(said), chx_bytes_len(bytes));
        return Host.answer;
    }
    def attack(Host.int count) -> Host.int, Guest.bool {
        Host.int stopped = 0;
        {Host, Guest}.int i = 0;
        Host.count ~> {Host, Guest}.n;
        while ({Host, Guest}.(i < n)) {
            checkpoint {
                Guest.try(i);
                Guest.(1) ~> Host._;
                Host.(printf("%s: nothing\n", what(i)));
            } rescue (fault) {
                Host.stopped++;
                Host.(printf("%s: %s\n", what(i), fault.signal == SIGSYS ? "SIGSYS" : fault.why));
            }
            {Host, Guest}.i = i + 1;
        }
        return Host.stopped, Guest.(true);
    }
)

#include "sandboxed.Guest.chor.h"
#include "sandboxed.Host.chor.h"

static int opened = -1;

// Before the filter.
void Guest_init(void)
{
    int ends[2];
    if (pipe(ends) != 0 || write(ends[1], "here", 4) != 4)
        chx_fail("no pipe");
    opened = ends[0];
}

chx_str Guest_honest(void)
{
    char *memory = calloc(1 << 20, 8), text[5] = "";
    struct timespec short_time = {0, 1000};
    long sum = 0;
    for (int i = 0; i < 1000000; i++)
        sum += memory[i % (1 << 20)] + 1;
    memory = realloc(memory, (size_t)1 << 25);
    memset(memory, 1, (size_t)1 << 25);
    free(memory);
    if (read(opened, text, 4) != 4)
        chx_fail("it can't read what it has opened");
    if (nanosleep(&short_time, NULL) != 0 || time(NULL) == 0)
        chx_fail("no time");
    return chx_strf("computed %ld, read '%s', slept, uid is %s", sum, text, getuid() == geteuid() ? "known" : "odd");
}

chx_bytes Guest_large(void)
{
    static char bytes[300000];
    return chx_bytes_new(bytes, sizeof bytes);
}

static void *nothing(void *argument)
{
    return argument;
}

static const char *const attempts[] = {
    "opens a file",
    "asks for a socket",
    "runs a program",
    "forks",
    "starts a thread",
    "kills its parent",
    "kills another thread group",
    "traces its parent",
    "reads its parent's memory",
    "makes memory executable",
    "maps executable memory",
    "calls by numbers of another machine",
    "signals by a descriptor's owner",
    "changes its filter",
    "aborts",
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

const char *Host_what(int i)
{
    return attempts[i];
}

static void try_memory(int what)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | (what == 10 ? PROT_EXEC : 0), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED)
        mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

void Guest_try(int what)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {&there, 1};
    pthread_t thread;
    char *const arguments[] = {"true", NULL};
    // Whatever it is, it comes after an honest use of the filter's other side.
    volatile int *memory = malloc(1 << 20);
    free((void *)memory);
    if (what == 0 && open("/etc/passwd", O_RDONLY) < 0)
        perror("open");
    else if (what == 1)
        socket(AF_INET, SOCK_STREAM, 0);
    else if (what == 2)
        execv("/bin/true", arguments);
    else if (what == 3 && fork() == 0)
        _exit(0);
    else if (what == 4)
        pthread_create(&thread, NULL, nothing, NULL);
    else if (what == 5)
        kill(getppid(), 0);
    else if (what == 6)
        syscall(SYS_tgkill, 1, 1, 0);
    else if (what == 7)
        ptrace(PTRACE_ATTACH, getppid(), NULL, NULL);
    else if (what == 8)
        process_vm_readv(getppid(), &here, 1, &there, 1, 0);
    else if (what == 9 || what == 10)
        try_memory(what);
    else if (what == 11)
        syscall(0x40000000 | SYS_getpid);
    else if (what == 12)
        fcntl(0, F_SETOWN, getppid());
    else if (what == 13)
        prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0);
    else if (what == 14)
        abort();
}

int main(void)
{
    struct sandboxed_cast cast = {.Guest = {.isolation = CHX_PROCESS, .sandbox = &chx_sandbox_strict}};
    struct sandboxed_work_result worked;
    struct sandboxed_attack_result attacked;
    if (sandboxed_work(&worked, &cast) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    printf("honest: %s\n", chx_cstr(worked.Host));
    sandboxed_work_result_drop(&worked);
    if (sandboxed_attack(&attacked, &cast, ATTEMPTS) != CHX_OK) {
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    printf("%d attempts, %d processes; the last one: %s\n", attacked.Host, attacked.Host + 1, attacked.Guest ? "fine" : "?");
    return 0;
}
