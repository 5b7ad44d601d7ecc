// builder.h: a configuration while its entries are given their meaning: [node] and [limits] in config.c, the rest in
// choreographies.c.

#ifndef NET_CONFIG_BUILDER_H
#define NET_CONFIG_BUILDER_H

#include "net/config/internal.h"

enum { BUILDER_KEYS_MAX = 32 };

typedef struct {
    ConfigReader reader;
    Config config;
    int lines[BUILDER_KEYS_MAX];     // where each key of [node] and [limits] was said; 0: nowhere
    bool is_wrong[BUILDER_KEYS_MAX]; // its value is: an error was reported
    bool is_unclear;         // lines or sections could not be understood: something may be missing only because of that
    bool has_unclear_limits; // sections: one of them may have been [limits]
    bool has_unknown_keys;   // the same for [node] and [limits]
    size_t node_capacity, denied_capacity, choreography_capacity;
} Builder;

// "; did you mean 'NAME'?", or nothing.
void builder_suggestion(const char *name, const char *const *candidates, size_t count, char *text, size_t size);
bool builder_is_setting(const ConfigEntry *entry);
// The same thing said twice is a mistake, except that settings go before the file. `before` is the line of the first one. True:
// the entry counts.
bool builder_is_first(Builder *builder, const ConfigEntry *entry, int before);

// The section that a key belongs in, [node] or [limits]; NULL: in none.
const char *builder_section_of(const char *key);

// An entry of [nodes].
void builder_node(Builder *builder, const ConfigEntry *entry);
// All entries of one choreography: those of its section in the file, then the settings for it.
void builder_choreography(Builder *builder, const char *name, int line);

#endif
