// gather.c: see gather.h.

#include "net/link/gather.h"

static Gathered *gather_find(Gather *gather, uint32_t stream)
{
    for (unsigned i = 0; i < gather->count; i++)
        if (gather->messages[i].stream == stream)
            return &gather->messages[i];
    return NULL;
}

void gather_remove(Gather *gather, const LinkMemory *memory, Gathered *message)
{
    memory_release(memory, message->body);
    gather->total -= message->total;
    *message = gather->messages[--gather->count];
}

void gather_fini(Gather *gather, const LinkMemory *memory)
{
    while (gather->count > 0)
        gather_remove(gather, memory, &gather->messages[gather->count - 1]);
}

// Is this the piece that must come next?
static bool piece_fits(const Gathered *message, const WireChunk *chunk)
{
    if (message->kind != chunk->kind || message->total != chunk->total || message->have != chunk->offset)
        return false;
    uint32_t left = message->total - message->have;
    return chunk->piece.size == (left < WIRE_PIECE_MAX ? left : WIRE_PIECE_MAX);
}

// A message begins with memory for so many bytes; a value of 64 KiB and what belongs to it need no more.
enum { FIRST_BYTES = 5 * WIRE_PIECE_MAX };

static bool message_grow(const LinkMemory *memory, Gathered *message, size_t size)
{
    if (message->capacity - message->have >= size)
        return true;
    uint64_t capacity = message->have + (uint64_t)size;
    if (capacity < 2 * (uint64_t)message->capacity)
        capacity = 2 * (uint64_t)message->capacity;
    if (capacity < FIRST_BYTES)
        capacity = FIRST_BYTES;
    if (capacity > message->total)
        capacity = message->total;
    uint8_t *body = memory_allocate(memory, (size_t)capacity);
    if (body == NULL)
        return false;
    if (message->have > 0)
        memcpy(body, message->body, message->have);
    memory_release(memory, message->body);
    message->body = body;
    message->capacity = (uint32_t)capacity;
    return true;
}

GatherResult gather_piece(Gather *gather, const LinkMemory *memory, const WireChunk *chunk, uint32_t message_max,
                          Gathered **message)
{
    Gathered *found = gather_find(gather, chunk->stream);
    if (found == NULL) {
        // What fits into a frame is not sent in pieces, and pieces are not cut again.
        if (chunk->total <= WIRE_PIECE_MAX || gather->total + chunk->total > message_max ||
            gather->count == GATHER_MAX || !wire_is_numbered(chunk->kind) || chunk->kind == WIRE_CHUNK ||
            wire_shape(chunk->kind) == NULL)
            return GATHER_WRONG;
        found = &gather->messages[gather->count];
        *found = (Gathered){.stream = chunk->stream, .total = chunk->total, .kind = (WireKind)chunk->kind};
    }
    if (!piece_fits(found, chunk))
        return GATHER_WRONG;
    if (!message_grow(memory, found, chunk->piece.size))
        return GATHER_NO_MEMORY;
    memcpy(found->body + found->have, chunk->piece.data, chunk->piece.size);
    if (found == &gather->messages[gather->count]) {
        gather->count++;
        gather->total += found->total;
    }
    *message = found;
    if (found->have + chunk->piece.size == found->total)
        return GATHER_WHOLE;
    found->have += (uint32_t)chunk->piece.size;
    return GATHER_MORE;
}
