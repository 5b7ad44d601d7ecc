// server.h: a connection with a NATS server, or with one of a cluster; the only user of libnats.
//
// libnats has threads of its own, in which it calls back. Its callbacks only put down what has happened, and make a descriptor
// readable; one thread, the owner's, takes it from there with nats_server_news. A connection that was lost is made again by
// libnats for as long as it takes; what was under way then may be lost.
//
// libnats also gets all of its threads from the owner's thread, which has to have blocked all signals.

#ifndef NET_NATS_SERVER_H
#define NET_NATS_SERVER_H

#include "net/config/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct NatsServer NatsServer;

// A member that is NULL or 0 is not used.
typedef struct {
    const char *url;         // nats://HOST:PORT, or several: nats://HOST:PORT,HOST:PORT
    const char *name;        // of the node; shown by the server's own tools
    const char *ca;          // the server must have a certificate of this authority, and TLS
    const char *cert, *key;  // shown to the server
    const char *credentials; // a file of the NATS tools, with a token and its key
    const char *user;        // with
    const char *password;    // a file that has the password in its first line
    uint64_t ping_ms;        // a server that does not answer for about three times as long is gone
} NatsServerOptions;

enum { NATS_SERVERS_MAX = CONFIG_SERVERS_MAX, NATS_WHY_SIZE = 256 };

// A message that has arrived.
typedef struct NatsArrival NatsArrival;
struct NatsArrival {
    NatsArrival *next;
    const char *subject, *reply; // reply may be NULL
    const uint8_t *data;
    size_t size;
    bool is_nobody; // nobody listens where something was published with this subject for the reply
    void *message;
};

typedef struct {
    NatsArrival *first; // in the order of their arrival; freed with nats_arrivals_free
    bool has_lost;      // messages may have been lost since the last time
    bool is_up;         // there is a connection now
    bool is_closed;     // libnats does not try any more: nats_server_connect
} NatsNews;

// NULL: no memory, or no descriptors.
NatsServer *nats_server_new(const NatsServerOptions *options);
// Sends what is waiting first.
void nats_server_free(NatsServer *server);

// Waits until there is a connection, or it is clear that there is none: false, and nats_server_why says why. One that was made is
// made again by libnats for as long as it takes, unless news says that it is closed. Subscriptions are lost.
bool nats_server_connect(NatsServer *server);

int nats_server_descriptor(const NatsServer *server); // readable: there is news
void nats_server_wake(NatsServer *server);            // makes it readable, from any thread
void nats_server_news(NatsServer *server, NatsNews *news);
void nats_arrivals_free(NatsArrival *first);

// `group`: NULL, or only one of those who have subscribed with it gets a message. NULL: it is not possible.
void *nats_server_subscribe(NatsServer *server, const char *subject, const char *group);
void nats_server_unsubscribe(void *subscription);
// False: it was not sent, or perhaps not. `reply`: NULL, or where an answer should go.
bool nats_server_publish(NatsServer *server, const char *subject, const char *reply, const uint8_t *data, size_t size);
size_t nats_server_message_max(const NatsServer *server); // bytes, as the server allows

// Why there is no connection, in words. From any thread.
void nats_server_why(NatsServer *server, char *text, size_t size);

#endif
