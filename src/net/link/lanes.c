// lanes.c: see lanes.h.

#include "net/link/lanes.h"

#include "base/check.h"

void lanes_fini(Lanes *lanes, const LinkMemory *memory)
{
    for (unsigned i = 0; i < lanes->count; i++)
        while (lanes->lanes[i].first != NULL) {
            LaneMessage *message = lanes->lanes[i].first;
            lanes->lanes[i].first = message->next;
            memory_release(memory, message);
        }
    *lanes = (Lanes){.streams = lanes->streams};
}

Lane *lanes_find(Lanes *lanes, uint64_t lane)
{
    for (unsigned i = 0; i < lanes->count; i++)
        if (lanes->lanes[i].lane == lane)
            return &lanes->lanes[i];
    return NULL;
}

LaneMessage *lanes_append(Lanes *lanes, const LinkMemory *memory, uint64_t number, WireKind kind, size_t size)
{
    LaneMessage *message = memory_allocate(memory, sizeof *message + size);
    if (message == NULL)
        return NULL;
    *message = (LaneMessage){.kind = kind, .stream = ++lanes->streams, .size = (uint32_t)size};
    Lane *lane = lanes_find(lanes, number);
    if (lane == NULL) {
        CHECK(lanes->count < LANES_MAX);
        lane = &lanes->lanes[lanes->count++];
        *lane = (Lane){.lane = number};
    }
    if (lane->last != NULL)
        lane->last->next = message;
    else
        lane->first = message;
    lane->last = message;
    lanes->bytes += size;
    return message;
}

// The lane's first message is sent. A lane in which nothing is left gives its place to the last one.
static void lane_shift(Lanes *lanes, const LinkMemory *memory, Lane *lane)
{
    LaneMessage *message = lane->first;
    lane->first = message->next;
    lanes->bytes -= message->size;
    memory_release(memory, message);
    if (lane->first == NULL)
        *lane = lanes->lanes[--lanes->count];
    else
        lanes->turn++;
}

// Makes a kept frame of a piece of a message. `frame`: the piece is a part of this one's body; NULL: it is where the chunk says.
static bool piece_keep(const LinkMemory *memory, Kept *kept, const WireChunk *chunk, const void *frame)
{
    size_t size = wire_body_size(WIRE_CHUNK, chunk), fields = size - chunk->piece.size;
    uint8_t *at = kept_reserve(kept, memory, WIRE_HEAD_NUMBERED + size);
    if (at == NULL)
        return false;
    at += wire_write_head(at, WIRE_CHUNK, kept->next, size);
    // The piece is the last field.
    wire_write_part(at, WIRE_CHUNK, chunk, 0, frame != NULL ? fields : size);
    if (frame != NULL)
        wire_write_part(at + fields, (WireKind)chunk->kind, frame, chunk->offset, chunk->piece.size);
    kept_commit(kept, WIRE_HEAD_NUMBERED + size);
    return true;
}

static size_t piece_size(size_t left)
{
    return left < WIRE_PIECE_MAX ? left : WIRE_PIECE_MAX;
}

bool lanes_pass(Lanes *lanes, const LinkMemory *memory, Kept *kept, WireKind kind, const void *frame, size_t size)
{
    KeptMark mark = kept_mark(kept);
    WireChunk chunk = {.stream = ++lanes->streams, .kind = (uint8_t)kind, .total = (uint32_t)size};
    for (size_t at = 0; at < size; at += chunk.piece.size) {
        chunk.offset = (uint32_t)at;
        chunk.piece.size = piece_size(size - at);
        if (!piece_keep(memory, kept, &chunk, frame)) {
            kept_forget(kept, memory, &mark);
            return false;
        }
    }
    return true;
}

bool lanes_advance(Lanes *lanes, const LinkMemory *memory, Kept *kept)
{
    if (lanes->turn >= lanes->count)
        lanes->turn = 0;
    Lane *lane = &lanes->lanes[lanes->turn];
    LaneMessage *message = lane->first;
    uint8_t *at;
    if (message->size <= WIRE_PIECE_MAX) {
        at = kept_reserve(kept, memory, WIRE_HEAD_NUMBERED + message->size);
        if (at == NULL)
            return false;
        wire_write_head(at, message->kind, kept->next, message->size);
        memcpy(at + WIRE_HEAD_NUMBERED, message->body, message->size);
        kept_commit(kept, WIRE_HEAD_NUMBERED + message->size);
        lane_shift(lanes, memory, lane);
        return true;
    }
    size_t size = piece_size(message->size - message->at);
    WireChunk chunk = {.stream = message->stream,
                       .kind = (uint8_t)message->kind,
                       .total = message->size,
                       .offset = message->at,
                       .piece = {message->body + message->at, size}};
    if (!piece_keep(memory, kept, &chunk, NULL))
        return false;
    message->at += (uint32_t)size;
    if (message->at == message->size)
        lane_shift(lanes, memory, lane);
    else
        lanes->turn++;
    return true;
}
