// choreographies.c: who plays the roles of a choreography, and where nodes are.

#include "net/config/builder.h"

#include "base/similar.h"
#include "net/config/address.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const players[] = {"pool", "any", "anonymous"};
static const char *const own_keys[] = {"home", "shared", "arguments"}; // of a choreography; others are roles

void builder_suggestion(const char *name, const char *const *candidates, size_t count, char *text, size_t size)
{
    const char *close = closest_name(name, candidates, count);
    text[0] = '\0';
    if (close != NULL)
        snprintf(text, size, "; did you mean '%s'?", close);
}

bool builder_is_setting(const ConfigEntry *entry)
{
    return entry->line == CONFIG_LINE_OF_SETTINGS;
}

bool builder_is_first(Builder *builder, const ConfigEntry *entry, int before)
{
    if (before == 0 || (builder_is_setting(entry) && before != CONFIG_LINE_OF_SETTINGS))
        return true;
    if (builder_is_setting(entry))
        config_error(&builder->reader, entry->line, "'%s' is set twice", entry->key);
    else
        config_error(&builder->reader, entry->line, "'%s' was said in line %d already: remove one of the two",
                     entry->key, before);
    return false;
}

// ---- [nodes] ----

static bool is_player(const char *name)
{
    for (size_t i = 0; i < sizeof players / sizeof players[0]; i++)
        if (strcmp(name, players[i]) == 0)
            return true;
    return false;
}

void builder_node(Builder *builder, const ConfigEntry *entry)
{
    Config *config = &builder->config;
    Address address;
    ConfigNode *node = (ConfigNode *)config_node(config, entry->key);
    if (!config_is_node_name(entry->key) || is_player(entry->key)) {
        config_error(&builder->reader, entry->line,
                     is_player(entry->key)
                         ? "a node can't be called '%s': the word has a meaning of its own where roles are "
                           "given to nodes"
                         : "'%s' is not the name of a node: at most 64 letters, digits, '.', '-' and '_'",
                     entry->key);
        return;
    }
    if (node != NULL && !builder_is_first(builder, entry, node->line))
        return;
    const char *wrong = address_parse(entry->value, &address);
    if (wrong == NULL && address.port == 0)
        wrong = "has port 0, which can't be dialled";
    if (wrong != NULL)
        config_error(&builder->reader, entry->line, "the address of '%s' is wrong: '%s' %s", entry->key, entry->value,
                     wrong);
    // It counts although its address is wrong, so that roles may name it without another error.
    if (node == NULL) {
        if (!config_grow(&builder->reader, (void **)&config->nodes, sizeof *config->nodes, config->node_count,
                         &builder->node_capacity))
            return;
        node = &config->nodes[config->node_count++];
    }
    *node = (ConfigNode){entry->key, entry->value, entry->line};
}

const char *config_closest_node(const Config *config, const char *name)
{
    const char **names = calloc(config->node_count + 1, sizeof *names), *close = NULL;
    for (size_t i = 0; names != NULL && i < config->node_count; i++)
        names[i] = config->nodes[i].name;
    if (names != NULL)
        close = closest_name(name, names, config->node_count);
    free(names);
    return close;
}

// ---- choreographies ----

static ConfigChoreography *choreography_of(Builder *builder, const char *name, int line)
{
    Config *config = &builder->config;
    ConfigChoreography *known = (ConfigChoreography *)config_choreography(config, name);
    if (known != NULL)
        return known;
    if (!config_grow(&builder->reader, (void **)&config->choreographies, sizeof *config->choreographies,
                     config->choreography_count, &builder->choreography_capacity))
        return NULL;
    config->choreographies[config->choreography_count] = (ConfigChoreography){.name = name, .line = line};
    return &config->choreographies[config->choreography_count++];
}

static PlayerKind player_of(const char *value)
{
    return strcmp(value, "pool") == 0        ? PLAYER_POOL
           : strcmp(value, "any") == 0       ? PLAYER_ANY
           : strcmp(value, "anonymous") == 0 ? PLAYER_ANONYMOUS
                                             : PLAYER_NODE;
}

static void apply_role(Builder *builder, ConfigChoreography *choreography, const ConfigEntry *entry)
{
    ConfigRole *role = (ConfigRole *)config_role(choreography, entry->key);
    if (role != NULL && !builder_is_first(builder, entry, role->line))
        return;
    if (!value_is_identifier(entry->key)) {
        config_error(&builder->reader, entry->line, "'%s' can't be a role of '%s': names of roles are names of C",
                     entry->key, choreography->name);
        return;
    }
    if (role == NULL) {
        if (!config_grow(&builder->reader, (void **)&choreography->roles, sizeof *choreography->roles,
                         choreography->role_count, &choreography->role_capacity))
            return;
        role = &choreography->roles[choreography->role_count++];
    }
    PlayerKind player = player_of(entry->value);
    *role = (ConfigRole){entry->key, player, player == PLAYER_NODE ? entry->value : NULL, entry->line};
}

// `seen` has a line for each of own_keys.
static void apply_choreography(Builder *builder, ConfigChoreography *choreography, const ConfigEntry *entry, int *seen)
{
    size_t own = 0;
    while (own < 3 && strcmp(entry->key, own_keys[own]) != 0)
        own++;
    if (own == 3) {
        apply_role(builder, choreography, entry);
        return;
    }
    if (!builder_is_first(builder, entry, seen[own]))
        return;
    seen[own] = entry->line;
    const char *form = NULL;
    if (own == 0)
        choreography->home = entry->value;
    else if (own == 1)
        form = value_yes_no(entry->value, &choreography->is_shared);
    else if (strcmp(entry->value, "opener") == 0 || strcmp(entry->value, "own") == 0)
        choreography->takes_opener_arguments = entry->value[1] == 'p';
    else
        form = "'opener' (whoever opens a session gives its arguments) or 'own'";
    if (form != NULL)
        config_error(&builder->reader, entry->line, "'%s' must be %s; it is '%s'", entry->key, form, entry->value);
}

// A role is to be played by a node that nobody knows.
static void report_unknown_node(Builder *builder, const ConfigChoreography *choreography, const ConfigRole *role)
{
    const Config *config = &builder->config;
    char help[CONFIG_NAME_MAX + 32];
    size_t count = 0;
    const char **candidates = config_alloc(&builder->reader, (config->node_count + 4) * sizeof *candidates);
    if (candidates == NULL)
        return;
    for (size_t i = 0; i < config->node_count; i++)
        candidates[count++] = config->nodes[i].name;
    for (size_t i = 0; i < 3; i++)
        candidates[count++] = players[i];
    if (config->name != NULL)
        candidates[count++] = config->name;
    builder_suggestion(role->node, candidates, count, help, sizeof help);
    // "hom = Seller": the key was mistyped, not the node.
    const char *own = closest_name(role->role, own_keys, sizeof own_keys / sizeof own_keys[0]);
    const char *elsewhere = builder_section_of(role->role);
    if (elsewhere != NULL)
        config_error(&builder->reader, role->line, "'%s' does not belong in [%s]: put it in [%s]", role->role,
                     choreography->name, elsewhere);
    else if (own != NULL && help[0] == '\0')
        config_error(&builder->reader, role->line, "unknown key '%s' in [%s]; did you mean '%s'?", role->role,
                     choreography->name, own);
    else
        config_error(&builder->reader, role->line, "%s can't be played by '%s', which is not in [nodes]%s%s",
                     role->role, role->node,
                     help[0] == '\0' ? ": say there where it is, or write 'pool', 'any' or 'anonymous'" : "", help);
}

static void check_choreography(Builder *builder, const ConfigChoreography *choreography, int home_line)
{
    const Config *config = &builder->config;
    char help[CONFIG_NAME_MAX + 32];
    // Nodes may also be found through NATS, or in the directory of a database that many share.
    bool knows_all_nodes = !builder->is_unclear && config->carrier == NULL &&
                           (config->store == NULL || strncmp(config->store, "postgres", 8) != 0);
    for (size_t i = 0; i < choreography->role_count && knows_all_nodes; i++) {
        const ConfigRole *role = &choreography->roles[i];
        if (role->player == PLAYER_NODE && config_node(config, role->node) == NULL &&
            (config->name == NULL || strcmp(config->name, role->node) != 0))
            report_unknown_node(builder, choreography, role);
    }
    if (choreography->home == NULL || config_role(choreography, choreography->home) != NULL)
        return;
    const char **roles = config_alloc(&builder->reader, (choreography->role_count + 1) * sizeof *roles);
    if (roles == NULL)
        return;
    for (size_t i = 0; i < choreography->role_count; i++)
        roles[i] = choreography->roles[i].role;
    builder_suggestion(choreography->home, roles, choreography->role_count, help, sizeof help);
    config_error(&builder->reader, home_line, "the home '%s' is not a role of this section%s%s", choreography->home,
                 help[0] == '\0' ? ": say which node plays it" : "", help);
}

void builder_choreography(Builder *builder, const char *name, int line)
{
    int seen[3] = {0};
    ConfigChoreography *choreography = choreography_of(builder, name, line);
    for (size_t i = 0; i < builder->reader.entry_count && choreography != NULL; i++) {
        const ConfigEntry *entry = &builder->reader.entries[i];
        // The names of sections of the file are compared by address: a section that was refused has the same text.
        if (entry->section == name || (builder_is_setting(entry) && strcmp(entry->section, name) == 0))
            apply_choreography(builder, choreography, entry, seen);
    }
    if (choreography != NULL)
        check_choreography(builder, choreography, seen[0]);
}
