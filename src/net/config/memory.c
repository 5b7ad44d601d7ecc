// memory.c: the memory of a configuration and of the errors in it, freed whole; and how errors are collected.

#include "net/config/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ConfigMemory {
    ConfigMemory *next;
    _Alignas(16) char bytes[];
};

static void *take(ConfigMemory **memory, size_t size)
{
    ConfigMemory *block = calloc(1, sizeof *block + size);
    if (block == NULL)
        return NULL;
    block->next = *memory;
    *memory = block;
    return block->bytes;
}

static void release(ConfigMemory *memory)
{
    while (memory != NULL) {
        ConfigMemory *next = memory->next;
        free(memory);
        memory = next;
    }
}

void *config_alloc(ConfigReader *reader, size_t size)
{
    void *bytes = take(&reader->memory, size);
    reader->is_out_of_memory |= bytes == NULL;
    return bytes;
}

char *config_copy(ConfigReader *reader, const char *text, size_t length)
{
    char *copy = config_alloc(reader, length + 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

bool config_grow(ConfigReader *reader, void **items, size_t item_size, size_t count, size_t *capacity)
{
    if (count < *capacity)
        return true;
    size_t larger = *capacity == 0 ? 8 : *capacity * 2;
    void *grown = config_alloc(reader, larger * item_size);
    if (grown == NULL)
        return false;
    if (count > 0)
        memcpy(grown, *items, count * item_size);
    *items = grown;
    *capacity = larger;
    return true;
}

void config_error(ConfigReader *reader, int line, const char *format, ...)
{
    ConfigErrors *errors = &reader->errors;
    if (errors->items == NULL) {
        errors->items = take(&errors->memory, CONFIG_ERRORS_MAX * sizeof *errors->items);
        reader->is_out_of_memory |= errors->items == NULL;
    }
    if (errors->items == NULL || errors->count == CONFIG_ERRORS_MAX)
        return;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : take(&errors->memory, (size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    reader->is_out_of_memory |= text == NULL;
    if (text == NULL)
        return;
    // Sorted by line, as they will be read; those about the whole come first, those of the settings before them.
    size_t at = errors->count++;
    for (; at > 0 && errors->items[at - 1].line > line; at--)
        errors->items[at] = errors->items[at - 1];
    errors->items[at] = (ConfigError){line, text};
}

int config_error_format(const ConfigError *error, const char *path, char *text, size_t size)
{
    if (error->line == CONFIG_LINE_OF_SETTINGS)
        return snprintf(text, size, "settings: %s", error->text);
    if (error->line == 0)
        return snprintf(text, size, "%s: %s", path, error->text);
    return snprintf(text, size, "%s:%d: %s", path, error->line, error->text);
}

void config_free(Config *config)
{
    release(config->memory);
    *config = (Config){0};
}

void config_errors_free(ConfigErrors *errors)
{
    release(errors->memory);
    *errors = (ConfigErrors){0};
}
