// carrier_conform.h: what every carrier must do, for the tests of each.

#ifndef NET_CARRIER_CARRIER_CONFORM_H
#define NET_CARRIER_CARRIER_CONFORM_H

#include "net/carrier/carrier.h"
#include "net/carrier/sim.h"

// Two nodes.
typedef struct World World;
struct World {
    const chx_carrier_ops *carrier;
    chx_net *nets[2];
    SimNetwork *sim; // NULL: a real one
    const char *address;
    // Where it takes a while until others know that a node listens, or does not: waits for that. A node then does not know that
    // another one listens for the same name. NULL: it is known at once.
    void (*settle)(const World *world);
};

typedef struct {
    void *listener, *client, *server;
    char address[200];
} Connection;

void world_fini(World *world);
// Something happens: on a simulated network the next thing, on a real one what one of these descriptors waits for.
bool wait_for(const World *world, int one, int other, short events);
Connection connect_both(const World *world);
void disconnect(const World *world, Connection *connection);
// All of it, on one world.
void conforms(const World *world, uint32_t seed);

uint32_t next_random(uint32_t *seed);
unsigned char byte_at(size_t at); // of what the tests send

#endif
