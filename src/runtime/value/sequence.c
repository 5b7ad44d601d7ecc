// sequence.c: see sequence.h.

#include "runtime/value/sequence.h"

#include "runtime/actor/actor.h"
#include "runtime/value/spread.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t count;
    _Alignas(16) unsigned char elements[];
} Sequence;

static Sequence *sequence_of(const void *elements)
{
    return (Sequence *)(uintptr_t)((const unsigned char *)elements - offsetof(Sequence, elements));
}

size_t sequence_count(const void *elements)
{
    return elements != NULL ? sequence_of(elements)->count : 0;
}

void *sequence_allocate(size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - sizeof(Sequence)) / size)
        return NULL;
    unsigned char *memory = calloc(1, sizeof(Sequence) + count * size);
    if (memory == NULL)
        return NULL;
    memcpy(memory, &count, sizeof count);
    return memory + offsetof(Sequence, elements);
}

bool sequence_own(const chx_type *type, void *copy, bool is_shared, Fault *fault)
{
    const void *from = *(void **)copy;
    const chx_type *element = type->element;
    size_t count = sequence_count(from);
    unsigned char *to = from != NULL ? sequence_allocate(count, element->size) : NULL;
    *(void **)copy = to;
    if (to == NULL) {
        fault->kind = CHX_FAULT_NONE;
        return from == NULL;
    }
    if (count > 0)
        memcpy(to, from, count * element->size);
    for (size_t i = 0; element->owning && i < count; i++) {
        if (value_own(element, to + i * element->size, is_shared, fault))
            continue;
        // The elements before this one are owned, those after it are not.
        memset(to + i * element->size, 0, (count - i) * element->size);
        sequence_drop(type, copy);
        return false;
    }
    return true;
}

void sequence_drop(const chx_type *type, void *value)
{
    unsigned char *elements = *(void **)value;
    *(void **)value = NULL;
    if (elements == NULL)
        return;
    for (size_t i = 0; type->element->owning && i < sequence_count(elements); i++)
        chx_value_drop(type->element, elements + i * type->element->size);
    free(sequence_of(elements));
}

void sequence_save(const chx_type *type, const void *value, chx_writer *writer)
{
    const unsigned char *elements = *(void *const *)value;
    chx_write_u64(writer, elements != NULL ? sequence_count(elements) + 1 : 0);
    for (size_t i = 0; i < sequence_count(elements); i++)
        value_save(type->element, elements + i * type->element->size, writer);
}

bool sequence_begin_load(const chx_type *type, void *value, chx_reader *reader, size_t *count)
{
    uint64_t stored;
    *count = 0;
    if (!chx_read_u64(reader, &stored))
        return false;
    if (stored == 0)
        return true;
    // Each element takes up a byte at least: a number that is a mistake does not take all memory.
    if (stored - 1 > (uint64_t)(reader->end - reader->at))
        return false;
    *count = (size_t)stored - 1;
    *(void **)value = sequence_allocate(*count, type->element->size);
    if (*(void **)value == NULL)
        reader->result = DECODE_NO_MEMORY;
    return *(void **)value != NULL;
}

void chx_sequence_new(const chx_type *type, void *variable, size_t count)
{
    void *elements = sequence_allocate(count, type->element->size);
    if (elements == NULL)
        guard_no_memory();
    sequence_drop(type, variable);
    *(void **)variable = elements;
}

void chx_sequence_take(const chx_type *type, void *variable, const void *values, unsigned family)
{
    const struct chx_spread *spread = current()->actor->role->spread;
    size_t count = spread->counts[family], size = type->element->size;
    chx_sequence_new(type, variable, count);
    unsigned char *elements = *(void **)variable;
    for (size_t i = 0; i < count; i++)
        chx_value_copy(type->element, elements + i * size, (const unsigned char *)values + i * size);
}
