// server.c: see server.h.
//
// A mailbox is what libnats's callbacks write to. It is kept by the server, by the connection until libnats has said that it is
// closed, and by each subscription until libnats has said that it calls no more: callbacks may come later than one would think.

#define _GNU_SOURCE

#include "net/nats/server.h"

#include <errno.h>
#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { CONNECT_MS = 2000, WRITE_MS = 2000, RETRY_MS = 100, RETRY_JITTER_MS = 100 };
enum { UNREAD_BYTES_MAX = 16 << 20, UNREAD_MESSAGES_MAX = 1 << 16, RECONNECT_BUFFER = 1 << 20, PASSWORD_SIZE = 4096 };

static pthread_once_t is_opened = PTHREAD_ONCE_INIT; // libnats

typedef struct {
    atomic_uint references;
    pthread_mutex_t lock;
    int descriptor;
    // Under the lock:
    NatsArrival *first, **last;
    size_t bytes, count;
    bool has_lost, is_up, is_closed;
    char why[NATS_WHY_SIZE];
} Mailbox;

struct NatsServer {
    NatsServerOptions options;
    Mailbox *mailbox;
    natsConnection *connection; // NULL: none
};

// ---- the mailbox ----

static Mailbox *mailbox_new(void)
{
    Mailbox *mailbox = calloc(1, sizeof *mailbox);
    if (mailbox == NULL)
        return NULL;
    mailbox->descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (mailbox->descriptor < 0) {
        free(mailbox);
        return NULL;
    }
    pthread_mutex_init(&mailbox->lock, NULL);
    atomic_init(&mailbox->references, 1);
    mailbox->last = &mailbox->first;
    return mailbox;
}

static void mailbox_keep(Mailbox *mailbox)
{
    atomic_fetch_add_explicit(&mailbox->references, 1, memory_order_relaxed);
}

static void mailbox_release(Mailbox *mailbox)
{
    if (atomic_fetch_sub_explicit(&mailbox->references, 1, memory_order_acq_rel) > 1)
        return;
    nats_arrivals_free(mailbox->first);
    pthread_mutex_destroy(&mailbox->lock);
    close(mailbox->descriptor);
    free(mailbox);
}

static void mailbox_wake(const Mailbox *mailbox)
{
    uint64_t one = 1;
    // It can only fail if the counter is full: then the descriptor is readable anyway.
    ssize_t ignored = write(mailbox->descriptor, &one, sizeof one);
    (void)ignored;
}

static void set_why(Mailbox *mailbox, const char *why)
{
    if (why != NULL && why[0] != '\0')
        snprintf(mailbox->why, sizeof mailbox->why, "%s", why);
}

void nats_arrivals_free(NatsArrival *first)
{
    while (first != NULL) {
        NatsArrival *next = first->next;
        natsMsg_Destroy(first->message);
        free(first);
        first = next;
    }
}

// ---- callbacks of libnats, in its threads ----

static void on_message(natsConnection *connection, natsSubscription *subscription, natsMsg *message, void *closure)
{
    Mailbox *mailbox = closure;
    NatsArrival *arrival = calloc(1, sizeof *arrival);
    (void)connection;
    (void)subscription;
    size_t size = (size_t)natsMsg_GetDataLength(message);
    pthread_mutex_lock(&mailbox->lock);
    // Nobody who keeps to the rules sends so much: nats_flow_room.
    bool is_taken = arrival != NULL && mailbox->count < UNREAD_MESSAGES_MAX && mailbox->bytes < UNREAD_BYTES_MAX;
    if (is_taken) {
        *arrival = (NatsArrival){.subject = natsMsg_GetSubject(message),
                                 .reply = natsMsg_GetReply(message),
                                 .data = (const uint8_t *)natsMsg_GetData(message),
                                 .size = size,
                                 .is_nobody = natsMsg_IsNoResponders(message),
                                 .message = message};
        *mailbox->last = arrival;
        mailbox->last = &arrival->next;
        mailbox->bytes += size;
        mailbox->count++;
    } else {
        mailbox->has_lost = true;
    }
    pthread_mutex_unlock(&mailbox->lock);
    if (!is_taken) {
        natsMsg_Destroy(message);
        free(arrival);
    }
    mailbox_wake(mailbox);
}

static void note(Mailbox *mailbox, natsConnection *connection, bool is_up, bool has_lost, bool is_closed)
{
    const char *why = NULL;
    if (!is_up)
        natsConnection_GetLastError(connection, &why);
    pthread_mutex_lock(&mailbox->lock);
    mailbox->is_up = is_up;
    mailbox->has_lost |= has_lost;
    mailbox->is_closed |= is_closed;
    set_why(mailbox, why);
    pthread_mutex_unlock(&mailbox->lock);
    mailbox_wake(mailbox);
}

static void on_disconnected(natsConnection *connection, void *closure)
{
    note(closure, connection, false, true, false);
}

static void on_reconnected(natsConnection *connection, void *closure)
{
    note(closure, connection, true, true, false);
}

// The last callback about a connection.
static void on_closed(natsConnection *connection, void *closure)
{
    note(closure, connection, false, true, true);
    mailbox_release(closure);
}

// The last callback about a subscription.
static void on_unsubscribed(void *closure)
{
    mailbox_release(closure);
}

static void on_error(natsConnection *connection, natsSubscription *subscription, natsStatus status, void *closure)
{
    Mailbox *mailbox = closure;
    const char *why = NULL;
    (void)subscription;
    natsConnection_GetLastError(connection, &why);
    pthread_mutex_lock(&mailbox->lock);
    mailbox->has_lost |= status == NATS_SLOW_CONSUMER;
    set_why(mailbox, why != NULL && why[0] != '\0' ? why : natsStatus_GetText(status));
    pthread_mutex_unlock(&mailbox->lock);
    mailbox_wake(mailbox);
}

// ---- options ----

static natsStatus set_servers(natsOptions *options, const char *url)
{
    static const char scheme[] = "nats://";
    char texts[NATS_SERVERS_MAX][300];
    const char *servers[NATS_SERVERS_MAX];
    int count = 0;
    for (const char *at = url + strlen(scheme); *at != '\0' && count < NATS_SERVERS_MAX;) {
        size_t length = strcspn(at, ",");
        snprintf(texts[count], sizeof texts[count], "%s%.*s", scheme, (int)length, at);
        servers[count] = texts[count];
        count++;
        at += length + (at[length] == ',');
    }
    return natsOptions_SetServers(options, servers, count);
}

static natsStatus set_password(natsOptions *options, const char *user, const char *path)
{
    char line[PASSWORD_SIZE] = "";
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return NATS_INVALID_ARG;
    bool is_good = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    line[strcspn(line, "\r\n")] = '\0';
    natsStatus status = is_good ? natsOptions_SetUserInfo(options, user, line) : NATS_INVALID_ARG;
    explicit_bzero(line, sizeof line);
    return status;
}

// Sets `*file` to the one that could not be used, if that is the reason.
static natsStatus set_security(natsOptions *options, const NatsServerOptions *asked, const char **file)
{
    natsStatus status = NATS_OK;
    if (asked->ca != NULL) {
        *file = asked->ca;
        status = natsOptions_SetSecure(options, true);
        if (status == NATS_OK)
            status = natsOptions_LoadCATrustedCertificates(options, asked->ca);
    }
    if (status == NATS_OK && asked->cert != NULL) {
        *file = asked->cert;
        status = natsOptions_LoadCertificatesChain(options, asked->cert, asked->key);
    }
    if (status == NATS_OK && asked->credentials != NULL) {
        *file = asked->credentials;
        status = access(asked->credentials, R_OK) != 0
                     ? NATS_INVALID_ARG
                     : natsOptions_SetUserCredentialsFromFiles(options, asked->credentials, NULL);
    }
    if (status == NATS_OK && asked->user != NULL) {
        *file = asked->password;
        status = set_password(options, asked->user, asked->password);
    }
    if (status == NATS_OK)
        *file = NULL;
    return status;
}

static natsStatus set_behaviour(natsOptions *options, const NatsServerOptions *asked, Mailbox *mailbox)
{
    natsStatus statuses[] = {
        set_servers(options, asked->url),
        natsOptions_SetName(options, asked->name != NULL ? asked->name : "chorex"),
        natsOptions_SetTimeout(options, CONNECT_MS),
        natsOptions_SetPingInterval(options, (int64_t)asked->ping_ms),
        natsOptions_SetMaxPingsOut(options, 1),
        natsOptions_SetWriteDeadline(options, WRITE_MS),
        natsOptions_SetSendAsap(options, true), // What is published was put together already.
        natsOptions_SetMaxReconnect(options, -1),
        natsOptions_SetReconnectWait(options, RETRY_MS),
        natsOptions_SetReconnectJitter(options, RETRY_JITTER_MS, RETRY_JITTER_MS),
        natsOptions_SetReconnectBufSize(options, RECONNECT_BUFFER),
        natsOptions_SetDisconnectedCB(options, on_disconnected, mailbox),
        natsOptions_SetReconnectedCB(options, on_reconnected, mailbox),
        natsOptions_SetClosedCB(options, on_closed, mailbox),
        natsOptions_SetErrorHandler(options, on_error, mailbox),
    };
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++)
        if (statuses[i] != NATS_OK)
            return statuses[i];
    return NATS_OK;
}

// ---- the connection ----

// The texts of options. They are copied: the configuration that they come from may be read anew.
enum { TEXTS = 8 };

static void texts_of(NatsServerOptions *options, const char **texts[TEXTS])
{
    const char **all[TEXTS] = {&options->url, &options->name,        &options->ca,   &options->cert,
                               &options->key, &options->credentials, &options->user, &options->password};
    memcpy(texts, all, sizeof all);
}

static bool copy_options(NatsServerOptions *options)
{
    const char **texts[TEXTS];
    bool is_good = true;
    texts_of(options, texts);
    for (size_t i = 0; i < TEXTS; i++) {
        const char *from = *texts[i];
        *texts[i] = from == NULL ? NULL : strdup(from);
        is_good &= from == NULL || *texts[i] != NULL;
    }
    return is_good;
}

NatsServer *nats_server_new(const NatsServerOptions *options)
{
    NatsServer *server = calloc(1, sizeof *server);
    if (server == NULL)
        return NULL;
    server->options = *options;
    bool is_good = copy_options(&server->options);
    server->mailbox = mailbox_new();
    if (is_good && server->mailbox != NULL)
        return server;
    nats_server_free(server);
    return NULL;
}

static void close_connection(NatsServer *server)
{
    natsConnection_Destroy(server->connection);
    server->connection = NULL;
}

void nats_server_free(NatsServer *server)
{
    const char **texts[TEXTS];
    if (server == NULL)
        return;
    close_connection(server);
    if (server->mailbox != NULL)
        mailbox_release(server->mailbox);
    texts_of(&server->options, texts);
    for (size_t i = 0; i < TEXTS; i++)
        free((char *)*texts[i]);
    free(server);
    nats_ReleaseThreadMemory();
}

// libnats ignores SIGPIPE for the whole program when it is opened. That is the program's own business: libnats's threads have it
// blocked.
static void open_library(void)
{
    struct sigaction before;
    sigaction(SIGPIPE, NULL, &before);
    nats_Open(-1);
    sigaction(SIGPIPE, &before, NULL);
}

// libnats says where in its source it has failed: "(conn.c:1905): Authorization Violation".
static const char *last_error(natsStatus status)
{
    const char *why = nats_GetLastError(NULL);
    const char *behind = why == NULL ? NULL : strstr(why, "): ");
    if (why != NULL && why[0] == '(' && behind != NULL)
        why = behind + 3;
    return why != NULL && why[0] != '\0' ? why : natsStatus_GetText(status);
}

static void note_failure(Mailbox *mailbox, natsStatus status, const char *file)
{
    pthread_mutex_lock(&mailbox->lock);
    if (file != NULL)
        snprintf(mailbox->why, sizeof mailbox->why, "'%s' can't be used: %s", file,
                 access(file, R_OK) != 0 ? strerror(errno) : last_error(status));
    else
        set_why(mailbox, last_error(status));
    pthread_mutex_unlock(&mailbox->lock);
}

bool nats_server_connect(NatsServer *server)
{
    natsOptions *options = NULL;
    const char *file = NULL;
    Mailbox *mailbox = server->mailbox;
    pthread_once(&is_opened, open_library);
    close_connection(server);
    natsStatus status = natsOptions_Create(&options);
    if (status == NATS_OK)
        status = set_behaviour(options, &server->options, mailbox);
    if (status == NATS_OK)
        status = set_security(options, &server->options, &file);
    if (status == NATS_OK) {
        mailbox_keep(mailbox); // until on_closed
        status = natsConnection_Connect(&server->connection, options);
        if (server->connection == NULL)
            mailbox_release(mailbox);
    }
    natsOptions_Destroy(options);
    if (status == NATS_OK)
        note(mailbox, server->connection, true, false, false);
    else
        note_failure(mailbox, status, file);
    return server->connection != NULL;
}

// ---- news ----

int nats_server_descriptor(const NatsServer *server)
{
    return server->mailbox->descriptor;
}

void nats_server_wake(NatsServer *server)
{
    mailbox_wake(server->mailbox);
}

void nats_server_news(NatsServer *server, NatsNews *news)
{
    Mailbox *mailbox = server->mailbox;
    uint64_t times;
    ssize_t ignored = read(mailbox->descriptor, &times, sizeof times);
    (void)ignored;
    pthread_mutex_lock(&mailbox->lock);
    *news = (NatsNews){mailbox->first, mailbox->has_lost, mailbox->is_up, mailbox->is_closed};
    mailbox->first = NULL;
    mailbox->last = &mailbox->first;
    mailbox->bytes = mailbox->count = 0;
    mailbox->has_lost = mailbox->is_closed = false;
    pthread_mutex_unlock(&mailbox->lock);
}

void nats_server_why(NatsServer *server, char *text, size_t size)
{
    pthread_mutex_lock(&server->mailbox->lock);
    snprintf(text, size, "%s", server->mailbox->why);
    pthread_mutex_unlock(&server->mailbox->lock);
}

// ---- subscribing and publishing ----

void *nats_server_subscribe(NatsServer *server, const char *subject, const char *group)
{
    natsSubscription *subscription = NULL;
    Mailbox *mailbox = server->mailbox;
    if (server->connection == NULL)
        return NULL;
    natsStatus status =
        group == NULL
            ? natsConnection_Subscribe(&subscription, server->connection, subject, on_message, mailbox)
            : natsConnection_QueueSubscribe(&subscription, server->connection, subject, group, on_message, mailbox);
    if (status != NATS_OK)
        return NULL;
    mailbox_keep(mailbox); // until on_unsubscribed
    if (natsSubscription_SetOnCompleteCB(subscription, on_unsubscribed, mailbox) != NATS_OK)
        mailbox_release(mailbox);
    natsSubscription_SetPendingLimits(subscription, UNREAD_MESSAGES_MAX, UNREAD_BYTES_MAX);
    return subscription;
}

void nats_server_unsubscribe(void *subscription)
{
    natsSubscription_Destroy(subscription);
}

bool nats_server_publish(NatsServer *server, const char *subject, const char *reply, const uint8_t *data, size_t size)
{
    if (server->connection == NULL)
        return false;
    natsStatus status = reply == NULL
                            ? natsConnection_Publish(server->connection, subject, data, (int)size)
                            : natsConnection_PublishRequest(server->connection, subject, reply, data, (int)size);
    return status == NATS_OK;
}

size_t nats_server_message_max(const NatsServer *server)
{
    int64_t most = server->connection == NULL ? 0 : natsConnection_GetMaxPayload(server->connection);
    return most > 0 ? (size_t)most : 0;
}
