// zygote_start.c: how the program starts itself once more as the zygote, and how that copy becomes one. See zygote.h.

#define _GNU_SOURCE
#include "runtime/isolation/zygote.h"

#include "runtime/session/registry.h"
#include "runtime/isolation/describe.h"
#include "runtime/isolation/startup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Which object's constructor is to turn the new process into the zygote: as startup_object.
#define ZYGOTE_VARIABLE "CHOREX_NURSERY"
#define ZYGOTE_AT_WORK "at work" // in the zygote and its children
// Where the zygote finds its files.
enum {
    ZYGOTE_SOCKET = 3,
    ZYGOTE_PARENT = 4,
    ZYGOTE_LIFE = 5,
    ZYGOTE_FIRST_FREE = 6,
    CLONE_STACK_BYTES = 65536,
    ZYGOTE_STATUS_REFUSED = 126, // of a process that was started as a zygote and must not become one
};

static bool has_constructed; // this library's constructor has run
static bool is_zygote;       // this process is one, or a role's

// ---- in the program ----

typedef struct {
    Descriptor socket, parent, life; // the zygote's ends
    char **environment;
    pid_t pid;
} SpawnRequest;

// 0, or errno.
static int spawn_actions(posix_spawn_file_actions_t *actions, const SpawnRequest *request)
{
    // The program may have closed them a moment ago. It can't any more: its descriptors were copied for this process.
    if (!descriptor_is_ours(&request->socket) || !descriptor_is_ours(&request->parent) ||
        !descriptor_is_ours(&request->life))
        return ECHILD;
    // They are out of the way of their places. dup2 also takes close-on-exec away.
    int error = posix_spawn_file_actions_adddup2(actions, request->socket.number, ZYGOTE_SOCKET);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, request->parent.number, ZYGOTE_PARENT);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(actions, request->life.number, ZYGOTE_LIFE);
    return error;
}

// In a moment's child that shares the program's memory: the zygote becomes nobody's child, and the program never has to
// wait for it.
static int spawn_run(void *argument)
{
    SpawnRequest *request = argument;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    char *arguments[] = {(char *)"chorex-zygote", NULL};
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int error = spawn_actions(&actions, request);
    if (error == 0)
        error = posix_spawn(&request->pid, STARTUP_PATH, &actions, &attributes, arguments, request->environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    _exit(error);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#endif

// That child, without a signal at its end: the program's own handling of children is not disturbed.
static int spawn_clone(SpawnRequest *request, void *stack)
{
#ifdef HAS_SANITIZER
    // Which keeps an account of each thread and its stack in the memory that the child would share.
    (void)stack;
    int pid = (int)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (pid == 0)
        spawn_run(request);
    return pid;
#else
    return clone(spawn_run, (char *)stack + CLONE_STACK_BYTES, CLONE_VM | CLONE_VFORK, request);
#endif
}

// The program's, with one more. NULL: no memory.
static char **spawn_environment(void)
{
    static const char prefix[] = ZYGOTE_VARIABLE "=";
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    const char *object = startup_object();
    size_t pointers = (count + 2) * sizeof(char *);
    char **environment = malloc(pointers + sizeof prefix + strlen(object));
    if (environment == NULL)
        return NULL;
    char *variable = (char *)environment + pointers;
    strcpy(stpcpy(variable, prefix), object);
    environment[kept++] = variable;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], prefix, sizeof prefix - 1) != 0)
            environment[kept++] = environ[i];
    environment[kept] = NULL;
    return environment;
}

// 0, or errno.
static int spawn(SpawnRequest *request)
{
    void *stack = malloc(CLONE_STACK_BYTES);
    request->environment = spawn_environment();
    int error = ENOMEM, status = 0;
    if (stack != NULL && request->environment != NULL) {
        // It has the program's handlers and memory: no signal there.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int pid = spawn_clone(request, stack);
        error = pid < 0 ? errno : 0;
        while (pid >= 0 && waitpid(pid, &status, __WCLONE) < 0 && errno == EINTR)
            ;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        // A filter of system calls may end it.
        if (pid >= 0)
            error = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
    }
    free(request->environment);
    free(stack);
    return error;
}

int zygote_launch(const Descriptor *socket, const Descriptor *life, pid_t *pid)
{
    Descriptor program = descriptor_keep((int)syscall(SYS_pidfd_open, getpid(), 0));
    SpawnRequest request = {.socket = *socket, .life = *life, .parent = program};
    int error = program.number >= 0 ? spawn(&request) : errno;
    descriptor_close(&program);
    *pid = request.pid;
    return error;
}

chx_status zygote_check(char *why)
{
    const char *of_role = getenv(ZYGOTE_VARIABLE), *refusal = NULL;
    if (!has_constructed)
        refusal = "the program's constructors have not all run: start the session in main, or later";
    else if (startup_is_marked() && !is_zygote && (of_role == NULL || strcmp(of_role, ZYGOTE_AT_WORK) != 0))
        refusal = "this process was started for isolated roles itself, and did not become what it should";
    if (refusal == NULL)
        return startup_check(why);
    snprintf(why, REPORT_WHY_SIZE, "%s", refusal);
    return CHX_INVALID;
}

// ---- in the zygote ----

// The program decides what a terminal's signals mean; roles end with it.
static struct {
    int signal;
    bool is_restored; // in the roles
    void (*handler)(int);
    struct sigaction before;
} changed[] = {
    {.signal = SIGINT, .handler = SIG_IGN},
    {.signal = SIGQUIT, .handler = SIG_IGN},
    {.signal = SIGHUP, .handler = SIG_IGN},
    {.signal = SIGTERM, .handler = SIG_IGN, .is_restored = true},
    {.signal = SIGTSTP, .handler = SIG_IGN, .is_restored = true},
    // Ignored, its children's deaths could not be seen.
    {.signal = SIGCHLD, .handler = SIG_DFL, .is_restored = true},
};
enum { CHANGED_COUNT = sizeof changed / sizeof *changed };

static void signals_change(void)
{
    for (size_t i = 0; i < CHANGED_COUNT; i++) {
        struct sigaction action = {.sa_handler = changed[i].handler};
        sigaction(changed[i].signal, &action, &changed[i].before);
    }
}

// Files that it is sent must not become standard streams.
static void streams_open(void)
{
    for (int i = 0; i < 3; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/dev/null", O_RDWR) != i)
            _exit(1);
}

// The zygote needs a descriptor for each role of the program. What the program's own limit allows is for the program.
static struct rlimit files_before;

static void files_limit_lift(void)
{
    struct rlimit lifted;
    if (getrlimit(RLIMIT_NOFILE, &files_before) != 0)
        return;
    lifted = (struct rlimit){files_before.rlim_max, files_before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &lifted);
}

void zygote_child_begin(pid_t zygote)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != zygote)
        _exit(0);
    // Whatever it starts stays below it, and comes to the zygote when it ends.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    for (size_t i = 0; i < CHANGED_COUNT; i++)
        if (changed[i].is_restored)
            sigaction(changed[i].signal, &changed[i].before, NULL);
    setrlimit(RLIMIT_NOFILE, &files_before);
}

// These concern the program, which speaks for its roles.
static void environment_clean(void)
{
    if (setenv(ZYGOTE_VARIABLE, ZYGOTE_AT_WORK, 1) != 0)
        _exit(1);
    unsetenv("CHOREX_TRACE");
    unsetenv("CHOREX_SIM");
    unsetenv("CHOREX_ISOLATION");
}

static _Noreturn void zygote_become(void)
{
    is_zygote = true;
    signals_change();
    streams_open();
    files_limit_lift();
    prctl(PR_SET_NAME, "chorex-zygote");
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    syscall(SYS_close_range, ZYGOTE_FIRST_FREE, UINT_MAX, 0);
    fcntl(ZYGOTE_SOCKET, F_SETFD, FD_CLOEXEC);
    fcntl(ZYGOTE_PARENT, F_SETFD, FD_CLOEXEC);
    fcntl(ZYGOTE_LIFE, F_SETFD, FD_CLOEXEC);
    // What other constructors have printed is the program's to print.
    __fpurge(stdout);
    environment_clean();
    ZygoteProcess *zygote = zygote_process_new(&platform_posix, getpid(), ZYGOTE_SOCKET, ZYGOTE_PARENT, ZYGOTE_LIFE);
    if (zygote != NULL)
        zygote_process_main(zygote);
    _exit(1);
}

// A process that was started as a zygote either becomes one here or ends: it never comes to main. Roles are registered by
// constructors too, of a higher priority.
static void __attribute__((constructor)) zygote_begin(void)
{
    has_constructed = true;
    registry_seal();
    if (!startup_is_marked()) {
        describe_if_asked();
        return;
    }
    const char *wanted = getenv(ZYGOTE_VARIABLE), *own = startup_object();
    // A library that a role has loaded.
    if (wanted != NULL && strcmp(wanted, ZYGOTE_AT_WORK) == 0)
        return;
    // Each library that has a choreography may have a copy of this one; the program's own constructors are the last.
    if (wanted != NULL && strcmp(wanted, own) != 0 && strcmp(own, STARTUP_PROGRAM) != 0)
        return;
    int type = 0;
    socklen_t size = sizeof type;
    if (getauxval(AT_SECURE) != 0 || wanted == NULL || strcmp(wanted, own) != 0 ||
        getsockopt(ZYGOTE_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
        _exit(ZYGOTE_STATUS_REFUSED);
    zygote_become();
}
