// link_fixture.h: a link whose peer is played by hand, for unit tests.

#ifndef NET_LINK_LINK_FIXTURE_H
#define NET_LINK_LINK_FIXTURE_H

#include "net/link/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const uint64_t ms = 1000000, s = 1000000000;

// A link, what it has asked for, and what it has written.
typedef struct {
    Link link;
    uint64_t now_ns;
    char log[1024]; // of effects, "dial 0, up, "
    WireBuffer out[LINK_CONNECTIONS];
    size_t read[LINK_CONNECTIONS];
    unsigned delivered;
    uint64_t last; // number of the DATA that was delivered last
    uint32_t last_site;
    size_t last_size;
    bool refuses; // what is delivered
    bool complains;
    bool has_no_memory;
    long blocks;
} Fixture;

// Of the link itself, and of peers.
extern const WireId own, small_peer, large_peer, other_peer;

Fixture *fixture_new(bool may_dial);
void fixture_free(Fixture *f);
void expect_log(Fixture *f, const char *expected);
// Takes off what the link has to write.
void drain(Fixture *f, unsigned number);
// The next frame that the link has written on the connection; false: there is none.
bool written(Fixture *f, unsigned number, WireFrame *frame);
void expect_written(Fixture *f, unsigned number, WireKind kind, WireFrame *frame);
void expect_nothing(Fixture *f, unsigned number);
void forget_written(Fixture *f, unsigned number);
// The peer sends a frame.
void say(Fixture *f, unsigned number, WireKind kind, uint64_t frame_number, const void *frame);
WireHello hello_of(WireId incarnation, WireId peer, uint64_t received, uint64_t dialled);
void say_hello(Fixture *f, unsigned number, WireId incarnation, WireId peer, uint64_t received, uint64_t dialled);
void say_data(Fixture *f, unsigned number, uint64_t frame_number);
LinkSending send_data(Fixture *f, uint64_t lane, uint32_t site, size_t size);
// A link that is up on a connection that the peer has dialled. Returns its number.
unsigned accept_up(Fixture *f, WireId incarnation, uint64_t dialled);
Fixture *fixture_up(void);
void tick(Fixture *f, uint64_t step_ns);

#endif
