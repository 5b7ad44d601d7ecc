// peers_fixture.h: nodes for tests, several in one process, that write down what their peers do.

#ifndef NET_NODE_PEERS_FIXTURE_H
#define NET_NODE_PEERS_FIXTURE_H

#include "net/carrier/sim.h"
#include "net/node/peers.h"

enum { PEERS_SEEN = 64, LOG_SIZE = 64 };

// What was seen of one peer.
typedef struct {
    uint32_t number;
    uint64_t next;     // number of the next frame that should come
    uint64_t received; // frames
    uint64_t bytes;
    unsigned ups, downs, losses, rooms, too_large, forgotten;
    LinkLoss loss;
    char why[512];
    uint32_t same;
} Seen;

typedef struct TestNode TestNode;
struct TestNode {
    Peers *peers;
    Config config;
    Seen seen[PEERS_SEEN];
    unsigned seen_count;
    char log[LOG_SIZE][512];
    unsigned log_count;
    bool is_needed;
    // What it says about relays: the one that it names, 0: none; whether it carries for anybody, and takes calls through anybody.
    uint32_t relay;
    bool may_relay, wants_relays;
    unsigned unreached;
    // Called for each frame, if there is one.
    void (*delivered)(TestNode *node, uint32_t peer, const WireFrame *frame);
    uint64_t echoed;
    // Of a simulated node; otherwise NULL.
    chx_net *net;
    const uint64_t *now_ns;
    uint64_t random;
    bool is_ready; // something has happened on the network
};

extern const PeerHandlers test_handlers;

// Opens a node with this configuration (printf). False: why.
bool test_node_try(TestNode *node, char *why, size_t why_size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// On a simulated network, whose clock this is.
void test_node_open_simulated(TestNode *node, SimNetwork *network, const uint64_t *now_ns, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The same as test_node_try; the program ends if it can't be opened.
void test_node_open(TestNode *node, const char *format, ...) __attribute__((format(printf, 2, 3)));
void test_node_close(TestNode *node);

// What was seen of this peer; made if need be.
Seen *test_seen(TestNode *node, uint32_t peer);
// How many lines of the log contain this text.
unsigned test_logged(const TestNode *node, const char *text);
uint32_t test_find(TestNode *node, const char *name, const char *address);
// Sends DATA with this number and so many bytes.
LinkSending test_send(TestNode *node, uint32_t peer, LinkClass class, uint64_t number, size_t size);

// Waits for sockets and takes steps until the condition holds. False: it did not within the time.
bool test_run(TestNode *const *nodes, size_t count, bool (*is_done)(void *context), void *context, unsigned timeout_ms);

#endif
