// world.h: a program as it is, with its roles spread over simulated nodes in one process (CHOREX_SIM=...,nodes=N).
//
// Each choreography of the program has a world of its own: a simulated network (carrier/sim.h) and on it as many hosts as there are
// nodes, or roles if these are fewer. The seed decides which host plays which roles. A host has a node, which is the production code with everything that
// belongs to it; in the place of sockets, timers and its process's `main` there is a thread of the world. That thread lets time pass on the network, tells nodes
// when something has arrived or is due, lets hosts be lost and come back, cuts them off from each other, and starts the roles of the program's
// sessions, each host's at its own time, as processes would do.
//
//   world.c  the thread, hosts: what happens to them
//   runs.c   sessions of the program: started on all hosts, begun again on those that come back, and put together at their end
//
// Everything here is called by threads of the simulated machine, of which one goes on at a time, and none waits in the middle of something
// here: so there is no lock.

#ifndef NET_SIMULATED_WORLD_H
#define NET_SIMULATED_WORLD_H

#include "net/carrier/sim.h"
#include "net/node/node.h"

typedef struct World World;
typedef struct Run Run;

typedef enum {
    HOST_UP,
    HOST_LOST,   // just now
    HOST_ENDING, // its node's sessions are being ended
    HOST_DOWN,   // until when_ns
} HostState;

typedef struct {
    World *world;
    unsigned number;
    char name[16];
    chx_net *net;
    char *config;
    size_t config_size;
    unsigned *roles;
    size_t role_count;
    bool is_home;
    chx_node *node; // NULL: there is none
    HostState state;
    uint64_t when_ns;
    uint64_t next_ns;    // the node has something to do then; UINT64_MAX: it has not
    bool is_touched;     // something has arrived for it
    uint64_t silent_ns;  // it is cut off until then; 0: it is not
    uint64_t stopped_ns; // it hears and does nothing until then
} Host;

struct World {
    World *next;
    chx_runtime *runtime;
    const chx_choreography *choreography;
    chx_machine_nodes options;
    uint64_t random;
    SimNetwork *network;
    Host *hosts;
    unsigned host_count;
    unsigned long *counts; // sessions so far, by definition
    Run *runs;
    pthread_t thread;
    bool has_thread, is_closing;
    _Atomic uint32_t wakes;
    uint64_t sleeps_until_ns; // the thread
    uint64_t progress_ns;     // when a role has done something
};

// ---- world.c ----

// Are the program's roles to be spread over simulated nodes?
bool worlds_are_wanted(chx_runtime *runtime);
// The choreography's world, made on first use. NULL: chx_last_report says why.
World *world_of(const chx_choreography *choreography);
// At the end of the program: all nodes are closed.
void worlds_end(void);
uint64_t world_now(const World *world);
uint64_t world_draw(World *world, uint64_t below);
// The thread looks again.
void world_wake(World *world);

// ---- runs.c ----

// The program starts a session. NULL: *status and chx_last_report say why.
chx_session *run_start(World *world, chx_runtime *runtime, size_t definition, const chx_actor *cast,
                       const void *arguments, chx_status *status);
// Starts what is to be started, and puts together what is over. When the next thing is to be started.
uint64_t runs_attend(World *world);
// The host is lost: what its roles have brought to an end is kept. Later, when its node's sessions are over.
void runs_host_lost(World *world, Host *host);
void runs_host_ended(World *world, Host *host);
void runs_host_up(World *world, Host *host);
// What everybody waits for.
void runs_describe(const World *world);
void runs_free(World *world);

#endif
