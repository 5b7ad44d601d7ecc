// message.h: the messages of which a stream over NATS consists. Numbers in them are little-endian.
//
//   OPEN    1, version, window (4 bytes)      to the subject of a node; the subject of the dialling end is its reply subject
//   ACCEPT  2, version, window (4 bytes)      to the dialling end; the subject of the other end is its reply subject
//   RESET   3, reason                         the stream is broken, or can't be had
//   DATA    4, number (8 bytes), bytes        at least one byte, at most NATS_DATA_MAX
//   CREDIT  5, number (8 bytes), limit (8)    the other end may send so many bytes in all
//   FIN     6, number (8 bytes)               everything was sent, and nothing is read any more
//
// DATA, CREDIT and FIN of one end are numbered together, from 1 on: whatever NATS loses is noticed with the next of them.

#ifndef NET_NATS_MESSAGE_H
#define NET_NATS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NATS_VERSION = 1 };
enum { NATS_DATA_MAX = 32 << 10, NATS_HEAD_MAX = 17, NATS_DATA_HEAD = 9 };
enum { NATS_WINDOW_MIN = 1 << 10, NATS_WINDOW_MAX = 1 << 30 }; // what another implementation may grant at once

typedef enum {
    NATS_OPEN = 1,
    NATS_ACCEPT,
    NATS_RESET,
    NATS_DATA,
    NATS_CREDIT,
    NATS_FIN,
} NatsKind;

// Why a stream is broken. Those that RESET may name come first.
typedef enum {
    NATS_BECAUSE_LOST = 1,  // a message did not arrive
    NATS_BECAUSE_INVALID,   // a message was not what it should have been
    NATS_BECAUSE_UNKNOWN,   // that end is closed, or never existed
    NATS_BECAUSE_BUSY,      // too many that were not accepted yet
    NATS_BECAUSE_VERSION,   // the other side speaks another version
    NATS_BECAUSE_SERVER,    // the connection with the NATS server was lost
    NATS_BECAUSE_REASONS,   // so many of them
    NATS_BECAUSE_NOBODY,    // listens there
    NATS_BECAUSE_SILENCE,   // nobody has answered
    NATS_BECAUSE_NO_SERVER, // there is no NATS server
    NATS_BECAUSE_NO_MEMORY, // here
} NatsReason;

typedef struct {
    NatsKind kind;
    uint8_t version;     // of OPEN and ACCEPT
    NatsReason reason;   // of RESET
    uint32_t window;     // of OPEN and ACCEPT
    uint64_t number;     // of DATA, CREDIT and FIN
    uint64_t limit;      // of CREDIT
    const uint8_t *data; // of DATA
    size_t size;
} NatsMessage;

// False: this is none. An OPEN or ACCEPT of another version has its version only. `message` points into `bytes`.
bool nats_message_decode(const uint8_t *bytes, size_t size, NatsMessage *message);
// How many bytes: everything, except for the bytes of DATA, which follow.
size_t nats_message_encode(const NatsMessage *message, uint8_t bytes[static NATS_HEAD_MAX]);

#endif
