// describe.h: values as text, for people who read a trace.
//
// Reads the value by its type's descriptor and calls none of the user's functions: a value whose type has a codec is shown by
// the type's name alone.

#ifndef RUNTIME_VALUE_DESCRIBE_H
#define RUNTIME_VALUE_DESCRIBE_H

#include <chorex/generated.h>

enum { DESCRIPTION_BYTES = 200 };

// Writes one line of at most DESCRIPTION_BYTES - 1 bytes, which ends with "..." where there would be more. `type` is NULL for
// the outcome of a choice, whose number has `size` bytes.
void value_describe(const chx_type *type, const void *value, size_t size, char text[DESCRIPTION_BYTES]);

#endif
