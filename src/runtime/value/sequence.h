// sequence.h: arrays over families of roles. A value is a pointer to the first element; in front of it stands how many there are.
// NULL is one without elements.

#ifndef RUNTIME_VALUE_SEQUENCE_H
#define RUNTIME_VALUE_SEQUENCE_H

#include "runtime/value/codec.h"

size_t sequence_count(const void *elements);
// Of zeros. NULL: no memory.
void *sequence_allocate(size_t count, size_t size);
// As value_own, other_drop, value_save and decode.
bool sequence_own(const chx_type *type, void *copy, bool is_shared, struct Fault *fault);
void sequence_drop(const chx_type *type, void *value);
void sequence_save(const chx_type *type, const void *value, chx_writer *writer);
// The number of elements that follow is read, and room made for them. False: malformed, or no memory (the reader says so).
bool sequence_begin_load(const chx_type *type, void *value, chx_reader *reader, size_t *count);

#endif
