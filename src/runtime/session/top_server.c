// top_server.c: the socket of CHOREX_TOP, and the thread that answers there.
//
// Each connection has one request, a line, and gets one answer. What is not a request gets no answer. Only the user whose program
// it is may ask. Nobody who connects can keep others waiting for longer than PATIENCE_NS: then the connection is closed, whatever its
// state.

#define _GNU_SOURCE
#include "runtime/session/log.h"
#include "runtime/session/runtime.h"
#include "runtime/session/top.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CLIENTS_MAX = 8, REQUEST_MAX = 128, LOOK_MS = 1000 };
#define PATIENCE_NS UINT64_C(3000000000)

typedef struct {
    Descriptor socket; // none: this place is free
    uint64_t since_ns;
    char request[REQUEST_MAX];
    size_t request_size;
    char *answer; // NULL: the request is not complete
    size_t answer_size, sent;
} Client;

static struct {
    pthread_mutex_t lock; // of what follows, up to the thread's own
    bool was_tried, watches_forks;
    pid_t owner; // whose socket it is; 0: there is none
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    char absolute[PATH_MAX]; // the same; the program may go to another folder
    // The thread's, once it runs.
    Descriptor listener;
    Client clients[CLIENTS_MAX];
} server = {.lock = PTHREAD_MUTEX_INITIALIZER, .listener = {.number = -1}};

// ---- connections ----

static void client_close(Client *client)
{
    descriptor_close(&client->socket);
    free(client->answer);
    *client = (Client){.socket = NO_DESCRIPTOR};
}

static bool client_is_ours(int number)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(number, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && (peer.uid == geteuid() || peer.uid == 0);
}

static void client_accept(int listener, uint64_t now_ns)
{
    Client *client = server.clients;
    while (client->socket.number >= 0)
        client++; // the listener is looked at only while one is free
    int number = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (number < 0)
        return;
    if (!client_is_ours(number)) {
        close(number);
        return;
    }
    *client = (Client){.socket = descriptor_keep(number), .since_ns = now_ns};
}

// "chorex-top 1 N": the first N sessions. False: it is something else.
static bool request_parse(const char *line, unsigned *sessions)
{
    enum { DIGITS_MAX = 9 };
    char begin[32];
    size_t length = (size_t)snprintf(begin, sizeof begin, "chorex-top %d ", TOP_VERSION);
    size_t digits = strncmp(line, begin, length) == 0 ? strspn(line + length, "0123456789") : 0;
    if (digits == 0 || digits > DIGITS_MAX || line[length + digits] != '\0')
        return false;
    *sessions = (unsigned)strtoul(line + length, NULL, 10);
    return true;
}

// False: the connection is of no use any more.
static bool client_read(Client *client)
{
    unsigned sessions;
    size_t left = sizeof client->request - 1 - client->request_size;
    ssize_t count = recv(client->socket.number, client->request + client->request_size, left, MSG_DONTWAIT);
    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    client->request_size += (size_t)count;
    client->request[client->request_size] = '\0';
    char *end = memchr(client->request, '\n', client->request_size);
    if (end == NULL)
        return client->request_size < sizeof client->request - 1;
    *end = '\0';
    if (!request_parse(client->request, &sessions) || (client->answer = malloc(TOP_ANSWER_BYTES)) == NULL)
        return false;
    client->answer_size = top_describe(client->answer, sessions);
    return true;
}

static bool client_write(Client *client)
{
    ssize_t count = send(client->socket.number, client->answer + client->sent, client->answer_size - client->sent,
                         MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0)
        return errno == EAGAIN || errno == EINTR;
    client->sent += (size_t)count;
    return client->sent < client->answer_size;
}

static void client_attend(Client *client, bool is_ready, uint64_t now_ns)
{
    bool is_good = descriptor_is_ours(&client->socket) && now_ns - client->since_ns < PATIENCE_NS;
    if (is_good && is_ready && client->answer == NULL)
        is_good = client_read(client);
    if (is_good && client->answer != NULL)
        is_good = client_write(client);
    if (!is_good)
        client_close(client);
}

// ---- the thread ----

// False: the program has closed the socket.
static bool server_attend(void)
{
    struct pollfd polled[CLIENTS_MAX + 1];
    size_t used = 0;
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        const Client *client = &server.clients[i];
        short events = client->answer != NULL ? POLLOUT : POLLIN;
        polled[i] = (struct pollfd){.fd = client->socket.number, .events = events};
        used += client->socket.number >= 0;
    }
    bool has_place = used < CLIENTS_MAX;
    polled[CLIENTS_MAX] = (struct pollfd){.fd = has_place ? server.listener.number : -1, .events = POLLIN};
    poll(polled, CLIENTS_MAX + 1, LOOK_MS);
    uint64_t now_ns = platform_posix.now_ns();
    if (!descriptor_is_ours(&server.listener))
        return false;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        if (server.clients[i].socket.number >= 0)
            client_attend(&server.clients[i], polled[i].revents != 0, now_ns);
    if (has_place && polled[CLIENTS_MAX].revents != 0)
        client_accept(server.listener.number, now_ns);
    return true;
}

static void *server_main(void *argument)
{
    while (server_attend())
        ;
    return argument;
}

// ---- the socket ----

// The folder is to be this user's alone. False: errno says why.
static bool folder_make(const char *path)
{
    struct stat found;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return false;
    if (lstat(path, &found) != 0)
        return false;
    errno = EPERM;
    return S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 077) == 0;
}

// False: errno says why.
static bool path_make(const char *asked)
{
    const char *run = secure_getenv("XDG_RUNTIME_DIR");
    char folder[64];
    int length;
    if (strcmp(asked, "1") != 0) {
        length = snprintf(server.path, sizeof server.path, "%s", asked);
    } else if (run != NULL && run[0] == '/') {
        length = snprintf(server.path, sizeof server.path, "%s/chorex-top-%ld", run, (long)getpid());
    } else {
        snprintf(folder, sizeof folder, "/tmp/chorex-%ld", (long)geteuid());
        length = snprintf(server.path, sizeof server.path, "%s/top-%ld", folder, (long)getpid());
        if (!folder_make(folder)) {
            snprintf(server.path, sizeof server.path, "%s", folder);
            return false;
        }
    }
    errno = ENAMETOOLONG;
    return (size_t)length < sizeof server.path;
}

// A socket that another process has left behind is in the way, one at which somebody listens is not ours.
static bool bind_over(int number, const struct sockaddr_un *address)
{
    const struct sockaddr *name = (const struct sockaddr *)address;
    struct stat found;
    if (bind(number, name, sizeof *address) == 0)
        return true;
    if (errno != EADDRINUSE || lstat(address->sun_path, &found) != 0 || !S_ISSOCK(found.st_mode)) {
        errno = EADDRINUSE;
        return false;
    }
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_left = probe >= 0 && connect(probe, name, sizeof *address) != 0 && errno == ECONNREFUSED;
    if (probe >= 0)
        close(probe);
    errno = EADDRINUSE;
    return is_left && unlink(address->sun_path) == 0 && bind(number, name, sizeof *address) == 0;
}

// False: errno says why.
static bool server_listen(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strcpy(address.sun_path, server.path);
    server.listener = descriptor_keep(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int number = server.listener.number;
    // Before it has a name: nobody else can ever connect.
    if (number >= 0 && fchmod(number, 0600) == 0 && bind_over(number, &address)) {
        if (listen(number, CLIENTS_MAX) == 0)
            return true;
        unlink(server.path);
    }
    int error = errno;
    descriptor_close(&server.listener);
    errno = error;
    return false;
}

// A forked child has no thread that answers, and leaves its parent's socket alone.
static void server_forget(void)
{
    pthread_mutex_init(&server.lock, NULL);
    descriptor_close(&server.listener);
    for (size_t i = 0; i < CLIENTS_MAX; i++) {
        descriptor_close(&server.clients[i].socket);
        server.clients[i].answer = NULL;
    }
    server.was_tried = false;
    server.owner = 0;
    top_forget();
}

// The lock is held. NULL: it is there.
static const char *server_start(const chx_runtime *runtime, const char *asked)
{
    pthread_t thread;
    for (size_t i = 0; i < CLIENTS_MAX; i++)
        server.clients[i].socket = NO_DESCRIPTOR;
    if (!server.watches_forks)
        server.watches_forks = pthread_atfork(NULL, NULL, server_forget) == 0;
    if (!server.watches_forks)
        return "out of memory";
    if (!path_make(asked) || !server_listen())
        return errno == EADDRINUSE ? "another program has it, or it is no socket" : strerror(errno);
    if (!runtime->platform->thread_start(&thread, server_main, NULL)) {
        unlink(server.path);
        descriptor_close(&server.listener);
        return "no thread could be started";
    }
    pthread_detach(thread);
    if (realpath(server.path, server.absolute) == NULL)
        server.absolute[0] = '\0';
    server.owner = getpid();
    return NULL;
}

void top_serve(chx_runtime *runtime)
{
    const char *asked = secure_getenv("CHOREX_TOP"), *why = NULL;
    pthread_mutex_lock(&server.lock);
    if (!server.was_tried && asked != NULL)
        why = server_start(runtime, asked);
    server.was_tried = true;
    pthread_mutex_unlock(&server.lock);
    if (why != NULL)
        log_write(runtime, CHX_LOG_WARN, "CHOREX_TOP: nobody can listen at %s: %s", server.path, why);
}

static void __attribute__((destructor)) server_leave(void)
{
    if (server.owner != 0 && server.owner == getpid())
        unlink(server.absolute);
}
