// nursery.c: see nursery.h.

#define _GNU_SOURCE
#include "runtime/isolation/nursery.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define NURSERY_VARIABLE "CHOREX_NURSERY"
// Where the nursery finds its files.
enum {
    NURSERY_SOCKET = 3,
    NURSERY_PARENT = 4,
    NURSERY_LIFE = 5,
    NURSERY_FIRST_FREE = 6,
    NURSERY_FILES_MAX = 4,
    CLONE_STACK_BYTES = 65536,
    NURSERY_END_MS = 1000,
};

static int pidfd_of(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

// ---- messages ----

static bool message_send(int socket, const NurseryMessage *message, const int *files, size_t count, int flags)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(NURSERY_FILES_MAX * sizeof(int))];
    } control;
    struct iovec part = {(void *)message, sizeof *message};
    struct msghdr whole = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        memset(&control, 0, sizeof control);
        whole.msg_control = control.bytes;
        whole.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&whole);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(head), files, count * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &whole, MSG_NOSIGNAL | flags);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *message;
}

// 1: a message; 0: none there; -1: the other side is gone.
static int message_receive(int socket, NurseryMessage *message, int *files, size_t *count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(NURSERY_FILES_MAX * sizeof(int))];
    } control;
    struct iovec part = {message, sizeof *message};
    struct msghdr whole = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got;
    do
        got = recvmsg(socket, &whole, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    *count = 0;
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    struct cmsghdr *head = CMSG_FIRSTHDR(&whole);
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        *count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(files, CMSG_DATA(head), *count * sizeof(int));
    }
    return got == (ssize_t)sizeof *message ? 1 : -1;
}

// ---- the program's side ----

typedef struct {
    int socket, parent, life; // the nursery's ends
    char **environment;
    int error;
    pid_t pid;
} Birth;

static void birth_actions(posix_spawn_file_actions_t *actions, const Birth *birth)
{
    // First out of the way of their places. dup2 also takes close-on-exec away.
    posix_spawn_file_actions_init(actions);
    posix_spawn_file_actions_adddup2(actions, birth->socket, NURSERY_SOCKET);
    posix_spawn_file_actions_adddup2(actions, birth->parent, NURSERY_PARENT);
    posix_spawn_file_actions_adddup2(actions, birth->life, NURSERY_LIFE);
}

// In a moment's child that shares the program's memory: the nursery becomes nobody's child, and the program never has to
// wait for it.
static int birth_run(void *argument)
{
    Birth *birth = argument;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    char *arguments[] = {(char *)"chorex-nursery", NULL};
    birth_actions(&actions, birth);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    birth->error = posix_spawn(&birth->pid, "/proc/self/exe", &actions, &attributes, arguments, birth->environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    _exit(birth->error);
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define HAS_SANITIZER 1
#endif
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HAS_SANITIZER 1
#endif

// That child, without a signal at its end: the program's own handling of children is not disturbed.
static int birth_clone(Birth *birth, void *stack)
{
#ifdef HAS_SANITIZER
    // Which keeps an account of each thread and its stack in the memory that the child would share.
    (void)stack;
    int pid = (int)syscall(SYS_clone, 0, NULL, NULL, NULL, NULL);
    if (pid == 0)
        birth_run(birth);
    return pid;
#else
    return clone(birth_run, (char *)stack + CLONE_STACK_BYTES, CLONE_VM | CLONE_VFORK, birth);
#endif
}

// The program's, with one more. NULL: no memory.
static char **birth_environment(void)
{
    static char variable[] = NURSERY_VARIABLE "=1";
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **environment = malloc((count + 2) * sizeof *environment);
    if (environment == NULL)
        return NULL;
    if (count > 0)
        memcpy(environment, environ, count * sizeof *environment);
    environment[count] = variable;
    environment[count + 1] = NULL;
    return environment;
}

int file_high(int file)
{
    if (file < 0 || file >= NURSERY_FIRST_FREE)
        return file;
    int copy = fcntl(file, F_DUPFD_CLOEXEC, NURSERY_FIRST_FREE), error = errno;
    close(file);
    errno = error == EINVAL ? EMFILE : error; // the limit lies below the first number that it may get
    return copy;
}

static void file_close(int *file)
{
    if (*file >= 0)
        close(*file);
    *file = -1;
}

static bool birth(Birth *birth)
{
    void *stack = malloc(CLONE_STACK_BYTES);
    birth->environment = birth_environment();
    birth->error = ENOMEM;
    int status = 0;
    if (stack != NULL && birth->environment != NULL) {
        // It has the program's handlers and memory: no signal there.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int pid = birth_clone(birth, stack), waited = pid;
        if (pid < 0)
            birth->error = errno;
        else
            while ((waited = waitpid(pid, &status, __WCLONE)) < 0 && errno == EINTR)
                ;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (waited >= 0)
            birth->error = WEXITSTATUS(status);
    }
    free(birth->environment);
    free(stack);
    errno = birth->error;
    return birth->error == 0;
}

bool nursery_start(Nursery *nursery)
{
    int ends[2] = {-1, -1}, life[2] = {-1, -1};
    bool started = false;
    int error = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0 && pipe2(life, O_CLOEXEC) == 0) {
        for (int i = 0; i < 2; i++) {
            ends[i] = file_high(ends[i]);
            life[i] = file_high(life[i]);
        }
        Birth start = {.socket = ends[1], .parent = file_high(pidfd_of(getpid())), .life = life[1]};
        started = ends[0] >= 0 && ends[1] >= 0 && life[0] >= 0 && life[1] >= 0 && start.parent >= 0 && birth(&start);
        error = errno;
        nursery->pid = start.pid;
        file_close(&start.parent);
    } else {
        error = errno;
    }
    file_close(&ends[1]);
    file_close(&life[1]);
    pthread_mutex_lock(&nursery->lock);
    nursery->socket = ends[0];
    nursery->life = life[0];
    nursery->unbegun++;
    pthread_mutex_unlock(&nursery->lock);
    if (!started)
        nursery_end(nursery);
    errno = error;
    return started;
}

// A program that orphans are handed down to, such as the first of a container, is the nursery's parent by now. For all
// others there is nothing to wait for.
static void nursery_wait(pid_t pid)
{
    int is_reaper = 0;
    if (pid <= 0 || (getpid() != 1 && (prctl(PR_GET_CHILD_SUBREAPER, &is_reaper) != 0 || is_reaper == 0)))
        return;
    for (int i = 0; i < NURSERY_END_MS && waitpid(pid, NULL, WNOHANG) == 0; i++)
        poll(NULL, 0, 1);
}

void nursery_end(Nursery *nursery)
{
    pthread_mutex_lock(&nursery->lock);
    int life = nursery->life;
    nursery->life = -1;
    file_close(&nursery->socket);
    pthread_mutex_unlock(&nursery->lock);
    if (life < 0)
        return;
    // Nothing is ever written: this is the end of the last of them, if it has no children that live on.
    struct pollfd polled = {.fd = life};
    while (poll(&polled, 1, NURSERY_END_MS) < 0 && errno == EINTR)
        ;
    close(life);
    nursery_wait(nursery->pid);
    nursery->pid = 0;
}

static bool nursery_ask(Nursery *nursery, NurseryKind kind, uint64_t id, const int *files, size_t count)
{
    NurseryMessage message = {.kind = kind, .id = id};
    while (atomic_load(&nursery->is_replaced))
        poll(NULL, 0, 1);
    pthread_mutex_lock(&nursery->lock);
    errno = ECHILD;
    bool asked = nursery->socket >= 0 && message_send(nursery->socket, &message, files, count, 0);
    pthread_mutex_unlock(&nursery->lock);
    return asked;
}

bool nursery_spawn(Nursery *nursery, uint64_t id, const NurseryFiles *files)
{
    int list[NURSERY_FILES_MAX] = {files->house, files->restore, files->bell, files->trace};
    return nursery_ask(nursery, NURSERY_SPAWN, id, list, files->trace >= 0 ? NURSERY_FILES_MAX : NURSERY_FILES_MAX - 1);
}

bool nursery_kill(Nursery *nursery, uint64_t id)
{
    return nursery_ask(nursery, NURSERY_KILL, id, NULL, 0);
}

int nursery_hear(Nursery *nursery, NurseryMessage *message)
{
    int files[NURSERY_FILES_MAX];
    size_t count;
    int heard = message_receive(nursery->socket, message, files, &count);
    for (size_t i = 0; i < count; i++)
        close(files[i]);
    return heard;
}

// ---- the nursery ----

typedef struct {
    uint64_t id;
    pid_t pid;
} Child;

static struct {
    Child *children;
    struct pollfd *polled; // socket, parent, then one for each child
    size_t count, capacity;
    NurseryMessage *unsaid; // the program does not listen at the moment: it may be waiting for us to listen
    size_t unsaid_count, unsaid_capacity;
} nest;

static void nest_say(NurseryMessage message)
{
    if (nest.unsaid_count == 0 && message_send(NURSERY_SOCKET, &message, NULL, 0, MSG_DONTWAIT))
        return;
    if (nest.unsaid_count == nest.unsaid_capacity) {
        size_t capacity = nest.unsaid_capacity == 0 ? 64 : nest.unsaid_capacity * 2;
        NurseryMessage *grown = realloc(nest.unsaid, capacity * sizeof *grown);
        if (grown == NULL)
            _exit(1);
        nest.unsaid = grown;
        nest.unsaid_capacity = capacity;
    }
    nest.unsaid[nest.unsaid_count++] = message;
    nest.polled[0].events = POLLIN | POLLOUT;
}

static void nest_say_rest(void)
{
    size_t said = 0;
    while (said < nest.unsaid_count && message_send(NURSERY_SOCKET, &nest.unsaid[said], NULL, 0, MSG_DONTWAIT))
        said++;
    nest.unsaid_count -= said;
    memmove(nest.unsaid, nest.unsaid + said, nest.unsaid_count * sizeof *nest.unsaid);
    if (nest.unsaid_count == 0)
        nest.polled[0].events = POLLIN;
}

static bool nest_reserve(void)
{
    if (nest.count < nest.capacity)
        return true;
    size_t capacity = nest.capacity == 0 ? 16 : nest.capacity * 2;
    Child *children = realloc(nest.children, capacity * sizeof *children);
    if (children != NULL)
        nest.children = children;
    struct pollfd *polled = realloc(nest.polled, (capacity + 2) * sizeof *polled);
    if (polled != NULL)
        nest.polled = polled;
    if (children == NULL || polled == NULL)
        return false;
    nest.capacity = capacity;
    return true;
}

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

static void child_begin(pid_t nursery, const NurseryFiles *files)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != nursery)
        _exit(0);
    for (size_t i = 0; i < CHANGED_COUNT; i++)
        if (changed[i].is_restored)
            sigaction(changed[i].signal, &changed[i].before, NULL);
    close(NURSERY_SOCKET);
    close(NURSERY_PARENT);
    for (size_t i = 0; i < nest.count; i++)
        close(nest.polled[i + 2].fd);
    process_main(files);
}

// errno, 0: it lives.
static int nest_spawn(uint64_t id, const NurseryFiles *files)
{
    if (!nest_reserve())
        return ENOMEM;
    pid_t self = getpid(), pid = fork();
    if (pid < 0)
        return errno;
    if (pid == 0)
        child_begin(self, files);
    int file = pidfd_of(pid);
    if (file < 0) {
        int error = errno;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        return error;
    }
    fcntl(file, F_SETFD, FD_CLOEXEC);
    nest.children[nest.count] = (Child){id, pid};
    nest.polled[nest.count + 2] = (struct pollfd){.fd = file, .events = POLLIN};
    nest.count++;
    return 0;
}

static void nest_kill(uint64_t id)
{
    for (size_t i = 0; i < nest.count; i++)
        if (nest.children[i].id == id)
            kill(nest.children[i].pid, SIGKILL); // not yet waited for: the number is still its own
}

static void nest_reap(size_t index)
{
    Child child = nest.children[index];
    int status = 0;
    if (waitpid(child.pid, &status, WNOHANG) != child.pid)
        return;
    close(nest.polled[index + 2].fd);
    nest.count--;
    nest.children[index] = nest.children[nest.count];
    nest.polled[index + 2] = nest.polled[nest.count + 2];
    nest_say((NurseryMessage){NURSERY_EXITED, status, child.id});
}

// The program is gone, or does not want it any more.
static _Noreturn void nest_end(void)
{
    for (size_t i = 0; i < nest.count; i++)
        kill(nest.children[i].pid, SIGKILL);
    // Left behind they would be somebody else's to wait for.
    for (size_t i = 0; i < nest.count; i++)
        while (waitpid(nest.children[i].pid, NULL, 0) < 0 && errno == EINTR)
            ;
    _exit(0);
}

static void nest_answer(void)
{
    NurseryMessage message;
    int files[NURSERY_FILES_MAX];
    size_t count;
    int heard;
    while ((heard = message_receive(NURSERY_SOCKET, &message, files, &count)) == 1) {
        int error = 0;
        if (message.kind == NURSERY_SPAWN)
            error = count >= NURSERY_FILES_MAX - 1
                        ? nest_spawn(message.id, &(NurseryFiles){files[0], files[1], files[2],
                                                                 count == NURSERY_FILES_MAX ? files[3] : -1})
                        : EINVAL;
        else
            nest_kill(message.id);
        for (size_t i = 0; i < count; i++)
            close(files[i]);
        if (error != 0)
            nest_say((NurseryMessage){NURSERY_REFUSED, error, message.id});
    }
    if (heard < 0)
        nest_end();
}

static _Noreturn void nursery_main(void)
{
    signals_change();
    streams_open();
    prctl(PR_SET_NAME, "chorex-nursery");
    syscall(SYS_close_range, NURSERY_FIRST_FREE, UINT_MAX, 0);
    fcntl(NURSERY_SOCKET, F_SETFD, FD_CLOEXEC);
    fcntl(NURSERY_PARENT, F_SETFD, FD_CLOEXEC);
    fcntl(NURSERY_LIFE, F_SETFD, FD_CLOEXEC);
    // What other constructors have printed is the program's to print.
    __fpurge(stdout);
    // These concern the program, which speaks for its roles.
    unsetenv(NURSERY_VARIABLE);
    unsetenv("CHOREX_TRACE");
    unsetenv("CHOREX_SIM");
    unsetenv("CHOREX_ISOLATION");
    if (!nest_reserve())
        _exit(1);
    nest.polled[0] = (struct pollfd){.fd = NURSERY_SOCKET, .events = POLLIN};
    nest.polled[1] = (struct pollfd){.fd = NURSERY_PARENT, .events = POLLIN};
    nest_say((NurseryMessage){.kind = NURSERY_BEGUN});
    for (;;) {
        if (poll(nest.polled, nest.count + 2, -1) < 0 && errno != EINTR)
            _exit(1);
        if (nest.polled[1].revents != 0)
            nest_end();
        for (size_t i = nest.count; i > 0; i--)
            if (nest.polled[i + 1].revents != 0)
                nest_reap(i - 1);
        if ((nest.polled[0].revents & POLLOUT) != 0)
            nest_say_rest();
        if ((nest.polled[0].revents & ~POLLOUT) != 0)
            nest_answer();
    }
}

// Roles are registered by constructors too, of a higher priority.
static void __attribute__((constructor)) nursery_begin(void)
{
    if (getauxval(AT_SECURE) != 0 || getenv(NURSERY_VARIABLE) == NULL)
        return;
    // A variable that somebody has set is no reason to be a nursery.
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(NURSERY_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
        return;
    nursery_main();
}
