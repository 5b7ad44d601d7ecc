// carrier.h: the surroundings of a node's carriers, and the carriers that there are. What a carrier does is said at
// chx_carrier_ops in chorex/net.h.

#ifndef NET_CARRIER_CARRIER_H
#define NET_CARRIER_CARRIER_H

#include "chorex/net.h"
#include "net/carrier/resolver.h"
#include "net/config/config.h"

typedef struct CarrierLibrary CarrierLibrary;

struct chx_net {
    // A connection on which something was sent and not acknowledged for so long is broken (TCP_USER_TIMEOUT). 0: as the system
    // has it.
    unsigned user_timeout_ms;
    Resolver *resolver;  // of names of hosts
    struct SimNode *sim; // on a simulated network, the node; NULL elsewhere
    // With a carrier that is a library of its own: that, and what it has opened.
    const CarrierLibrary *library;
    struct NatsClient *nats;
};

// NULL: no memory.
chx_net *net_new(unsigned user_timeout_ms);
// After all streams and listeners of it were closed.
void net_free(chx_net *net);

extern const chx_carrier_ops tcp_carrier;
// A stream of the TCP carrier to the first of these addresses that answers. 0, or an error below 0.
int tcp_dial_addresses(chx_net *net, const char *name, const ResolvedAddresses *addresses, void **stream);

// A carrier that is a library of its own, because it needs what most programs don't.
struct CarrierLibrary {
    const chx_carrier_ops *ops;
    // 0, or an error below 0. Does not wait.
    int (*open)(chx_net *net, const Config *config);
    void (*close)(chx_net *net);
};
// In libchorex-nats, with which a program is linked that may use it (chorcc --libs=nats). Its address is NULL otherwise.
extern const CarrierLibrary chx_carrier_nats __attribute__((weak));

// The carrier that the configuration asks for, opened, in *ops; net_free closes it. 0, or an error below 0: -ENOSYS: the program
// is not linked with it. Then `why` says what is wrong, NUL-terminated, cut if there is no room.
int carrier_open(chx_net *net, const Config *config, const chx_carrier_ops **ops, char *why, size_t why_size);
// Where the node itself listens, and where another one is dialled: an address, or a name where the carrier knows nodes by name.
// NULL: it does not listen; it is not known where that node is.
const char *carrier_own_address(const Config *config);
const char *carrier_address_of(const Config *config, const char *node);

#endif
