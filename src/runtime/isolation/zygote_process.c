// zygote_process.c: the zygote itself: it starts the processes of isolated roles and sees them end. See zygote.h.
//
// It has one thread, which waits for the program's socket, for the program's end and for the ends of its children. On a
// simulated machine it is a simulated process, which runs the same code.

#define _GNU_SOURCE
#include "runtime/isolation/zygote.h"

#include "runtime/isolation/offspring.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    UNSENT_FEW = 64,
    END_MS = 1000,     // in which what roles have left behind is ended
    SWEEP_IDLE_MS = 2, // it is looked for so long after a role's end, if nothing else is to do; but not later than
    SWEEP_MAX_MS = 20,
};

enum { POLLED_SOCKET, POLLED_PROGRAM, POLLED_CHILDREN };

typedef struct {
    uint64_t id;
    pid_t pid;
} Child;

struct ZygoteProcess {
    const Platform *platform;
    pid_t pid; // 0: simulated
    int life;
    Child *children;
    struct pollfd *polled; // the socket, the program, then one for each child
    size_t count, capacity, polled_capacity;
    bool has_ended;    // a role; what it had started may still be there
    uint64_t swept_ns; // when that was last looked for
    Process *newborn;  // of the child that is being forked
    int *files;        // that have come for the next child,
    uint64_t files_id; // which is this one
    int files_error;   // something has gone wrong with them
    size_t file_count, file_capacity;
    ZygoteMessage *unsent; // the program does not listen at the moment: it may be waiting for the zygote to listen
    size_t unsent_count, unsent_capacity;
};

static int zygote_socket_of(const ZygoteProcess *zygote)
{
    return zygote->polled[POLLED_SOCKET].fd;
}

// The array, with room for so many in all. NULL: no memory; then it is where and as it was.
static void *reserve(void *array, size_t *capacity, size_t wanted, size_t size)
{
    if (wanted <= *capacity)
        return array;
    void *grown = realloc(array, 2 * wanted * size);
    if (grown != NULL)
        *capacity = 2 * wanted;
    return grown;
}

// ---- answers ----

static void zygote_answer(ZygoteProcess *zygote, ZygoteMessage message)
{
    if (zygote->unsent_count == 0 && zygote_message_send(zygote_socket_of(zygote), &message, NULL, 0, MSG_DONTWAIT))
        return;
    ZygoteMessage *unsent = reserve(zygote->unsent, &zygote->unsent_capacity, zygote->unsent_count + 1, sizeof *unsent);
    // Without memory the zygote ends, and with it all roles: the program sees that, and begins anew.
    if (unsent == NULL)
        zygote->platform->process_exit(1);
    zygote->unsent = unsent;
    zygote->unsent[zygote->unsent_count++] = message;
    zygote->polled[POLLED_SOCKET].events = POLLIN | POLLOUT;
}

static void zygote_send_rest(ZygoteProcess *zygote)
{
    size_t sent = 0;
    while (sent < zygote->unsent_count &&
           zygote_message_send(zygote_socket_of(zygote), &zygote->unsent[sent], NULL, 0, MSG_DONTWAIT))
        sent++;
    zygote->unsent_count -= sent;
    memmove(zygote->unsent, zygote->unsent + sent, zygote->unsent_count * sizeof *zygote->unsent);
    if (zygote->unsent_count == 0)
        zygote->polled[POLLED_SOCKET].events = POLLIN;
}

// ---- children ----

// In a child: what it does not need is closed, and it becomes the role's process.
static void child_run(void *argument)
{
    ZygoteProcess *zygote = argument;
    zygote_child_begin(zygote->pid);
    for (size_t i = 0; i < zygote->count + POLLED_CHILDREN; i++)
        close(zygote->polled[i].fd);
    process_main(zygote->newborn);
}

// 0: it lives; else errno.
static int child_start(ZygoteProcess *zygote, uint64_t id)
{
    size_t wanted = zygote->count + 1;
    Child *children = reserve(zygote->children, &zygote->capacity, wanted, sizeof *children);
    if (children == NULL)
        return ENOMEM;
    zygote->children = children;
    struct pollfd *polled = reserve(zygote->polled, &zygote->polled_capacity, wanted + POLLED_CHILDREN, sizeof *polled);
    if (polled == NULL)
        return ENOMEM;
    zygote->polled = polled;
    Process *process = zygote->newborn = process_new(zygote->platform, zygote->files, zygote->file_count);
    if (process == NULL)
        return ENOMEM;
    zygote->file_count = 0;
    bool is_simulated = zygote->pid == 0;
    ProcessEntry entry = {.run = child_run, .argument = zygote};
    if (is_simulated)
        entry = (ProcessEntry){.run = process_main, .drop = process_drop, .argument = process};
    int ended;
    pid_t pid = zygote->platform->process_fork(&entry, &ended);
    int error = errno;
    if (!is_simulated || pid < 0)
        process_drop(process);
    if (pid < 0)
        return error;
    zygote->children[zygote->count] = (Child){id, pid};
    zygote->polled[zygote->count + POLLED_CHILDREN] = (struct pollfd){.fd = ended, .events = POLLIN};
    zygote->count++;
    return 0;
}

static void child_kill(ZygoteProcess *zygote, uint64_t id)
{
    for (size_t i = 0; i < zygote->count; i++)
        if (zygote->children[i].id == id)
            zygote->platform->process_kill(zygote->children[i].pid); // not yet reaped: the number is still its own
}

static void child_reap(ZygoteProcess *zygote, size_t index)
{
    Child child = zygote->children[index];
    struct pollfd *polled = &zygote->polled[POLLED_CHILDREN];
    int status = 0;
    if (!zygote->platform->process_reap(child.pid, &status))
        return;
    close(polled[index].fd);
    zygote->count--;
    zygote->children[index] = zygote->children[zygote->count];
    polled[index] = polled[zygote->count];
    zygote->has_ended = zygote->pid != 0;
    zygote_answer(zygote, (ZygoteMessage){ZYGOTE_EXITED, status, child.id});
}

// A child that is no role's process was started by a role that has ended.
static void zygote_sweep(ZygoteProcess *zygote)
{
    pid_t *roles = malloc((zygote->count + 1) * sizeof *roles);
    for (size_t i = 0; roles != NULL && i < zygote->count; i++)
        roles[i] = zygote->children[i].pid;
    zygote->has_ended = roles == NULL || !offspring_end(roles, zygote->count);
    zygote->swept_ns = zygote->platform->now_ns();
    free(roles);
}

// The program is gone, or does not want the zygote any more.
static void zygote_finish(ZygoteProcess *zygote)
{
    const Platform *platform = zygote->platform;
    for (size_t i = 0; i < zygote->count; i++)
        platform->process_kill(zygote->children[i].pid);
    // Left behind they would be somebody else's to wait for.
    for (size_t i = 0; i < zygote->count; i++) {
        int status;
        while (!platform->process_reap(zygote->children[i].pid, &status))
            platform->poll(&zygote->polled[i + POLLED_CHILDREN], 1, -1);
    }
    for (int i = 0; i < END_MS && zygote->pid != 0 && !offspring_end(NULL, 0); i++)
        platform->poll(NULL, 0, 1);
    platform->process_exit(0);
}

// ---- requests ----

static void files_drop(ZygoteProcess *zygote)
{
    for (size_t i = 0; i < zygote->file_count; i++)
        close(zygote->files[i]);
    zygote->file_count = 0;
    zygote->files_error = 0;
}

static bool files_add(ZygoteProcess *zygote, const int *files, size_t count)
{
    int *list = reserve(zygote->files, &zygote->file_capacity, zygote->file_count + count, sizeof *list);
    bool has_room = list != NULL;
    if (has_room)
        zygote->files = list;
    for (size_t i = 0; i < count; i++) {
        if (has_room)
            list[zygote->file_count++] = files[i];
        else
            close(files[i]);
    }
    return has_room;
}

// ZYGOTE_FILES or ZYGOTE_SPAWN.
static void zygote_take_files(ZygoteProcess *zygote, const ZygoteMessage *message, const int *files, size_t count)
{
    // The rest of what was begun for another one has never come: nobody else may get it.
    if (message->id != zygote->files_id)
        files_drop(zygote);
    zygote->files_id = message->id;
    // Where there are too many open ones some of them are missing.
    if ((size_t)message->status != count)
        zygote->files_error = EMFILE;
    if (count > 0 && !files_add(zygote, files, count))
        zygote->files_error = ENOMEM;
    if (message->kind != ZYGOTE_SPAWN)
        return;
    int error = zygote->files_error != 0 ? zygote->files_error : child_start(zygote, message->id);
    files_drop(zygote);
    if (error != 0)
        zygote_answer(zygote, (ZygoteMessage){ZYGOTE_REFUSED, error, message->id});
}

static void zygote_listen(ZygoteProcess *zygote)
{
    ZygoteMessage message;
    int files[ZYGOTE_FILES_MAX];
    size_t count;
    int heard;
    while ((heard = zygote_message_receive(zygote_socket_of(zygote), &message, files, &count)) == 1) {
        if (message.kind == ZYGOTE_PING)
            zygote_answer(zygote, (ZygoteMessage){.kind = ZYGOTE_PONG});
        else if (message.kind == ZYGOTE_KILL)
            child_kill(zygote, message.id);
        else
            zygote_take_files(zygote, &message, files, count);
    }
    if (heard < 0)
        zygote_finish(zygote);
}

// ---- the process ----

ZygoteProcess *zygote_process_new(const Platform *platform, pid_t pid, int socket, int program, int life)
{
    ZygoteProcess *zygote = calloc(1, sizeof *zygote);
    if (zygote == NULL)
        return NULL;
    zygote->platform = platform;
    zygote->pid = pid;
    zygote->life = life;
    // For a few answers no more memory is needed.
    zygote->unsent = reserve(NULL, &zygote->unsent_capacity, UNSENT_FEW, sizeof *zygote->unsent);
    zygote->polled = reserve(NULL, &zygote->polled_capacity, POLLED_CHILDREN, sizeof *zygote->polled);
    if (zygote->unsent == NULL || zygote->polled == NULL) {
        free(zygote->unsent);
        free(zygote->polled);
        free(zygote);
        return NULL;
    }
    zygote->polled[POLLED_SOCKET] = (struct pollfd){.fd = socket, .events = POLLIN};
    zygote->polled[POLLED_PROGRAM] = (struct pollfd){.fd = program, .events = POLLIN};
    zygote_answer(zygote, (ZygoteMessage){.kind = ZYGOTE_BEGUN, .status = ZYGOTE_PROTOCOL});
    return zygote;
}

void zygote_process_main(void *argument)
{
    ZygoteProcess *zygote = argument;
    const Platform *platform = zygote->platform;
    for (;;) {
        platform->poll(zygote->polled, zygote->count + POLLED_CHILDREN, zygote->has_ended ? SWEEP_IDLE_MS : -1);
        bool is_idle = true;
        for (size_t i = 0; i < zygote->count + POLLED_CHILDREN; i++)
            is_idle &= zygote->polled[i].revents == 0;
        if (zygote->has_ended && (is_idle || platform->now_ns() - zygote->swept_ns >= SWEEP_MAX_MS * UINT64_C(1000000)))
            zygote_sweep(zygote);
        if (zygote->polled[POLLED_PROGRAM].revents != 0)
            zygote_finish(zygote);
        for (size_t i = zygote->count; i > 0; i--)
            if (zygote->polled[i - 1 + POLLED_CHILDREN].revents != 0)
                child_reap(zygote, i - 1);
        if ((zygote->polled[POLLED_SOCKET].revents & POLLOUT) != 0)
            zygote_send_rest(zygote);
        if ((zygote->polled[POLLED_SOCKET].revents & ~POLLOUT) != 0)
            zygote_listen(zygote);
    }
}

static void zygote_process_drop(void *argument)
{
    ZygoteProcess *zygote = argument;
    files_drop(zygote);
    for (size_t i = 0; i < zygote->count + POLLED_CHILDREN; i++)
        if (zygote->polled[i].fd >= 0)
            close(zygote->polled[i].fd);
    close(zygote->life);
    free(zygote->unsent);
    free(zygote->files);
    free(zygote->children);
    free(zygote->polled);
    free(zygote);
}

int zygote_simulate(const Platform *platform, const Descriptor *socket, const Descriptor *life, pid_t *pid)
{
    // Copies, as a real process would have them.
    int own_socket = fcntl(descriptor_use(socket), F_DUPFD_CLOEXEC, DESCRIPTOR_FIRST), ended;
    int own_life = fcntl(descriptor_use(life), F_DUPFD_CLOEXEC, DESCRIPTOR_FIRST);
    ZygoteProcess *zygote =
        own_socket >= 0 && own_life >= 0 ? zygote_process_new(platform, 0, own_socket, -1, own_life) : NULL;
    if (zygote == NULL) {
        int error = errno;
        close(own_socket);
        close(own_life);
        return error;
    }
    *pid = platform->process_fork(&(ProcessEntry){zygote_process_main, zygote_process_drop, zygote}, &ended);
    if (*pid >= 0)
        return close(ended);
    int error = errno;
    zygote_process_drop(zygote);
    return error;
}
