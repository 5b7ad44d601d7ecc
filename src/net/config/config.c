// config.c: gives the entries of a configuration their meaning, and finds what is wrong with them.

#define _GNU_SOURCE

#include "net/config/config.h"

#include "base/similar.h"
#include "net/config/address.h"
#include "net/config/builder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef enum {
    KIND_NAME,
    KIND_TEXT,
    KIND_LISTEN,
    KIND_STORE,
    KIND_CARRIER,
    KIND_TIME,
    KIND_SIZE,
    KIND_COUNT,
    KIND_YES_NO
} Kind;

typedef struct {
    const char *section, *key;
    Kind kind;
    size_t offset;        // of the member of Config
    uint64_t least, most; // of numbers
    const char *range;    // the same in the user's words
} Key;

#define LIMIT(member) offsetof(Config, limits.member)
#define TIME_RANGE 1, UINT64_C(366) * 86400000, "between 1ms and 366d"
#define GIGABYTE (UINT64_C(1) << 30)

static const Key keys[] = {
    {"node", "name", KIND_NAME, offsetof(Config, name), 0, 0, NULL},
    {"node", "listen", KIND_LISTEN, offsetof(Config, listen), 0, 0, NULL},
    {"node", "certs", KIND_TEXT, offsetof(Config, certs), 0, 0, NULL},
    {"node", "store", KIND_STORE, offsetof(Config, store), 0, 0, NULL},
    {"node", "carrier", KIND_CARRIER, offsetof(Config, carrier), 0, 0, NULL},
    {"node", "carrier_ca", KIND_TEXT, offsetof(Config, carrier_ca), 0, 0, NULL},
    {"node", "carrier_cert", KIND_TEXT, offsetof(Config, carrier_cert), 0, 0, NULL},
    {"node", "carrier_key", KIND_TEXT, offsetof(Config, carrier_key), 0, 0, NULL},
    {"node", "carrier_credentials", KIND_TEXT, offsetof(Config, carrier_credentials), 0, 0, NULL},
    {"node", "carrier_user", KIND_TEXT, offsetof(Config, carrier_user), 0, 0, NULL},
    {"node", "carrier_password", KIND_TEXT, offsetof(Config, carrier_password), 0, 0, NULL},
    {"limits", "keepalive", KIND_TIME, LIMIT(keepalive_ms), TIME_RANGE},
    {"limits", "hold", KIND_TIME, LIMIT(hold_ms), TIME_RANGE},
    {"limits", "suspect", KIND_TIME, LIMIT(suspect_ms), TIME_RANGE},
    {"limits", "absent", KIND_TIME, LIMIT(absent_ms), TIME_RANGE},
    {"limits", "handshake", KIND_TIME, LIMIT(handshake_ms), TIME_RANGE},
    {"limits", "keep", KIND_TIME, LIMIT(keep_ms), 0, UINT64_C(36600) * 86400000, "at most 36600d"},
    {"limits", "message_max", KIND_SIZE, LIMIT(message_max), 1, GIGABYTE, "between 1 and 1G"},
    {"limits", "window", KIND_SIZE, LIMIT(window), 1, GIGABYTE, "between 1 and 1G"},
    {"limits", "window_messages", KIND_COUNT, LIMIT(window_messages), 1, UINT32_MAX, "between 1 and 4294967295"},
    {"limits", "link_buffer", KIND_SIZE, LIMIT(link_buffer), 1 << 16, GIGABYTE, "between 64K and 1G"},
    {"limits", "sessions_max", KIND_COUNT, LIMIT(sessions_max), 1, UINT32_MAX, "between 1 and 4294967295"},
    {"limits", "relay", KIND_YES_NO, LIMIT(relay), 0, 0, NULL},
};
enum { KEY_COUNT = sizeof keys / sizeof keys[0] };
_Static_assert((int)KEY_COUNT <= (int)BUILDER_KEYS_MAX, "each key has a line");

static const ConfigLimits default_limits = {
    .keepalive_ms = 1000,
    .hold_ms = 3000,
    .suspect_ms = 5000,
    .absent_ms = 60000,
    .handshake_ms = 5000,
    .keep_ms = 86400000,
    .message_max = 16 << 20,
    .window = 256 << 10,
    .link_buffer = 4 << 20,
    .window_messages = 4096,
    .sessions_max = 10000,
    .relay = true,
};

static const char *const section_names[] = {"node", "nodes", "limits"};
enum { SECTION_COUNT = sizeof section_names / sizeof section_names[0] };
// ---- small helpers ----

static bool is_known_section(const char *name)
{
    for (size_t i = 0; i < SECTION_COUNT; i++)
        if (strcmp(name, section_names[i]) == 0)
            return true;
    return false;
}

static const Key *find_key(const char *section, const char *name)
{
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (strcmp(keys[i].key, name) == 0 && (section[0] == '\0' || strcmp(keys[i].section, section) == 0))
            return &keys[i];
    return NULL;
}

// ---- [node] and [limits] ----

static const char *check_store(const char *value)
{
    bool is_good = strcmp(value, "none") == 0 || (strncmp(value, "sqlite:", 7) == 0 && value[7] != '\0') ||
                   strncmp(value, "postgresql://", 13) == 0 || strncmp(value, "postgres://", 11) == 0;
    return is_good ? NULL : "'sqlite:FILE', 'postgresql://USER@HOST/DATABASE' or 'none'";
}

// One server, or several of a cluster: nats://a:4222,b:4222.
static const char *check_carrier(const char *value)
{
    static const char form[] = "'nats://HOST:4222', or 'nats://HOST:4222,HOST:4222' with up to 16 servers of a cluster";
    char text[ADDRESS_TEXT_SIZE];
    Address address;
    size_t count = 0;
    if (strncmp(value, "nats://", 7) != 0)
        return form;
    for (const char *at = value + 7;; at++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof text || ++count > CONFIG_SERVERS_MAX)
            return form;
        memcpy(text, at, length);
        text[length] = '\0';
        if (address_parse(text, &address) != NULL || address.port == 0)
            return form;
        at += length;
        if (*at == '\0')
            return NULL;
    }
}

// NULL: the number was set.
static const char *set_number(Builder *builder, const Key *key, const char *value)
{
    uint64_t number;
    const char *form = key->kind == KIND_TIME   ? value_duration_ms(value, &number)
                       : key->kind == KIND_SIZE ? value_size(value, &number)
                                                : value_count(value, &number);
    if (form != NULL)
        return form;
    if (number < key->least || number > key->most)
        return key->range;
    memcpy((char *)&builder->config + key->offset, &number, sizeof number);
    return NULL;
}

// NULL: it was set. Otherwise what the value should be.
static const char *set_value(Builder *builder, const Key *key, const char *value)
{
    bool *answer = (bool *)((char *)&builder->config + key->offset);
    const char *form = NULL;
    switch (key->kind) {
    case KIND_NAME:
        form = config_is_node_name(value)
                   ? NULL
                   : "a name of at most 64 letters, digits, '.', '-' and '_', which begins with a letter "
                     "or digit";
        break;
    case KIND_TEXT:
        form = value[0] != '\0' ? NULL : "something";
        break;
    case KIND_STORE:
        form = check_store(value);
        break;
    case KIND_CARRIER:
        form = check_carrier(value);
        break;
    case KIND_LISTEN:
        break;
    case KIND_YES_NO:
        return value_yes_no(value, answer);
    case KIND_TIME:
    case KIND_SIZE:
    case KIND_COUNT:
        return set_number(builder, key, value);
    }
    if (form == NULL)
        memcpy((char *)&builder->config + key->offset, &value, sizeof value);
    return form;
}

static void add_denied(Builder *builder, const ConfigEntry *entry)
{
    Config *config = &builder->config;
    if (!config_is_node_name(entry->value)) {
        config_error(&builder->reader, entry->line, "'deny' names one node; '%s' is not the name of a node",
                     entry->value);
        return;
    }
    if (config_grow(&builder->reader, (void **)&config->denied, sizeof *config->denied, config->denied_count,
                    &builder->denied_capacity))
        config->denied[config->denied_count++] = entry->value;
}

const char *builder_section_of(const char *key)
{
    const Key *known = find_key("", key);
    return strcmp(key, "deny") == 0 ? "node" : known != NULL ? known->section : NULL;
}

static void report_unknown_key(Builder *builder, const ConfigEntry *entry)
{
    const char *candidates[KEY_COUNT + 1];
    char help[CONFIG_NAME_MAX + 32];
    size_t count = 0;
    const char *elsewhere = builder_section_of(entry->key);
    if (entry->section[0] != '\0' && elsewhere != NULL) {
        config_error(&builder->reader, entry->line, "'%s' does not belong in [%s]: put it in [%s]", entry->key,
                     entry->section, elsewhere);
        return;
    }
    for (size_t i = 0; i < KEY_COUNT; i++)
        if (entry->section[0] == '\0' || strcmp(keys[i].section, entry->section) == 0)
            candidates[count++] = keys[i].key;
    if (strcmp(entry->section, "limits") != 0)
        candidates[count++] = "deny";
    builder_suggestion(entry->key, candidates, count, help, sizeof help);
    if (entry->section[0] == '\0')
        config_error(&builder->reader, entry->line, "unknown '%s'%s", entry->key, help);
    else
        config_error(&builder->reader, entry->line, "unknown key '%s' in [%s]%s", entry->key, entry->section, help);
}

static void apply_key(Builder *builder, const ConfigEntry *entry)
{
    const Key *key = find_key(entry->section, entry->key);
    if (strcmp(entry->key, "deny") == 0 && strcmp(entry->section, "limits") != 0) {
        add_denied(builder, entry);
        return;
    }
    if (key == NULL) {
        builder->has_unknown_keys = true;
        report_unknown_key(builder, entry);
        return;
    }
    int *line = &builder->lines[key - keys];
    if (!builder_is_first(builder, entry, *line))
        return;
    *line = entry->line;
    Address address;
    const char *wrong = key->kind == KIND_LISTEN ? address_parse(entry->value, &address) : NULL;
    if (wrong != NULL) {
        builder->is_wrong[key - keys] = true;
        config_error(&builder->reader, entry->line, "'%s' can't be listened at: it %s", entry->value, wrong);
        return;
    }
    const char *form = set_value(builder, key, entry->value);
    builder->is_wrong[key - keys] = form != NULL;
    if (form != NULL)
        config_error(&builder->reader, entry->line, "'%s' must be %s; it is '%s'", entry->key, form, entry->value);
}

// ---- sections ----

static bool is_entry_of(const char *section, const ConfigEntry *entry)
{
    Address address;
    return strcmp(section, "nodes") == 0 ? address_parse(entry->value, &address) == NULL
                                         : find_key(section, entry->key) != NULL;
}

// "[limit]" with a key of [limits] in it, "[nods]" with addresses: not a choreography, but this. NULL: it is one.
static const char *section_meant(const Builder *builder, const ConfigSection *section)
{
    for (size_t i = 0; i < SECTION_COUNT; i++)
        for (size_t j = 0; closest_name(section->name, &section_names[i], 1) && j < builder->reader.entry_count; j++)
            if (builder->reader.entries[j].section == section->name &&
                is_entry_of(section_names[i], &builder->reader.entries[j]))
                return section_names[i];
    return NULL;
}

// False: an error was reported, and the section's entries are left.
static bool check_section(Builder *builder, const ConfigSection *section)
{
    ConfigReader *reader = &builder->reader;
    for (size_t i = 0; &reader->sections[i] != section; i++) {
        if (strcmp(reader->sections[i].name, section->name) == 0) {
            config_error(reader, section->line, "there is a section [%s] in line %d already: put these lines there",
                         section->name, reader->sections[i].line);
            return false;
        }
    }
    if (is_known_section(section->name))
        return true;
    const char *meant = section_meant(builder, section);
    if (meant != NULL) {
        config_error(reader, section->line, "unknown section [%s]; did you mean [%s]?", section->name, meant);
        return false;
    }
    if (!value_is_identifier(section->name)) {
        config_error(
            reader, section->line,
            "'%s' is no section: there are [node], [nodes], [limits], and one with the name of each choreography",
            section->name);
        return false;
    }
    return true;
}

// ---- the whole ----

static void build_plain(Builder *builder, const char *section, bool is_nodes)
{
    for (size_t i = 0; i < builder->reader.entry_count; i++) {
        const ConfigEntry *entry = &builder->reader.entries[i];
        if (entry->section != section)
            continue;
        if (is_nodes)
            builder_node(builder, entry);
        else
            apply_key(builder, entry);
    }
}

// Settings for [node], [limits] and [nodes].
static void apply_settings(Builder *builder)
{
    for (size_t i = 0; i < builder->reader.entry_count; i++) {
        const ConfigEntry *entry = &builder->reader.entries[i];
        if (!builder_is_setting(entry))
            continue;
        if (strcmp(entry->section, "nodes") == 0)
            builder_node(builder, entry);
        else if (entry->section[0] == '\0' || is_known_section(entry->section))
            apply_key(builder, entry);
        else if (!value_is_identifier(entry->section))
            config_error(&builder->reader, entry->line, "'%s' is no section: write SECTION.KEY=VALUE", entry->section);
    }
}

static void build_choreographies(Builder *builder, const bool *is_good)
{
    const ConfigReader *reader = &builder->reader;
    for (size_t i = 0; i < reader->section_count; i++)
        if (is_good[i] && !is_known_section(reader->sections[i].name))
            builder_choreography(builder, reader->sections[i].name, reader->sections[i].line);
    // Those that only settings speak of.
    for (size_t i = 0; i < reader->entry_count; i++) {
        const ConfigEntry *entry = &reader->entries[i];
        if (builder_is_setting(entry) && value_is_identifier(entry->section) && !is_known_section(entry->section) &&
            config_choreography(&builder->config, entry->section) == NULL)
            builder_choreography(builder, entry->section, entry->line);
    }
}

// Where one of two values was said that don't go together.
static int line_of(const Builder *builder, const char *one, const char *other)
{
    int first = builder->lines[find_key("", one) - keys], second = builder->lines[find_key("", other) - keys];
    return first != 0 ? first : second;
}

static bool is_wrong(const Builder *builder, const char *key)
{
    return builder->is_wrong[find_key("", key) - keys];
}

static void check_limits(Builder *builder)
{
    if (builder->has_unknown_keys || builder->has_unclear_limits || is_wrong(builder, "keepalive") ||
        is_wrong(builder, "hold") || is_wrong(builder, "suspect"))
        return;
    const ConfigLimits *limits = &builder->config.limits;
    ConfigReader *reader = &builder->reader;
    if (limits->hold_ms >= limits->suspect_ms)
        config_error(reader, line_of(builder, "hold", "suspect"),
                     "'hold' (%llums) must be shorter than 'suspect' (%llums): a node must stop before others think "
                     "that it is lost",
                     (unsigned long long)limits->hold_ms, (unsigned long long)limits->suspect_ms);
    else if (limits->keepalive_ms >= limits->hold_ms)
        config_error(
            reader, line_of(builder, "keepalive", "hold"),
            "'keepalive' (%llums) must be shorter than 'hold' (%llums): a node would stop between two signs of life",
            (unsigned long long)limits->keepalive_ms, (unsigned long long)limits->hold_ms);
    else if (limits->keepalive_ms * 2 >= limits->suspect_ms)
        config_error(
            reader, line_of(builder, "keepalive", "suspect"),
            "'suspect' (%llums) must be longer than twice 'keepalive' (%llums): a broken connection must be replaced "
            "before its node is suspected",
            (unsigned long long)limits->suspect_ms, (unsigned long long)limits->keepalive_ms);
}

static int line_in_node(const Builder *builder, const char *key)
{
    return builder->lines[find_key("node", key) - keys];
}

// What goes only together with something else: the first of each row needs the second.
static void check_carrier_keys(Builder *builder)
{
    static const char *const needs[][2] = {
        {"carrier_ca", "carrier"},
        {"carrier_cert", "carrier_ca"},
        {"carrier_key", "carrier_cert"},
        {"carrier_cert", "carrier_key"},
        {"carrier_credentials", "carrier"},
        {"carrier_user", "carrier"},
        {"carrier_user", "carrier_password"},
        {"carrier_password", "carrier_user"},
    };
    if (builder->is_unclear || builder->has_unknown_keys)
        return; // What is missing may be what could not be understood.
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        int line = line_in_node(builder, needs[i][0]);
        if (line != 0 && line_in_node(builder, needs[i][1]) == 0)
            config_error(&builder->reader, line, "'%s' needs '%s', too", needs[i][0], needs[i][1]);
    }
}

static void check_node(Builder *builder)
{
    const Config *config = &builder->config;
    ConfigReader *reader = &builder->reader;
    int listen_line = builder->lines[find_key("node", "listen") - keys];
    int name_line = builder->lines[find_key("node", "name") - keys];
    int certs_line = builder->lines[find_key("node", "certs") - keys];
    int carrier_line = builder->lines[find_key("node", "carrier") - keys];
    if (listen_line != 0 && name_line == 0 && !builder->is_unclear && !builder->has_unknown_keys)
        config_error(reader, listen_line, "a node that listens needs a name: add 'name = NAME' to [node]");
    // What is missing may be what could not be understood.
    if (certs_line == 0 && !builder->is_unclear && !builder->has_unknown_keys)
        config_error(
            reader, 0,
            "[node] does not say where the certificates are: add 'certs = DIRECTORY' ('chorex certs init DIRECTORY' "
            "makes an authority, 'chorex certs node NAME' a certificate)");
    if (carrier_line != 0 && listen_line != 0)
        config_error(reader, listen_line, "with 'carrier' a node does not listen itself: remove 'listen' or 'carrier'");
    if (carrier_line != 0 && config->node_count > 0)
        config_error(reader, config->nodes[0].line,
                     "with 'carrier' nodes are found by their names: remove [nodes] or 'carrier'");
    check_carrier_keys(builder);
}

static void build(Builder *builder)
{
    ConfigReader *reader = &builder->reader;
    bool *is_good = config_alloc(reader, reader->section_count + 1);
    if (is_good == NULL)
        return;
    builder->is_unclear = reader->errors.count > 0;
    for (size_t i = 0; i < reader->section_count; i++) {
        is_good[i] = check_section(builder, &reader->sections[i]);
        const char *meant = closest_name(reader->sections[i].name, section_names, SECTION_COUNT);
        builder->is_unclear |= !is_good[i] && (meant == NULL || strcmp(meant, "limits") != 0);
        builder->has_unclear_limits |= !is_good[i];
    }
    for (size_t i = 0; i < reader->section_count; i++)
        if (is_good[i] && is_known_section(reader->sections[i].name))
            build_plain(builder, reader->sections[i].name, strcmp(reader->sections[i].name, "nodes") == 0);
    apply_settings(builder);
    check_node(builder);
    check_limits(builder);
    build_choreographies(builder, is_good);
}

static bool finish(Builder *builder, Config *config, ConfigErrors *errors)
{
    static ConfigError no_memory = {0, "there is no memory for the configuration"};
    ConfigReader *reader = &builder->reader;
    builder->config.memory = reader->memory;
    if (reader->errors.count == 0 && !reader->is_out_of_memory) {
        config_errors_free(&reader->errors);
        *config = builder->config;
        return true;
    }
    config_free(&builder->config);
    if (reader->errors.count == 0) {
        config_errors_free(&reader->errors);
        reader->errors = (ConfigErrors){&no_memory, 1, NULL};
    }
    *errors = reader->errors;
    return false;
}

bool config_parse(const char *text, size_t size, const char *settings, Config *config, ConfigErrors *errors)
{
    Builder builder = {.config = {.limits = default_limits}};
    if (size > CONFIG_FILE_MAX)
        config_error(&builder.reader, 0, "this is larger than 1M: it is not a configuration");
    else
        entries_of_file(&builder.reader, text, size);
    if (settings != NULL)
        entries_of_settings(&builder.reader, settings);
    if (size <= CONFIG_FILE_MAX && !builder.reader.is_out_of_memory)
        build(&builder);
    return finish(&builder, config, errors);
}

// The file's text, to be freed; NULL: *error is set.
static char *read_text(const char *path, size_t *size, int *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = fd < 0 ? NULL : malloc(CONFIG_FILE_MAX + 1);
    size_t count = 0;
    ssize_t got = text == NULL ? -1 : 1;
    while (got > 0 && count <= CONFIG_FILE_MAX) {
        got = read(fd, text + count, CONFIG_FILE_MAX + 1 - count);
        if (got < 0 && errno == EINTR)
            got = 1;
        else if (got > 0)
            count += (size_t)got;
    }
    *error = errno;
    if (fd >= 0)
        close(fd);
    if (got < 0) {
        free(text);
        return NULL;
    }
    *size = count;
    return text;
}

bool config_read(const char *path, const char *settings, Config *config, ConfigErrors *errors)
{
    size_t size = 0;
    int error = 0;
    char *text = path == NULL ? NULL : read_text(path, &size, &error);
    if (path != NULL && text == NULL) {
        Builder builder = {.config = {.limits = default_limits}};
        config_error(&builder.reader, 0, "this configuration can't be read: %s", strerror(error));
        return finish(&builder, config, errors);
    }
    bool is_good = config_parse(text == NULL ? "" : text, size, settings, config, errors);
    free(text);
    return is_good;
}

const ConfigChoreography *config_choreography(const Config *config, const char *name)
{
    for (size_t i = 0; i < config->choreography_count; i++)
        if (strcmp(config->choreographies[i].name, name) == 0)
            return &config->choreographies[i];
    return NULL;
}

const ConfigRole *config_role(const ConfigChoreography *choreography, const char *role)
{
    for (size_t i = 0; i < choreography->role_count; i++)
        if (strcmp(choreography->roles[i].role, role) == 0)
            return &choreography->roles[i];
    return NULL;
}

const ConfigNode *config_node(const Config *config, const char *name)
{
    for (size_t i = 0; i < config->node_count; i++)
        if (strcmp(config->nodes[i].name, name) == 0)
            return &config->nodes[i];
    return NULL;
}

bool config_denies(const Config *config, const char *name)
{
    for (size_t i = 0; i < config->denied_count; i++)
        if (strcmp(config->denied[i], name) == 0)
            return true;
    return false;
}
