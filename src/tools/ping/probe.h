// probe.h: one look at a node: who it is, and how long it takes to answer.
//
// The probe must do no harm, although it may use the certificate of a node that is running at the same time: a node that finds a second
// process under a name takes the first one for lost. So no link is made. The HELLO that is sent says that it is meant for another
// process of the node than the one that is there: the node answers with its own HELLO, changes nothing, and ends the connection
// (docs/hosts-protocol.md, L4). The round trip is the time between the two.

#ifndef TOOLS_PING_PROBE_H
#define TOOLS_PING_PROBE_H

#include "net/carrier/carrier.h"
#include "net/carrier/secure.h"
#include "net/wire/wire.h"

typedef struct {
    chx_net *net;
    TlsContext *tls;
    const char *address;
    const char *node; // who it has to be; NULL: anybody
    const char *own;  // the name of this node; NULL: none
    uint64_t patience_ns;
} ProbeTarget;

typedef struct {
    uint64_t connect_ns, round_ns;
    char address[300];
    char name[TLS_NODE_NAME_MAX + 1];
    char *roles; // "bookseller/Seller, bookseller/Bank"; to be freed
    int64_t valid_until;
    unsigned char fingerprint[32];
    char build[256];
    uint32_t version, message_max;
} Probe;

// False: why.
bool probe_run(const ProbeTarget *target, Probe *probe, char *why, size_t why_size);

#endif
