// text.h: counted immutable bytes: chx_str, chx_bytes, and the owned copies behind `const char *` variables.
//
// They come from the C library's allocator, since they outlive steps, sessions and runtimes. Counts are thread-safe.

#ifndef RUNTIME_VALUE_TEXT_H
#define RUNTIME_VALUE_TEXT_H

#include <chorex.h>

#include <chorex/generated.h>

#include <stdatomic.h>

struct chx_text {
    _Atomic uint32_t references;
    size_t size;
    char data[]; // and a NUL
};

// Is a value of the type one pointer to such bytes, NULL if there are none?
static inline bool type_is_text(const chx_type *type)
{
    return type->kind == CHX_KIND_STR || type->kind == CHX_KIND_BYTES || type->kind == CHX_KIND_CSTRING;
}

// One reference, the caller's. `data` may be NULL: to be filled in. NULL: no memory.
struct chx_text *text_new(const void *data, size_t size);
const struct chx_text *text_keep(const struct chx_text *text); // NULL is fine
void text_drop(const struct chx_text *text);
// No memory for a value: the role fails. Outside of roles this returns, and the value is the one that is zero.
void text_no_memory(void);

// An owned copy of a C string; NULL stays NULL, and is what comes back without memory.
const char *text_cstring_copy(const char *string);
void text_cstring_drop(const char *string);

#endif
