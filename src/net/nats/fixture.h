// fixture.h: NATS servers for tests, on free ports of this machine. They end with the test, however it ends.

#ifndef NET_NATS_FIXTURE_H
#define NET_NATS_FIXTURE_H

#include "net/carrier/carrier.h"

#include <stdbool.h>
#include <sys/types.h>

enum { NATS_FIXTURE_CLUSTER = 3 };

typedef struct {
    pid_t pid; // 0: it does not run
    unsigned port, route_port;
    char directory[32];
    const char *more; // of its configuration; NULL: nothing
    char routes[300]; // of a cluster; "": it is alone
} NatsFixture;

// False: nats-server is not installed.
bool nats_fixture_exists(void);
// Starts a server, and returns when it answers.
void nats_fixture_init(NatsFixture *server, const char *more);
// Three that know each other.
void nats_fixture_cluster(NatsFixture servers[static NATS_FIXTURE_CLUSTER]);
void nats_fixture_fini(NatsFixture *server);
// Ends it with SIGKILL, and starts it again at the same place.
void nats_fixture_kill(NatsFixture *server);
void nats_fixture_start(NatsFixture *server);

// A node's surroundings with this configuration of [node] ("carrier = ..."), or the surroundings for one server. A patient one
// takes a server for gone only after many seconds: nothing breaks by itself on a machine that is busy.
chx_net *nats_fixture_net(const char *node, bool is_patient, const chx_carrier_ops **carrier);
chx_net *nats_fixture_net_at(const NatsFixture *server, bool is_patient, const chx_carrier_ops **carrier);
// The server knows all listeners.
void nats_fixture_settle(chx_net *net);

#endif
