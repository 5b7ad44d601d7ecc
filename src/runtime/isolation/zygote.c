// zygote.c: the program's side of the zygote: starting it, asking it, hearing it, ending it. See zygote.h.

#define _GNU_SOURCE
#include "runtime/isolation/zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ZYGOTE_END_MS = 1000,
    ZYGOTE_BEGIN_MS = 10000, // from its start to its first words
    ZYGOTE_LOOK_MS = 20,     // meanwhile, it is looked so often whether its socket is still there
    ZYGOTE_LISTEN_S = 5,     // whoever asks does not wait longer than that for it to listen
    ZYGOTE_TRIES = 3,
};

void zygote_init(Zygote *zygote, const Platform *platform)
{
    *zygote = (Zygote){.platform = platform, .socket = NO_DESCRIPTOR, .life = NO_DESCRIPTOR};
    pthread_mutex_init(&zygote->lock, NULL);
}

// Another process may have its number by now.
static bool zygote_is_alive(const Zygote *zygote)
{
    return zygote->pid > 0 && zygote->pid_time != 0 && zygote->platform->process_time(zygote->pid) == zygote->pid_time;
}

void zygote_terminate(Zygote *zygote)
{
    atomic_store(&zygote->is_terminated, true);
    if (zygote_is_alive(zygote))
        zygote->platform->process_kill(zygote->pid);
}

// 0, or errno. In any case zygote_end releases what it has got.
static int zygote_request(Zygote *zygote)
{
    const Platform *platform = zygote->platform;
    int ends[2] = {-1, -1}, life[2] = {-1, -1};
    struct timeval limit = {.tv_sec = ZYGOTE_LISTEN_S};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return errno;
    int error = pipe2(life, O_CLOEXEC) == 0 ? 0 : errno;
    zygote->socket = descriptor_keep(ends[0]);
    zygote->life = descriptor_keep(life[0]);
    Descriptor given[] = {descriptor_keep(ends[1]), descriptor_keep(life[1])};
    if (error == 0 &&
        (zygote->socket.number < 0 || zygote->life.number < 0 || given[0].number < 0 || given[1].number < 0))
        error = errno;
    if (error == 0)
        error = platform->is_simulated ? zygote_simulate(platform, &given[0], &given[1], &zygote->pid)
                                       : zygote_launch(&given[0], &given[1], &zygote->pid);
    descriptor_close(&given[0]);
    descriptor_close(&given[1]);
    if (error != 0) {
        zygote->pid = 0;
        return error;
    }
    setsockopt(descriptor_use(&zygote->socket), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    zygote->pid_time = platform->process_time(zygote->pid);
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
    int heard = zygote_hear(zygote, &message);
    // The program may close it meanwhile, and another file have its number: nothing would be heard of that.
    for (int waited = 0; waited < ZYGOTE_BEGIN_MS && heard == 0; waited += ZYGOTE_LOOK_MS) {
        zygote->platform->poll(&polled, 1, ZYGOTE_LOOK_MS);
        heard = zygote_hear(zygote, &message);
    }
    if (heard == 0)
        return ETIMEDOUT;
    return heard == 1 && message.kind == ZYGOTE_BEGUN && message.status == ZYGOTE_PROTOCOL ? 0 : ECHILD;
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

chx_status zygote_start(Zygote *zygote)
{
    chx_status status = zygote->platform->is_simulated ? CHX_OK : zygote_check(zygote->why);
    if (status != CHX_OK)
        return status;
    // Nobody else hears or asks it before it has begun.
    Zygote newborn;
    zygote_init(&newborn, zygote->platform);
    int error = ECHILD;
    // It may be killed like any process.
    for (int i = 0; i < ZYGOTE_TRIES && error == ECHILD; i++) {
        error = zygote_request(&newborn);
        if (error == 0)
            error = zygote_await(&newborn);
        if (error != 0) {
            zygote_terminate(&newborn);
            zygote_end(&newborn);
        }
    }
    if (error == 0)
        zygote_publish(zygote, &newborn);
    else
        snprintf(zygote->why, sizeof zygote->why, "%s", spawn_error(error));
    pthread_mutex_destroy(&newborn.lock);
    return error == 0 ? CHX_OK : CHX_NO_MEMORY;
}

// A program that orphans are handed down to, such as the first of a container, is the zygote's parent by now. For all
// others there is nothing to wait for.
static void zygote_wait(const Zygote *zygote)
{
    int is_reaper = 0;
    if (zygote->platform->is_simulated ||
        (getpid() != 1 && (prctl(PR_GET_CHILD_SUBREAPER, &is_reaper) != 0 || is_reaper == 0)))
        return;
    for (int i = 0; i < ZYGOTE_END_MS && waitpid(zygote->pid, NULL, WNOHANG) == 0; i++)
        poll(NULL, 0, 1);
}

// Nothing is ever written: this is the end of the last of them. False: some live on.
static bool life_ends(const Zygote *zygote, const Descriptor *life)
{
    struct pollfd polled = {.fd = descriptor_use(life)}; // -1: the program has closed it
    bool has_ended = false;
    for (int i = 0; i < ZYGOTE_END_MS && !has_ended; i++) {
        zygote->platform->poll(&polled, 1, 1);
        has_ended = polled.fd >= 0 ? polled.revents != 0 : !zygote_is_alive(zygote);
    }
    return has_ended;
}

void zygote_end(Zygote *zygote)
{
    pthread_mutex_lock(&zygote->lock);
    Descriptor life = zygote->life;
    zygote->life = NO_DESCRIPTOR;
    zygote->generation++;
    descriptor_close(&zygote->socket);
    pthread_mutex_unlock(&zygote->lock);
    // One that does not see that its socket is closed.
    if (zygote->pid != 0 && !life_ends(zygote, &life)) {
        zygote_terminate(zygote);
        life_ends(zygote, &life);
    }
    descriptor_close(&life);
    if (zygote->pid != 0)
        zygote_wait(zygote);
    zygote->pid = 0;
    atomic_store(&zygote->is_terminated, false);
}

// In several messages, if there are more files than fit into one.
static bool message_send_all(int socket, ZygoteKind kind, uint64_t id, const int *files, size_t count)
{
    for (; count > ZYGOTE_FILES_MAX; files += ZYGOTE_FILES_MAX, count -= ZYGOTE_FILES_MAX) {
        ZygoteMessage part = {.kind = ZYGOTE_FILES, .status = ZYGOTE_FILES_MAX, .id = id};
        if (!zygote_message_send(socket, &part, files, ZYGOTE_FILES_MAX, 0))
            return false;
    }
    ZygoteMessage message = {.kind = kind, .status = (int32_t)count, .id = id};
    return zygote_message_send(socket, &message, files, count, 0);
}

static bool zygote_ask(Zygote *zygote, ZygoteKind kind, uint64_t id, const int *files, size_t count,
                       uint64_t *generation)
{
    while (atomic_load(&zygote->is_replaced))
        zygote->platform->poll(NULL, 0, 1);
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
    if (socket >= 0 && !asked && errno == EAGAIN) {
        zygote_terminate(zygote);
        errno = ETIMEDOUT;
    }
    pthread_mutex_unlock(&zygote->lock);
    return asked;
}

bool zygote_spawn(Zygote *zygote, uint64_t id, const int *files, size_t count, uint64_t *generation)
{
    return zygote_ask(zygote, ZYGOTE_SPAWN, id, files, count, generation);
}

bool zygote_kill(Zygote *zygote, uint64_t id)
{
    return zygote_ask(zygote, ZYGOTE_KILL, id, NULL, 0, NULL);
}

void zygote_ping(Zygote *zygote, uint64_t now_ns)
{
    if (atomic_load(&zygote->pinged_ns) == 0 && zygote_ask(zygote, ZYGOTE_PING, 0, NULL, 0, NULL))
        atomic_store(&zygote->pinged_ns, now_ns);
}

int zygote_hear(Zygote *zygote, ZygoteMessage *message)
{
    int socket = descriptor_use(&zygote->socket);
    return socket >= 0 ? zygote_message_receive(socket, message, NULL, NULL) : -1;
}
