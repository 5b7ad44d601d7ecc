// transport.h: messages on two descriptors, framed as LSP says: "Content-Length: N", an empty line, N bytes.
//
// What comes in is not trusted. A header that makes no sense is skipped up to the next one that does, and a message that is too
// large is skipped whole; both are reported as refused, once.

#ifndef LSP_TRANSPORT_H
#define LSP_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { TRANSPORT_MESSAGE_MAX = 64 * 1024 * 1024, TRANSPORT_HEADER_MAX = 8192 };

typedef struct Transport Transport;

Transport *transport_new(int in, int out);
void transport_free(Transport *transport);
int transport_descriptor(const Transport *transport); // that it reads from

typedef enum {
    TRANSPORT_MESSAGE, // *text, *size; valid until the next call
    TRANSPORT_REFUSED, // *text says why
    TRANSPORT_NOTHING, // not all of one is there
    TRANSPORT_END,     // there will be no more
} TransportStatus;
// What is there of what transport_fill has read.
TransportStatus transport_next(Transport *transport, const char **text, size_t *size);
// Reads what can be read without waiting, or waits for something.
void transport_fill(Transport *transport);

// False: nobody reads any more.
bool transport_write(Transport *transport, const char *text, size_t size);

#endif
