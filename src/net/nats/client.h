// client.h: a node's connection with NATS: its streams and listeners, and the thread that looks after them.
//
// A stream has two sockets that are connected with each other. The node has one of them, and reads and writes it as it would a
// TCP connection. The client's thread has the other one: it makes messages of what comes out of it, and puts into it what messages bring.
// So the node never waits, sees a descriptor that can be waited for in both directions, and is never called by another thread. All
// of libnats is used in the client's thread.
//
// What the two threads share is in the first part of NatsStream, NatsListener and NatsClient; carrier.c is the node's side,
// client.c and stream.c are the thread's.

#ifndef NET_NATS_CLIENT_H
#define NET_NATS_CLIENT_H

#include "net/nats/flow.h"
#include "net/nats/server.h"
#include "net/nats/subject.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct NatsStream NatsStream;
typedef struct NatsListener NatsListener;
typedef struct NatsClient NatsClient;

enum { NATS_BACKLOG = 128, NATS_CHAINS = 1024 };

typedef enum {
    NATS_STREAM_CALLING, // OPEN was sent
    NATS_STREAM_UP,
    NATS_STREAM_GONE, // the thread has nothing to do with it any more
} NatsStreamState;

struct NatsStream {
    atomic_uint references; // the node's, the thread's
    atomic_int reason; // NatsReason; set before the thread shuts its socket. 0: the other end has closed the stream
    char name[NATS_ADDRESS_SIZE];
    NatsClient *client;
    // The node's:
    int node_end;
    bool is_established;
    NatsStream *next_called; // under the client's lock: of those who wait to be dialled, or to be accepted
    // The thread's:
    NatsStream *next; // in its chain; or of those that are gone
    NatsStreamState state;
    uint64_t number;
    int end;
    uint32_t events; // that are waited for
    bool is_watched; // at all
    // It is given up then: it is CALLING, and nobody has answered; or the node has closed it, and what it wrote is still to be
    // sent. 0: neither.
    uint64_t give_up_ns;
    char own[NATS_SUBJECT_SIZE], peer[NATS_SUBJECT_SIZE];
    NatsFlow flow;
};

struct NatsListener {
    atomic_uint references; // the node's, the thread's
    NatsClient *client;
    NatsListener *next; // of the client, under its lock
    char address[NATS_ADDRESS_SIZE], subject[NATS_SUBJECT_SIZE];
    bool is_pool;
    int descriptor; // readable: somebody has called
    atomic_bool is_closed;
    // Under the client's lock:
    NatsStream *first, *last; // those who have called; next_called
    unsigned count;
    // The thread's:
    void *subscription;
};

struct NatsClient {
    pthread_t thread;
    char id[NATS_CLIENT_DIGITS + 1];
    char *url;
    uint64_t answer_ns; // who is called must answer within this time
    NatsServer *server;
    pthread_mutex_t lock;
    pthread_cond_t settled;
    // Under the lock:
    NatsStream *to_dial;
    NatsListener *listeners;
    bool is_stopping;
    unsigned settle_asked, settle_done;
    // The thread's:
    int waiter;
    bool is_up;
    uint64_t reconnect_ns; // when to try again to connect; 0: there is a connection, or libnats tries
    void *inbox;           // the subscription for all streams
    NatsStream *chains[NATS_CHAINS];
    NatsStream *gone; // freed when nothing refers to them any more
    unsigned limited; // streams with give_up_ns
    bool is_settling; // see nats_client_settle
    uint64_t settle_number;
};

// NULL: no memory, no descriptors or no threads.
NatsClient *nats_client_new(const NatsServerOptions *options);
// All streams and listeners were closed. What was written to them is sent, if that is possible within a second; an attempt to
// connect ends first, too.
void nats_client_free(NatsClient *client);
// For tests: waits until the server knows all listeners. False: it took longer than that.
bool nats_client_settle(NatsClient *client, unsigned timeout_ms);

// ---- between client.c, stream.c and carrier.c ----

void nats_random(void *bytes, size_t size);
uint64_t nats_now_ns(void);
// NULL: no memory, no descriptors. It has two references.
NatsStream *nats_stream_new(NatsClient *client, const char *name);
void nats_stream_release(NatsStream *stream);
void nats_listener_release(NatsListener *listener);
bool nats_listener_has_room(NatsListener *listener);
// The node will accept it; closes it if the node does not listen any more.
void nats_listener_add(NatsListener *listener, NatsStream *stream);

// The thread's: a stream that is dialled; one that has called, at most NATS_BACKLOG of which are kept.
void nats_stream_dial(NatsStream *stream);
void nats_stream_called(NatsClient *client, NatsListener *listener, const NatsArrival *arrival);
// Something has arrived for one of the client's streams.
void nats_stream_arrival(NatsClient *client, uint64_t number, const NatsArrival *arrival);
// Its socket is ready.
void nats_stream_ready(NatsStream *stream, uint32_t events);
// It is broken. Nothing is said to the other end.
void nats_stream_break(NatsStream *stream, NatsReason reason);

#endif
