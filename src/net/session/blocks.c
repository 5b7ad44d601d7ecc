// blocks.c: see blocks.h.

#include "net/session/blocks.h"

#include "runtime/value/siphash.h"

const chx_block *blocks_find(const chx_block *blocks, size_t count, uint32_t name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks[middle].name < name)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && blocks[low].name == name ? &blocks[low] : NULL;
}

bool block_has(const chx_block *block, unsigned role)
{
    size_t low = 0, high = block->participant_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (block->participants[middle] < role)
            low = middle + 1;
        else
            high = middle;
    }
    return low < block->participant_count && block->participants[low] == role;
}

bool block_allows(const chx_block *block, uint32_t attempt)
{
    if (attempt <= block->retries)
        return true;
    return block->has_rescue && (block->is_round || attempt - block->retries == 1);
}

WireId block_id(const WireId *around, uint32_t attempt, uint32_t name, uint32_t ordinal)
{
    uint64_t key[2] = {0}, hash[2];
    if (around != NULL) {
        key[0] = wire_get(around->bytes, 8);
        key[1] = wire_get(around->bytes + 8, 8);
    }
    uint8_t bytes[12];
    wire_put(wire_put(wire_put(bytes, attempt, 4), name, 4), ordinal, 4);
    siphash(key, bytes, sizeof bytes, hash);
    WireId id = {{0}};
    wire_put(wire_put(id.bytes, hash[0], 8), hash[1], 8);
    // 0 stands for no block.
    if (wire_id_is_zero(&id))
        id.bytes[0] = 1;
    return id;
}
