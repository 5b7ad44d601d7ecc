// transport.c: see transport.h.

#define _GNU_SOURCE

#include "tools/lsp/transport.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { READ_SIZE = 65536 };

struct Transport {
    int in, out;
    char *buffer;
    size_t start, end, capacity;
    size_t skip; // so many bytes of a message that is too large are still to come
    bool is_over;
    bool is_lost; // in the middle of something that is no header
};

static const char LENGTH[] = "Content-Length:";

Transport *transport_new(int in, int out)
{
    Transport *transport = calloc(1, sizeof *transport);
    if (transport == NULL)
        abort();
    transport->in = in;
    transport->out = out;
    return transport;
}

void transport_free(Transport *transport)
{
    free(transport->buffer);
    free(transport);
}

int transport_descriptor(const Transport *transport)
{
    return transport->in;
}

static void make_room(Transport *transport)
{
    if (transport->start > 0) {
        memmove(transport->buffer, transport->buffer + transport->start, transport->end - transport->start);
        transport->end -= transport->start;
        transport->start = 0;
    }
    if (transport->capacity - transport->end >= READ_SIZE)
        return;
    transport->capacity = transport->capacity * 2 + READ_SIZE;
    transport->buffer = realloc(transport->buffer, transport->capacity);
    if (transport->buffer == NULL)
        abort();
}

void transport_fill(Transport *transport)
{
    make_room(transport);
    ssize_t count = read(transport->in, transport->buffer + transport->end, READ_SIZE);
    if (count > 0)
        transport->end += (size_t)count;
    else if (count == 0 || (errno != EINTR && errno != EAGAIN))
        transport->is_over = true;
}

// Behind the empty line that ends the header; NULL: it is not there yet.
static const char *header_end(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\n')
            continue;
        if (i + 1 < size && text[i + 1] == '\n')
            return text + i + 2;
        if (i + 2 < size && text[i + 1] == '\r' && text[i + 2] == '\n')
            return text + i + 3;
    }
    return NULL;
}

// The number behind "Content-Length:"; false: there is none, or not only that.
static bool read_length(const char *header, const char *end, size_t *length)
{
    bool found = false;
    for (const char *line = header; line < end;) {
        const char *next = memchr(line, '\n', (size_t)(end - line));
        next = next == NULL ? end : next + 1;
        if ((size_t)(next - line) > strlen(LENGTH) && strncasecmp(line, LENGTH, strlen(LENGTH)) == 0) {
            const char *at = line + strlen(LENGTH);
            size_t value = 0, digits = 0;
            while (at < next && (*at == ' ' || *at == '\t'))
                at++;
            for (; at < next && *at >= '0' && *at <= '9' && value < SIZE_MAX / 16; at++, digits++)
                value = value * 10 + (size_t)(*at - '0');
            while (at < next && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n'))
                at++;
            if (digits == 0 || at != next || found)
                return false;
            *length = value;
            found = true;
        }
        line = next;
    }
    return found;
}

// Goes to what may be the next header. True: there is one.
static bool resynchronize(Transport *transport)
{
    const char *from = transport->buffer + transport->start;
    size_t size = transport->end - transport->start;
    const char *next = memmem(from, size, LENGTH, strlen(LENGTH));
    if (next == NULL) {
        // The beginning of one may be there.
        size_t keep = size < strlen(LENGTH) ? size : strlen(LENGTH) - 1;
        transport->start = transport->end - keep;
        return false;
    }
    transport->start = (size_t)(next - transport->buffer);
    return true;
}

static TransportStatus refuse(Transport *transport, size_t behind, const char *why, const char **text)
{
    transport->start = behind;
    transport->is_lost = true;
    *text = why;
    return TRANSPORT_REFUSED;
}

static void skip_some(Transport *transport)
{
    size_t there = transport->end - transport->start;
    size_t count = there < transport->skip ? there : transport->skip;
    transport->start += count;
    transport->skip -= count;
}

TransportStatus transport_next(Transport *transport, const char **text, size_t *size)
{
    skip_some(transport);
    size_t there = transport->end - transport->start;
    TransportStatus nothing = transport->is_over ? TRANSPORT_END : TRANSPORT_NOTHING;
    if (there == 0 || transport->skip > 0)
        return nothing;
    if (transport->is_lost && !resynchronize(transport))
        return nothing;
    transport->is_lost = false;
    const char *header = transport->buffer + transport->start;
    there = transport->end - transport->start;
    const char *body = header_end(header, there);
    if (body == NULL && there > TRANSPORT_HEADER_MAX)
        return refuse(transport, transport->start + 1, "the header of a message is too long", text);
    if (body == NULL)
        return nothing;
    size_t length;
    if (!read_length(header, body, &length))
        return refuse(transport, (size_t)(body - transport->buffer), "a message has no header with one Content-Length",
                      text);
    if (length > TRANSPORT_MESSAGE_MAX) {
        transport->start = (size_t)(body - transport->buffer);
        transport->skip = length;
        *text = "a message is too large";
        return TRANSPORT_REFUSED;
    }
    if ((size_t)(header + there - body) < length)
        return nothing;
    *text = body;
    *size = length;
    transport->start = (size_t)(body - transport->buffer) + length;
    return TRANSPORT_MESSAGE;
}

static bool write_all(int out, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t count = write(out, text, size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return false;
        text += count;
        size -= (size_t)count;
    }
    return true;
}

bool transport_write(Transport *transport, const char *text, size_t size)
{
    char header[64];
    int length = snprintf(header, sizeof header, "%s %zu\r\n\r\n", LENGTH, size);
    return write_all(transport->out, header, (size_t)length) && write_all(transport->out, text, size);
}
