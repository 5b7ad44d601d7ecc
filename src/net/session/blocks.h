// blocks.h: the blocks of a choreography as all its roles know them, and the names of their instances.
//
// An instance is (block around, its attempt, static block, how often a role has entered that in there); its identifier is
// SipHash-2-4 of attempt, name and ordinal (4 bytes each), with the identifier of the block around as the key. So whoever knows
// the block around can compute it: a role when it enters, the home when it hears of that.

#ifndef NET_SESSION_BLOCKS_H
#define NET_SESSION_BLOCKS_H

#include "net/wire/wire.h"

#include <chorex/generated.h>

// NULL: there is no such block. They are sorted by name.
const chx_block *blocks_find(const chx_block *blocks, size_t count, uint32_t name);
bool block_has(const chx_block *block, unsigned role);
// Is there such an attempt: of the body, or of the rescue, which a round may run any number of times?
bool block_allows(const chx_block *block, uint32_t attempt);
// `around`: NULL, and attempt 0, if the block is in no other.
WireId block_id(const WireId *around, uint32_t attempt, uint32_t name, uint32_t ordinal);

#endif
