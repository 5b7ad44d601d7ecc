// config.h: what a node's configuration file says.
//
// A file has sections: [node] about this node, [nodes] where others are, [limits], and one for each choreography, which says who
// plays its roles. A section has lines of `key = value`; several may stand in one line, a value with spaces in it stands in
// quotes, and # begins a comment. A string of settings ("suspect=2s,listen=127.0.0.1:0") can be given besides: it goes before
// the file.
//
// All mistakes of a file are found at once, and each is reported once, with its line. Used by the node when it is opened and
// when it is told to read its configuration again.

#ifndef NET_CONFIG_CONFIG_H
#define NET_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONFIG_NAME_MAX = 64 };         // of a node
enum { CONFIG_FILE_MAX = 1 << 20 };    // bytes
enum { CONFIG_SERVERS_MAX = 16 };      // of a carrier
enum { CONFIG_ERRORS_MAX = 100 };      // what comes after that is not reported
enum { CONFIG_LINE_OF_SETTINGS = -1 }; // an error in the settings that were given besides the file

typedef struct {
    uint64_t keepalive_ms, hold_ms, suspect_ms, absent_ms, handshake_ms, keep_ms;
    uint64_t message_max, window, link_buffer; // bytes
    uint64_t window_messages, sessions_max;
    bool relay;
} ConfigLimits;

typedef struct {
    const char *name, *address;
    int line;
} ConfigNode;

typedef enum {
    PLAYER_NODE,      // the node of this name
    PLAYER_POOL,      // any node that has offered it
    PLAYER_ANY,       // any node with a certificate for it
    PLAYER_ANONYMOUS, // anybody
} PlayerKind;

typedef struct {
    const char *role;
    PlayerKind player;
    const char *node; // NULL, except for PLAYER_NODE
    int line;
} ConfigRole;

typedef struct {
    const char *name;
    int line;
    const char *home; // a role; NULL: the first that is served, else the first
    bool is_shared;   // a session's name means the same to everybody, not only to whoever opened it
    bool takes_opener_arguments;
    ConfigRole *roles;
    size_t role_count, role_capacity;
} ConfigChoreography;

typedef struct ConfigMemory ConfigMemory;

typedef struct {
    // NULL: not said. Without a name a node has no certificate of its own: others don't know who it is.
    const char *name, *listen, *certs, *store, *carrier;
    // How the carrier's server knows this node, and this node the server: files, except for the user's name.
    const char *carrier_ca, *carrier_cert, *carrier_key, *carrier_credentials, *carrier_user, *carrier_password;
    const char **denied; // names of nodes that are refused although their certificates are valid
    size_t denied_count;
    ConfigNode *nodes;
    size_t node_count;
    ConfigChoreography *choreographies;
    size_t choreography_count;
    ConfigLimits limits;
    ConfigMemory *memory; // holds all of the above
} Config;

typedef struct {
    int line; // 0: the file as a whole; CONFIG_LINE_OF_SETTINGS
    const char *text;
} ConfigError;

typedef struct {
    ConfigError *items; // in the order of the lines
    size_t count;
    ConfigMemory *memory;
} ConfigErrors;

// True: *config is set, and is freed with config_free. False: *errors is set, has at least one error (also when the file can't be
// read), and is freed with config_errors_free. `settings` may be NULL; `path` too: then there are only settings.
bool config_read(const char *path, const char *settings, Config *config, ConfigErrors *errors);
// The same for text that is not in a file.
bool config_parse(const char *text, size_t size, const char *settings, Config *config, ConfigErrors *errors);
void config_free(Config *config);
void config_errors_free(ConfigErrors *errors);
// "chorex.conf:12: what is wrong", NUL-terminated, cut if there is no room; as snprintf, what it would have needed.
int config_error_format(const ConfigError *error, const char *path, char *text, size_t size);

// Letters, digits, '.', '-' and '_', beginning with a letter or digit: safe in files' names, certificates and logs.
bool config_is_node_name(const char *name);

// NULL: there is none of this name.
const ConfigChoreography *config_choreography(const Config *config, const char *name);
const ConfigRole *config_role(const ConfigChoreography *choreography, const char *role);
const ConfigNode *config_node(const Config *config, const char *name);
// The name of a node that may have been meant; NULL: none is similar.
const char *config_closest_node(const Config *config, const char *name);
bool config_denies(const Config *config, const char *name);

#endif
