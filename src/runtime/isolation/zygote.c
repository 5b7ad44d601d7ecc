// zygote.c: see zygote.h.

#define _GNU_SOURCE
#include "runtime/isolation/zygote.h"

#include "runtime/session/registry.h"
#include "runtime/isolation/offspring.h"
#include "runtime/isolation/startup.h"

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
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

// Which object's constructor is to turn the new process into the zygote: its name, or this for the program itself.
#define ZYGOTE_VARIABLE "CHOREX_NURSERY"
#define ZYGOTE_PROGRAM "program"
#define ZYGOTE_AT_WORK "at work" // in the zygote and its children
// Where the zygote finds its files.
enum {
    ZYGOTE_SOCKET = 3,
    ZYGOTE_PARENT = 4,
    ZYGOTE_LIFE = 5,
    ZYGOTE_FIRST_FREE = 6,
    ZYGOTE_FILES_MAX = 250, // in one message; the system's limit is 253
    CLONE_STACK_BYTES = 65536,
    ZYGOTE_END_MS = 1000,
    ZYGOTE_BEGIN_MS = 10000, // from its start to its first words
    ZYGOTE_LOOK_MS = 20,     // meanwhile, it is looked so often whether its socket is still there
    ZYGOTE_LISTEN_S = 5,     // whoever asks does not wait longer than that for it to listen
    ZYGOTE_TRIES = 3,
    ZYGOTE_PROTOCOL = 2,
    ZYGOTE_STATUS_REFUSED = 126, // of a process that was started as a zygote and must not become one
    KILL_TRIES = 50,   // at intervals of a millisecond; then it is the zygote that is killed, and all roles with it
    SWEEP_IDLE_MS = 2, // after a role's end, if nothing else is to do; but not later than
    SWEEP_MAX_MS = 20,
};

static bool has_constructed; // this library's constructor has run
static bool is_zygote;       // this process is one, or a role's

static int pidfd_of(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

// ---- messages ----

static bool message_send(int socket, const ZygoteMessage *message, const int *files, size_t count, int flags)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(ZYGOTE_FILES_MAX * sizeof(int))];
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
static int message_receive(int socket, ZygoteMessage *message, int *files, size_t *count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(ZYGOTE_FILES_MAX * sizeof(int))];
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
    Descriptor socket, parent, life; // the zygote's ends
    char **environment;
    int error;
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
    request->error = spawn_actions(&actions, request);
    if (request->error == 0)
        request->error =
            posix_spawn(&request->pid, STARTUP_PATH, &actions, &attributes, arguments, request->environment);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    _exit(request->error);
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

// The name by which the object that this code lies in knows itself.
static const char *own_object(void)
{
    const char *name = startup_object(&has_constructed);
    return name[0] != '\0' ? name : ZYGOTE_PROGRAM;
}

// The program's, with one more. NULL: no memory.
static char **spawn_environment(void)
{
    static const char prefix[] = ZYGOTE_VARIABLE "=";
    size_t count = 0, kept = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    const char *object = own_object();
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

static bool request(SpawnRequest *request)
{
    void *stack = malloc(CLONE_STACK_BYTES);
    request->environment = spawn_environment();
    request->error = ENOMEM;
    int status = 0;
    if (stack != NULL && request->environment != NULL) {
        // It has the program's handlers and memory: no signal there.
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int pid = spawn_clone(request, stack), waited = pid;
        if (pid < 0)
            request->error = errno;
        else
            while ((waited = waitpid(pid, &status, __WCLONE)) < 0 && errno == EINTR)
                ;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        // A filter of system calls may end it.
        if (waited >= 0)
            request->error = WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
    }
    free(request->environment);
    free(stack);
    errno = request->error;
    return request->error == 0;
}

void zygote_init(Zygote *zygote)
{
    *zygote = (Zygote){.socket = NO_DESCRIPTOR, .life = NO_DESCRIPTOR};
    pthread_mutex_init(&zygote->lock, NULL);
}

uint64_t zygote_process_time(pid_t pid)
{
    char text[1024];
    snprintf(text, sizeof text, "/proc/%d/stat", (int)pid);
    Descriptor file = descriptor_note(open(text, O_RDONLY | O_CLOEXEC));
    ssize_t size = descriptor_read(&file, text, sizeof text - 1);
    descriptor_close(&file);
    text[size > 0 ? size : 0] = '\0';
    // The 22nd field; the second one, a name, may contain anything.
    const char *at = strrchr(text, ')');
    // One that has ended may not have been waited for yet.
    if (at != NULL && (strncmp(at, ") Z", 3) == 0 || strncmp(at, ") X", 3) == 0))
        return 0;
    for (int i = 2; at != NULL && i < 22; i++)
        at = strchr(at + 1, ' ');
    return at != NULL ? strtoull(at, NULL, 10) : 0;
}

void zygote_terminate(Zygote *zygote)
{
    atomic_store(&zygote->is_terminated, true);
    if (zygote->pid > 0 && zygote->pid_time != 0 && zygote_process_time(zygote->pid) == zygote->pid_time)
        kill(zygote->pid, SIGKILL);
}

// 0, or errno.
static int zygote_request(Zygote *zygote)
{
    int ends[2] = {-1, -1}, life[2] = {-1, -1};
    struct timeval limit = {.tv_sec = ZYGOTE_LISTEN_S};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    int error = pipe2(life, O_CLOEXEC) == 0 ? 0 : errno;
    Descriptor kept[] = {descriptor_keep(ends[0]), descriptor_keep(life[0])};
    Descriptor given[] = {descriptor_keep(ends[1]), descriptor_keep(life[1]), descriptor_keep(pidfd_of(getpid()))};
    if (error == 0 &&
        (kept[0].number < 0 || kept[1].number < 0 || given[0].number < 0 || given[1].number < 0 || given[2].number < 0))
        error = errno;
    SpawnRequest start = {.socket = given[0], .life = given[1], .parent = given[2]};
    if (error == 0 && !request(&start))
        error = errno;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        descriptor_close(&given[i]);
    if (error != 0) {
        descriptor_close(&kept[0]);
        descriptor_close(&kept[1]);
        return error;
    }
    setsockopt(descriptor_use(&kept[0]), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    zygote->pid = start.pid;
    zygote->pid_time = zygote_process_time(start.pid);
    zygote->socket = kept[0];
    zygote->life = kept[1];
    return 0;
}

int zygote_socket(Zygote *zygote)
{
    pthread_mutex_lock(&zygote->lock);
    int socket = zygote->socket.number;
    pthread_mutex_unlock(&zygote->lock);
    return socket;
}

bool zygote_is_whole(Zygote *zygote)
{
    pthread_mutex_lock(&zygote->lock);
    bool is_whole = zygote->socket.number < 0 || descriptor_is_ours(&zygote->socket);
    pthread_mutex_unlock(&zygote->lock);
    return is_whole;
}

// Its first words prove that what was started is a zygote. 0, or errno.
static int zygote_await(Zygote *zygote)
{
    ZygoteMessage message;
    struct pollfd polled = {.fd = zygote->socket.number, .events = POLLIN};
    int ready = 0;
    // The program may close it meanwhile, and another file have its number: nothing would be heard of that.
    for (int waited = 0; waited < ZYGOTE_BEGIN_MS && ready == 0; waited += ZYGOTE_LOOK_MS) {
        if (!descriptor_is_ours(&zygote->socket))
            return ECHILD;
        while ((ready = poll(&polled, 1, ZYGOTE_LOOK_MS)) < 0 && errno == EINTR)
            ;
    }
    if (ready == 0)
        return ETIMEDOUT;
    bool has_begun =
        zygote_hear(zygote, &message) == 1 && message.kind == ZYGOTE_BEGUN && message.status == ZYGOTE_PROTOCOL;
    return has_begun ? 0 : ECHILD;
}

static const char *zygote_refusal(Zygote *zygote, int *missing)
{
    const char *of_role = getenv(ZYGOTE_VARIABLE);
    if (!has_constructed)
        return "the program's constructors have not all run: start the session in main, or later";
    if (startup_is_marked() && !is_zygote && (of_role == NULL || strcmp(of_role, ZYGOTE_AT_WORK) != 0))
        return "this process was started for isolated roles itself, and did not become what it should";
    return startup_refusal(&has_constructed, zygote->why, sizeof zygote->why, missing);
}

static const char *spawn_error(int error)
{
    if (error == ENOENT)
        return access("/proc/self/exe", F_OK) != 0 ? "there is no /proc/self/exe"
                                                   : "the program's dynamic loader is not there any more";
    if (error == ETIMEDOUT)
        return "the program, started once more, did not come to its main within 10 seconds";
    if (error == ECHILD)
        return "the program can't be started once more: it ends before its main";
    return strerrordesc_np(error);
}

static void zygote_publish(Zygote *zygote, const Zygote *newborn)
{
    pthread_mutex_lock(&zygote->lock);
    zygote->pid = newborn->pid;
    zygote->pid_time = newborn->pid_time;
    zygote->socket = newborn->socket;
    zygote->life = newborn->life;
    zygote->why[0] = '\0';
    atomic_store(&zygote->is_terminated, false);
    atomic_store(&zygote->pinged_ns, 0);
    atomic_store(&zygote->heard_ns, 0);
    pthread_mutex_unlock(&zygote->lock);
}

ZygoteStart zygote_start(Zygote *zygote)
{
    int missing = 0;
    const char *refusal = zygote_refusal(zygote, &missing);
    if (refusal != NULL) {
        if (refusal != zygote->why)
            snprintf(zygote->why, sizeof zygote->why, "%s%s%s", refusal, missing != 0 ? ": " : "",
                     missing != 0 ? strerrordesc_np(missing) : "");
        return missing != 0 ? ZYGOTE_FAILED : ZYGOTE_NOT_ALLOWED;
    }
    // Nobody else hears or asks it before it has begun.
    Zygote newborn;
    zygote_init(&newborn);
    int error = ECHILD;
    // It may be killed like any process.
    for (int i = 0; i < ZYGOTE_TRIES && error == ECHILD; i++) {
        error = zygote_request(&newborn);
        if (error == 0 && (error = zygote_await(&newborn)) != 0) {
            zygote_terminate(&newborn);
            zygote_end(&newborn);
        }
    }
    if (error == 0)
        zygote_publish(zygote, &newborn);
    else
        snprintf(zygote->why, sizeof zygote->why, "%s", spawn_error(error));
    pthread_mutex_destroy(&newborn.lock);
    return error == 0 ? ZYGOTE_STARTED : ZYGOTE_FAILED;
}

// A program that orphans are handed down to, such as the first of a container, is the zygote's parent by now. For all
// others there is nothing to wait for.
static void zygote_wait(pid_t pid)
{
    int is_reaper = 0;
    if (pid <= 0 || (getpid() != 1 && (prctl(PR_GET_CHILD_SUBREAPER, &is_reaper) != 0 || is_reaper == 0)))
        return;
    for (int i = 0; i < ZYGOTE_END_MS && waitpid(pid, NULL, WNOHANG) == 0; i++)
        poll(NULL, 0, 1);
}

// Nothing is ever written: this is the end of the last of them. False: some live on.
static bool life_ends(const Zygote *zygote, const Descriptor *life)
{
    struct pollfd polled = {.fd = descriptor_use(life)};
    int ready;
    // The program has closed it.
    if (polled.fd < 0) {
        for (int i = 0; i < ZYGOTE_END_MS && zygote_process_time(zygote->pid) == zygote->pid_time; i++)
            poll(NULL, 0, 1);
        return zygote_process_time(zygote->pid) != zygote->pid_time;
    }
    while ((ready = poll(&polled, 1, ZYGOTE_END_MS)) < 0 && errno == EINTR)
        ;
    return ready != 0;
}

void zygote_end(Zygote *zygote)
{
    pthread_mutex_lock(&zygote->lock);
    Descriptor life = zygote->life;
    zygote->life = NO_DESCRIPTOR;
    zygote->generation++;
    descriptor_close(&zygote->socket);
    pthread_mutex_unlock(&zygote->lock);
    if (zygote->pid == 0)
        return;
    // One that does not see that its socket is closed.
    if (!life_ends(zygote, &life)) {
        zygote_terminate(zygote);
        life_ends(zygote, &life);
    }
    descriptor_close(&life);
    zygote_wait(zygote->pid);
    zygote->pid = 0;
    atomic_store(&zygote->is_terminated, false);
}

// It can't be sent because the system lacks something at the moment.
static bool is_shortage(int error)
{
    return error == ENOMEM || error == ENOBUFS || error == ETOOMANYREFS;
}

// In several messages, if there are more files than fit into one.
static bool message_send_all(int socket, ZygoteKind kind, uint64_t id, const int *files, size_t count)
{
    for (; count > ZYGOTE_FILES_MAX; files += ZYGOTE_FILES_MAX, count -= ZYGOTE_FILES_MAX) {
        ZygoteMessage part = {.kind = ZYGOTE_FILES, .status = ZYGOTE_FILES_MAX, .id = id};
        if (!message_send(socket, &part, files, ZYGOTE_FILES_MAX, 0))
            return false;
    }
    ZygoteMessage message = {.kind = kind, .status = (int32_t)count, .id = id};
    return message_send(socket, &message, files, count, 0);
}

static bool zygote_ask(Zygote *zygote, ZygoteKind kind, uint64_t id, const int *files, size_t count,
                       uint64_t *generation)
{
    while (atomic_load(&zygote->is_replaced))
        poll(NULL, 0, 1);
    pthread_mutex_lock(&zygote->lock);
    int socket = descriptor_use(&zygote->socket);
    if (zygote->socket.number < 0)
        errno = ECHILD;
    if (generation != NULL)
        *generation = zygote->generation;
    // What it would still do ends with it.
    if (atomic_load(&zygote->is_terminated)) {
        socket = -1;
        errno = EPIPE;
    }
    bool asked = socket >= 0 && message_send_all(socket, kind, id, files, count);
    // Nobody asks twice for a kill, and a process that is not killed may run for ever.
    for (int i = 0; socket >= 0 && !asked && kind == ZYGOTE_KILL && is_shortage(errno); i++) {
        if (i == KILL_TRIES) {
            errno = EAGAIN;
            break;
        }
        poll(NULL, 0, 1);
        asked = message_send_all(socket, kind, id, files, count);
    }
    if (socket >= 0 && !asked && errno == EAGAIN) {
        zygote_terminate(zygote);
        errno = ETIMEDOUT;
    }
    pthread_mutex_unlock(&zygote->lock);
    return asked;
}

uint64_t zygote_generation(Zygote *zygote)
{
    pthread_mutex_lock(&zygote->lock);
    uint64_t generation = zygote->generation;
    pthread_mutex_unlock(&zygote->lock);
    return generation;
}

bool zygote_spawn(Zygote *zygote, uint64_t id, const int *files, size_t count, uint64_t *generation)
{
    return zygote_ask(zygote, ZYGOTE_SPAWN, id, files, count, generation);
}

bool zygote_kill(Zygote *zygote, uint64_t id)
{
    return zygote_ask(zygote, ZYGOTE_KILL, id, NULL, 0, NULL);
}

bool zygote_ping(Zygote *zygote)
{
    return zygote_ask(zygote, ZYGOTE_PING, 0, NULL, 0, NULL);
}

int zygote_hear(Zygote *zygote, ZygoteMessage *message)
{
    int files[ZYGOTE_FILES_MAX];
    size_t count;
    int socket = descriptor_use(&zygote->socket);
    if (socket < 0)
        return -1;
    int heard = message_receive(socket, message, files, &count);
    for (size_t i = 0; i < count; i++)
        close(files[i]);
    return heard;
}

// ---- the zygote ----

enum { UNSENT_FEW = 64 };

typedef struct {
    uint64_t id;
    pid_t pid;
} Child;

static struct {
    Child *children;
    struct pollfd *polled; // socket, parent, then one for each child
    size_t count, capacity;
    bool has_ended;    // a role; what it had started may still be there
    uint64_t swept_ms; // when that was last looked for
    int *files;        // that have come for the next child,
    uint64_t files_id; // which is this one
    int files_error;   // something has gone wrong with them
    size_t file_count, file_capacity;
    ZygoteMessage *unsent; // the program does not listen at the moment: it may be waiting for us to listen
    size_t unsent_count, unsent_capacity;
    ZygoteMessage few[UNSENT_FEW]; // for these no memory is needed
} nest = {.unsent = nest.few, .unsent_capacity = UNSENT_FEW};

// Room for one more. Where there is none the zygote ends, and with it all roles: the program sees that, and begins anew.
static void unsent_grow(void)
{
    size_t capacity = nest.unsent_capacity * 2;
    ZygoteMessage *grown = malloc(capacity * sizeof *grown);
    if (grown == NULL)
        _exit(1);
    memcpy(grown, nest.unsent, nest.unsent_count * sizeof *grown);
    if (nest.unsent != nest.few)
        free(nest.unsent);
    nest.unsent = grown;
    nest.unsent_capacity = capacity;
}

static void nest_send(ZygoteMessage message)
{
    if (nest.unsent_count == 0 && message_send(ZYGOTE_SOCKET, &message, NULL, 0, MSG_DONTWAIT))
        return;
    if (nest.unsent_count == nest.unsent_capacity)
        unsent_grow();
    nest.unsent[nest.unsent_count++] = message;
    nest.polled[0].events = POLLIN | POLLOUT;
}

static void nest_send_rest(void)
{
    size_t sent = 0;
    while (sent < nest.unsent_count && message_send(ZYGOTE_SOCKET, &nest.unsent[sent], NULL, 0, MSG_DONTWAIT))
        sent++;
    nest.unsent_count -= sent;
    memmove(nest.unsent, nest.unsent + sent, nest.unsent_count * sizeof *nest.unsent);
    if (nest.unsent_count == 0)
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

static void child_begin(pid_t zygote)
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
    close(ZYGOTE_SOCKET);
    close(ZYGOTE_PARENT);
    for (size_t i = 0; i < nest.count; i++)
        close(nest.polled[i + 2].fd);
    process_main(nest.files, nest.file_count);
}

// errno, 0: it lives.
static int nest_spawn(uint64_t id)
{
    if (!nest_reserve())
        return ENOMEM;
    pid_t self = getpid(), pid = fork();
    if (pid < 0)
        return errno;
    if (pid == 0)
        child_begin(self);
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
    nest.has_ended = true;
    nest_send((ZygoteMessage){ZYGOTE_EXITED, status, child.id});
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
    for (int i = 0; i < ZYGOTE_END_MS && !offspring_end(NULL, 0); i++)
        poll(NULL, 0, 1);
    _exit(0);
}

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// A child that is no role's process was started by a role that has ended.
static void nest_sweep(void)
{
    pid_t *roles = malloc((nest.count + 1) * sizeof *roles);
    for (size_t i = 0; roles != NULL && i < nest.count; i++)
        roles[i] = nest.children[i].pid;
    nest.has_ended = roles == NULL || !offspring_end(roles, nest.count);
    nest.swept_ms = now_ms();
    free(roles);
}

static void nest_drop_files(void)
{
    for (size_t i = 0; i < nest.file_count; i++)
        close(nest.files[i]);
    nest.file_count = 0;
    nest.files_error = 0;
}

static bool nest_add_files(const int *files, size_t count)
{
    size_t wanted = nest.file_count + count;
    int *grown = wanted > nest.file_capacity ? realloc(nest.files, 2 * wanted * sizeof *grown) : nest.files;
    if (grown == NULL && wanted > 0) {
        for (size_t i = 0; i < count; i++)
            close(files[i]);
        return false;
    }
    nest.file_capacity = wanted > nest.file_capacity ? 2 * wanted : nest.file_capacity;
    nest.files = grown;
    if (count > 0)
        memcpy(nest.files + nest.file_count, files, count * sizeof *files);
    nest.file_count = wanted;
    return true;
}

static void nest_answer(void)
{
    ZygoteMessage message;
    int files[ZYGOTE_FILES_MAX];
    size_t count;
    int heard;
    while ((heard = message_receive(ZYGOTE_SOCKET, &message, files, &count)) == 1) {
        if (message.kind == ZYGOTE_PING) {
            nest_send((ZygoteMessage){.kind = ZYGOTE_PONG});
            continue;
        }
        if (message.kind == ZYGOTE_KILL) {
            nest_kill(message.id);
            continue;
        }
        // The rest of what was begun for another one has never come: nobody else may get it.
        if (message.id != nest.files_id)
            nest_drop_files();
        nest.files_id = message.id;
        // Where there are too many open ones some of them are missing.
        if ((size_t)message.status != count)
            nest.files_error = EMFILE;
        if (!nest_add_files(files, count))
            nest.files_error = ENOMEM;
        if (message.kind != ZYGOTE_SPAWN)
            continue;
        int error = nest.files_error != 0 ? nest.files_error : nest_spawn(message.id);
        nest_drop_files();
        if (error != 0)
            nest_send((ZygoteMessage){ZYGOTE_REFUSED, error, message.id});
    }
    if (heard < 0)
        nest_end();
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

static void nest_begin(void)
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
    if (!nest_reserve())
        _exit(1);
    nest.polled[0] = (struct pollfd){.fd = ZYGOTE_SOCKET, .events = POLLIN};
    nest.polled[1] = (struct pollfd){.fd = ZYGOTE_PARENT, .events = POLLIN};
    nest_send((ZygoteMessage){.kind = ZYGOTE_BEGUN, .status = ZYGOTE_PROTOCOL});
}

static _Noreturn void zygote_main(void)
{
    nest_begin();
    for (;;) {
        int ready = poll(nest.polled, nest.count + 2, nest.has_ended ? SWEEP_IDLE_MS : -1);
        if (ready < 0 && errno != EINTR)
            _exit(1);
        if (nest.has_ended && (ready == 0 || now_ms() - nest.swept_ms >= SWEEP_MAX_MS))
            nest_sweep();
        if (ready <= 0)
            continue;
        if (nest.polled[1].revents != 0)
            nest_end();
        for (size_t i = nest.count; i > 0; i--)
            if (nest.polled[i + 1].revents != 0)
                nest_reap(i - 1);
        if ((nest.polled[0].revents & POLLOUT) != 0)
            nest_send_rest();
        if ((nest.polled[0].revents & ~POLLOUT) != 0)
            nest_answer();
    }
}

// A process that was started as a zygote either becomes one here or ends: it never comes to main. Roles are registered by
// constructors too, of a higher priority.
static void __attribute__((constructor)) zygote_begin(void)
{
    has_constructed = true;
    registry_seal();
    if (!startup_is_marked())
        return;
    const char *wanted = getenv(ZYGOTE_VARIABLE), *own = own_object();
    // A library that a role has loaded.
    if (wanted != NULL && strcmp(wanted, ZYGOTE_AT_WORK) == 0)
        return;
    // Each library that has a choreography may have a copy of this one; the program's own constructors are the last.
    if (wanted != NULL && strcmp(wanted, own) != 0 && strcmp(own, ZYGOTE_PROGRAM) != 0)
        return;
    int type = 0;
    socklen_t size = sizeof type;
    if (getauxval(AT_SECURE) != 0 || wanted == NULL || strcmp(wanted, own) != 0 ||
        getsockopt(ZYGOTE_SOCKET, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
        _exit(ZYGOTE_STATUS_REFUSED);
    zygote_main();
}
