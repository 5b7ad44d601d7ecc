// cut.c: see cut.h.

#include "store/cut.h"

#include <stdlib.h>
#include <string.h>

typedef struct Block Block;
struct Block {
    Block *next;
    max_align_t bytes[];
};

// What `memory` of a cut points to.
typedef struct {
    Block *blocks;
    size_t piece_capacity;
} CutMemory;

// NULL: no memory. Something of 0 bytes has an address, too.
static void *allocate(CutMemory *memory, size_t size)
{
    Block *block = malloc(sizeof *block + (size > 0 ? size : 1));
    if (block == NULL)
        return NULL;
    block->next = memory->blocks;
    memory->blocks = block;
    return block->bytes;
}

static bool own(CutMemory *memory, const char **text)
{
    size_t size = strlen(*text) + 1;
    char *copy = allocate(memory, size);
    if (copy == NULL)
        return false;
    *text = memcpy(copy, *text, size);
    return true;
}

bool cut_own(chx_store_cut *cut)
{
    CutMemory *memory = calloc(1, sizeof *memory);
    cut->memory = memory;
    cut->pieces = NULL;
    cut->piece_count = 0;
    if (memory != NULL && own(memory, &cut->key.choreography) && own(memory, &cut->key.space) &&
        own(memory, &cut->key.name) && own(memory, &cut->definition) && own(memory, &cut->home))
        return true;
    cut_release(cut);
    return false;
}

static bool grow(chx_store_cut *cut)
{
    CutMemory *memory = cut->memory;
    if (cut->piece_count < memory->piece_capacity)
        return true;
    size_t capacity = memory->piece_capacity == 0 ? 8 : 2 * memory->piece_capacity;
    chx_store_piece *pieces = realloc(cut->pieces, capacity * sizeof *pieces);
    if (pieces == NULL)
        return false;
    cut->pieces = pieces;
    memory->piece_capacity = capacity;
    return true;
}

static bool is_before(const chx_store_piece *piece, uint32_t level, uint32_t role)
{
    return piece->level < level || (piece->level == level && piece->role < role);
}

bool cut_put(chx_store_cut *cut, uint32_t level, uint32_t role, const void *data, size_t size)
{
    void *copy = grow(cut) ? allocate(cut->memory, size) : NULL;
    if (copy == NULL)
        return false;
    if (size > 0)
        memcpy(copy, data, size);
    // As a rule they come in order.
    size_t at = cut->piece_count;
    while (at > 0 && !is_before(&cut->pieces[at - 1], level, role))
        at--;
    bool is_there = at < cut->piece_count && cut->pieces[at].level == level && cut->pieces[at].role == role;
    if (!is_there) {
        memmove(&cut->pieces[at + 1], &cut->pieces[at], (cut->piece_count - at) * sizeof *cut->pieces);
        cut->piece_count++;
    }
    cut->pieces[at] = (chx_store_piece){.level = level, .role = role, .data = copy, .size = size};
    return true;
}

void cut_release(chx_store_cut *cut)
{
    CutMemory *memory = cut->memory;
    if (memory == NULL)
        return;
    for (Block *block; (block = memory->blocks) != NULL;) {
        memory->blocks = block->next;
        free(block);
    }
    free(cut->pieces);
    free(memory);
    *cut = (chx_store_cut){0};
}
