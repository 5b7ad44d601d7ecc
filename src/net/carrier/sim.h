// sim.h: the carrier "sim", between nodes that are simulated in one process.
//
// Bytes take a while, arrive in pieces of any length, and connections break, all by chance; the same seed gives the same run. Time is
// the caller's: it asks when the next thing happens and says that this moment has come. So everything above a carrier can be tested
// with thousands of networks in a second, and a failure be repeated. One thread only.

#ifndef NET_CARRIER_SIM_H
#define NET_CARRIER_SIM_H

#include "chorex/net.h"

typedef struct SimNetwork SimNetwork;

typedef struct {
    uint64_t seed;
    uint64_t delay_min_ns, delay_max_ns; // of each piece; they never overtake each other
    uint32_t piece_max;                  // bytes; 0: what is written at once arrives at once
    uint32_t room;                       // bytes under way and unread in one direction; 0: 64 KiB
    uint32_t cuts_per_million;           // of pieces: the connection breaks instead
    uint64_t grain_ns; // things happen at multiples of this only, many at once: for large networks. 0: at any time
    // What time it is when something is written, or somebody dialled; NULL: that of the last sim_network_run.
    uint64_t (*now_ns)(void *context);
    void *context;
} SimOptions;

// NULL: no memory.
SimNetwork *sim_network_new(const SimOptions *options);
// With its nodes. Streams and listeners must have been closed.
void sim_network_free(SimNetwork *network);

// A node's surroundings, which belong to the network. `ready` is called (by sim_network_run) when something may have changed for its
// streams and listeners: it should try all of them. NULL: no memory.
chx_net *sim_network_node(SimNetwork *network, void (*ready)(void *context), void *context);

// When the next thing happens. UINT64_MAX: nothing is under way.
uint64_t sim_network_next_ns(const SimNetwork *network);
// Time has come to this moment: all that should have happened until then happens.
void sim_network_run(SimNetwork *network, uint64_t now_ns);

// From now on nothing gets from one node to the other (in this direction), until this is called with false. What is under way waits.
void sim_network_block(SimNetwork *network, const chx_net *from, const chx_net *to, bool is_blocked);

// How the node is called by others: sim_stream_far. The text is copied, and cut.
void sim_network_name(chx_net *node, const char *name);
// The name of the node at the other end of a connection; "": it has none, or nobody is there yet.
const char *sim_stream_far(const void *stream);

// From now on the node hears nobody, or is not heard by anybody, or both, until this is called with false. What is under way waits.
void sim_network_cut_off(chx_net *node, bool is_deaf, bool is_mute);
// The node's process is gone: nothing that it has written and that has not arrived, and nothing that it writes from now on, arrives.
// `tells`: as when a process is killed, others hear that its connections have ended; otherwise the whole host is gone. It is to close its
// streams and listeners, and may then begin anew: sim_network_cut_off(node, false, false).
void sim_network_lose(chx_net *node, bool tells);

// Connections break more often from now on, or less.
void sim_network_set_cuts(SimNetwork *network, uint32_t cuts_per_million);

// A number that depends on everything that has happened.
uint64_t sim_network_digest(const SimNetwork *network);

extern const chx_carrier_ops sim_carrier;

#endif
