// parameters.c: see parameters.h. Numbers are big-endian. An array is: dimensions (1), whether there are NULLs (0), type, number of
// elements, lower bound (1); then each element after its size.

#include "store/postgres/parameters.h"

#include <stdlib.h>
#include <string.h>

enum { AT_ELEMENTS = 12 };

void parameters_free(Parameters *parameters)
{
    for (int i = 0; i < parameters->count; i++)
        free(parameters->items[i].bytes);
    *parameters = (Parameters){0};
}

static void put_u32_at(char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (char)(value >> (24 - 8 * i));
}

static void append(Parameters *parameters, Parameter *item, const void *data, size_t size)
{
    if (item->capacity - item->size < size) {
        size_t capacity = 2 * item->capacity > item->size + size ? 2 * item->capacity : item->size + size + 64;
        char *bytes = realloc(item->bytes, capacity);
        if (bytes == NULL) {
            parameters->has_failed = true;
            return;
        }
        item->bytes = bytes;
        item->capacity = capacity;
    }
    if (size > 0)
        memcpy(item->bytes + item->size, data, size);
    item->size += size;
}

static void append_u32(Parameters *parameters, Parameter *item, uint32_t value)
{
    char bytes[4];
    put_u32_at(bytes, value);
    append(parameters, item, bytes, sizeof bytes);
}

static void append_u64(Parameters *parameters, Parameter *item, uint64_t value)
{
    append_u32(parameters, item, (uint32_t)(value >> 32));
    append_u32(parameters, item, (uint32_t)value);
}

int parameters_u64(Parameters *parameters, uint64_t value)
{
    append_u64(parameters, &parameters->items[parameters->count], value);
    return parameters->count++;
}

int parameters_bytes(Parameters *parameters, const void *data, size_t size)
{
    append(parameters, &parameters->items[parameters->count], data, size);
    return parameters->count++;
}

int parameters_text(Parameters *parameters, const char *text)
{
    parameters->items[parameters->count].is_null = text == NULL;
    return parameters_bytes(parameters, text, text != NULL ? strlen(text) : 0);
}

int parameters_array(Parameters *parameters, uint32_t type)
{
    Parameter *item = &parameters->items[parameters->count];
    append_u32(parameters, item, 1);
    append_u32(parameters, item, 0);
    append_u32(parameters, item, type);
    append_u32(parameters, item, 0);
    append_u32(parameters, item, 1);
    return parameters->count++;
}

void array_add_bytes(Parameters *parameters, int array, const void *data, size_t size)
{
    Parameter *item = &parameters->items[array];
    append_u32(parameters, item, (uint32_t)size);
    append(parameters, item, data, size);
    item->elements++;
}

void array_add_u64(Parameters *parameters, int array, uint64_t value)
{
    Parameter *item = &parameters->items[array];
    append_u32(parameters, item, 8);
    append_u64(parameters, item, value);
    item->elements++;
}

void array_add_text(Parameters *parameters, int array, const char *text)
{
    array_add_bytes(parameters, array, text, strlen(text));
}

void parameters_finish(Parameters *parameters)
{
    for (int i = 0; i < parameters->count; i++)
        if (parameters->items[i].elements > 0 && !parameters->has_failed)
            put_u32_at(parameters->items[i].bytes + AT_ELEMENTS, parameters->items[i].elements);
}

size_t parameters_size(const Parameters *parameters)
{
    size_t size = 0;
    for (int i = 0; i < parameters->count; i++)
        size += parameters->items[i].size;
    return size;
}
