// internal.h: what the parts of the link need of each other.

#ifndef NET_LINK_INTERNAL_H
#define NET_LINK_INTERNAL_H

#include "net/link/link.h"

static inline void link_set_time(Link *link, uint64_t now_ns)
{
    if (now_ns > link->now_ns)
        link->now_ns = now_ns;
}

// ---- link.c ----

void connection_begin(Link *link, unsigned number, ConnectionState state);
// Closes it at once, and plans to dial if there is no other.
void connection_close(Link *link, unsigned number, const char *why);
// Closes it behind a last frame, as far as that can be written.
void connection_finish(Link *link, unsigned number, WireKind kind, const void *frame, const char *why);
void connection_error(Link *link, unsigned number, WireVerdict verdict, const char *why);
void link_lose(Link *link, LinkLoss loss);

// ---- send.c ----

// Appends a frame without a number. False: there is no room at the moment.
bool control_put(Connection *connection, WireKind kind, const void *frame);
// Asks whether the peer is there.
void ping_put(Link *link, Connection *connection);
// The peer has all frames up to this one.
void link_acknowledge(Link *link, uint64_t number);
// Who was refused may try again, if there is room.
void link_tell_room(Link *link);

// ---- hello.c ----

// Says who this node is. `dialled_ns`: when it dialled the connection; in an answer, now: whatever it has dialled before is void.
void hello_put(Link *link, unsigned number, uint64_t dialled_ns);
// Does the peer speak this version of the protocol? If not, it is told, and the connection is over.
bool hello_version_is_ours(Link *link, unsigned number, const WireHello *hello);
// The peer has dialled, and this is its HELLO.
void hello_accept(Link *link, unsigned number, const WireHello *hello);
// This node has dialled, and this is the answer.
void hello_answered(Link *link, unsigned number, const WireHello *hello);

#endif
