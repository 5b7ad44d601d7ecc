// parameters.h: the parameters of a statement, in the binary format of PostgreSQL. Arrays carry what belongs to many sessions.

#ifndef STORE_POSTGRES_PARAMETERS_H
#define STORE_POSTGRES_PARAMETERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PARAMETERS_MAX = 20 };

// The types of elements, as PostgreSQL numbers them.
enum { TYPE_BYTEA = 17, TYPE_INT8 = 20, TYPE_TEXT = 25 };

typedef struct {
    char *bytes;
    size_t size, capacity;
    uint32_t elements; // of an array
    bool is_null;
} Parameter;

typedef struct {
    Parameter items[PARAMETERS_MAX];
    int count;
    bool has_failed; // no memory
} Parameters;

void parameters_free(Parameters *parameters);

// Each adds one, and returns its index.
int parameters_u64(Parameters *parameters, uint64_t value);
int parameters_bytes(Parameters *parameters, const void *data, size_t size);
int parameters_text(Parameters *parameters, const char *text); // NULL: the value NULL
int parameters_array(Parameters *parameters, uint32_t type);

// Add an element to the array with this index.
void array_add_u64(Parameters *parameters, int array, uint64_t value);
void array_add_bytes(Parameters *parameters, int array, const void *data, size_t size);
void array_add_text(Parameters *parameters, int array, const char *text);

// To be called when all arrays are complete.
void parameters_finish(Parameters *parameters);
// The bytes of all of them together.
size_t parameters_size(const Parameters *parameters);

#endif
