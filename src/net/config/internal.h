// internal.h: what the files of config/ share. Entries are made by entries.c and given their meaning by config.c; values.c reads
// single values.

#ifndef NET_CONFIG_INTERNAL_H
#define NET_CONFIG_INTERNAL_H

#include "net/config/config.h"

// One `key = value`.
typedef struct {
    const char *section; // "" for a setting without one
    const char *key, *value;
    int line;
} ConfigEntry;

typedef struct {
    const char *name;
    int line;
} ConfigSection;

// A configuration under construction.
typedef struct {
    ConfigMemory *memory; // of the configuration
    ConfigErrors errors;
    bool is_out_of_memory;
    ConfigEntry *entries; // those of the file first, then the settings
    size_t entry_count, entry_capacity;
    ConfigSection *sections;
    size_t section_count, section_capacity;
} ConfigReader;

// Memory that is freed whole. NULL: there is none left, which the reader remembers.
void *config_alloc(ConfigReader *reader, size_t size);
char *config_copy(ConfigReader *reader, const char *text, size_t length);
// Room for one more item in an array of this capacity. False: there is no memory.
bool config_grow(ConfigReader *reader, void **items, size_t item_size, size_t count, size_t *capacity);

void config_error(ConfigReader *reader, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

// Adds the sections and entries of a file, or the entries of a string of settings.
void entries_of_file(ConfigReader *reader, const char *text, size_t size);
void entries_of_settings(ConfigReader *reader, const char *settings);

// NULL: *number is set. Otherwise how such a value is written.
const char *value_duration_ms(const char *value, uint64_t *number);
const char *value_size(const char *value, uint64_t *number);
const char *value_count(const char *value, uint64_t *number);
const char *value_yes_no(const char *value, bool *answer);
bool value_is_identifier(const char *value);

#endif
