// flow.h: one end of a stream over NATS, as far as it is arithmetic: numbers of messages, how much may be sent, and what has
// arrived and was not taken yet.
//
// An end may send as many bytes as the other one has allowed; that allows NATS_WINDOW bytes more than have been taken from it.
// So no end keeps more than NATS_WINDOW bytes, and one who sends more breaks the rules. No input or output, no threads.

#ifndef NET_NATS_FLOW_H
#define NET_NATS_FLOW_H

#include "net/nats/message.h"

enum { NATS_WINDOW = 256 << 10 };

typedef struct {
    uint64_t out_number; // of the last message that was sent
    uint64_t out_bytes;  // sent so far
    uint64_t out_limit;  // may be sent in all
    uint64_t in_number;  // of the last message that has arrived
    uint64_t in_bytes;   // arrived so far
    uint64_t in_limit;   // allowed, as the other end was told
    bool has_ended;      // the other end has sent FIN
    // Bytes that have arrived and were not taken.
    uint8_t *kept;
    size_t kept_at, kept_end, kept_capacity;
} NatsFlow;

// `window`: what the other end's OPEN or ACCEPT allows.
void nats_flow_init(NatsFlow *flow, uint32_t window);
void nats_flow_fini(NatsFlow *flow);

// A message of the other end. 0, or why the stream is broken: then nothing may be done with it but nats_flow_fini.
NatsReason nats_flow_take(NatsFlow *flow, const NatsMessage *message);
// What has arrived and was not taken yet; then how much of it was taken.
size_t nats_flow_kept(const NatsFlow *flow, const uint8_t **data);
void nats_flow_taken(NatsFlow *flow, size_t size);

// How many bytes the next DATA may have.
size_t nats_flow_room(const NatsFlow *flow);
// The next messages to be sent. The bytes of DATA follow it; there must be room for them.
NatsMessage nats_flow_data(NatsFlow *flow, size_t size);
NatsMessage nats_flow_fin(NatsFlow *flow);
// True: the other end should be told that it may send more.
bool nats_flow_credit(NatsFlow *flow, NatsMessage *message);

#endif
