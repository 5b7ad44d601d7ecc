// known.c: choreographies that the program has named: who may play their roles, and where their homes are.

#include "net/node/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

Known *known_find(chx_node *node, WireSpan name, uint64_t protocol)
{
    Known *found = NULL;
    for (Known *known = node->known; known != NULL; known = known->next) {
        if (!span_is(name, known->choreography->name))
            continue;
        if (known->choreography->protocol_digest == protocol)
            return known;
        found = known;
    }
    return found;
}

bool known_is(const Known *known, uint64_t protocol)
{
    return known != NULL && known->choreography->protocol_digest == protocol;
}

// HELLO says which choreographies the program has, and their digests, as far as there is room: `chorex ping` shows it.
static void known_tell(chx_node *node)
{
    char text[WIRE_NAME_MAX + 1] = CHX_VERSION;
    size_t size = strlen(text);
    for (const Known *known = node->known; known != NULL; known = known->next) {
        const chx_choreography *choreography = known->choreography;
        size_t room = sizeof text - size;
        int wanted = snprintf(text + size, room, " %s=%016" PRIx64, choreography->name, choreography->protocol_digest);
        if (wanted < 0 || (size_t)wanted >= room) {
            text[size] = '\0';
            break;
        }
        size += (size_t)wanted;
    }
    peers_set_build(node->peers, text);
}

Known *known_add(chx_node *node, const chx_choreography *choreography)
{
    Known *known = known_find(node, wire_text(choreography->name), choreography->protocol_digest);
    if (known_is(known, choreography->protocol_digest))
        return known;
    known = calloc(1, sizeof *known);
    HomeChoreography about = {.name = choreography->name,
                              .roles = choreography->roles,
                              .role_count = choreography->role_count,
                              .protocol = choreography->protocol_digest,
                              .blocks = choreography->blocks,
                              .block_count = choreography->block_count};
    if (known == NULL)
        return NULL;
    known->over = calloc(choreography->definition_count + 1, sizeof *known->over);
    if (known->over == NULL || !home_table_init(&known->table, &about, &node->memory)) {
        free(known->over);
        free(known);
        return NULL;
    }
    known->choreography = choreography;
    known->next = node->known;
    node->known = known;
    known_tell(node);
    homes_answer_waiting(node, known);
    return known;
}

void known_free(chx_node *node)
{
    for (Known *known = node->known, *next; known != NULL; known = next) {
        next = known->next;
        home_table_fini(&known->table);
        for (size_t i = 0; i < known->choreography->definition_count; i++)
            numbers_free(known->over[i]);
        free(known->over);
        free(known);
    }
    node->known = NULL;
}

int known_role(const Known *known, WireSpan name)
{
    for (size_t i = 0; i < known->choreography->role_count; i++)
        if (span_is(name, known->choreography->roles[i]))
            return (int)i;
    return -1;
}

int known_definition(const Known *known, WireSpan name)
{
    for (size_t i = 0; i < known->choreography->definition_count; i++)
        if (span_is(name, known->choreography->definitions[i].name))
            return (int)i;
    return -1;
}

static bool sends_to(const chx_choreography *choreography, unsigned from, unsigned to)
{
    size_t low = 0, high = choreography->channel_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const unsigned *pair = &choreography->channels[2 * middle];
        if (pair[0] < from || (pair[0] == from && pair[1] < to))
            low = middle + 1;
        else
            high = middle;
    }
    return low < choreography->channel_count && choreography->channels[2 * low] == from &&
           choreography->channels[2 * low + 1] == to;
}

bool known_has_channel(const Known *known, unsigned one, unsigned other)
{
    const chx_choreography *choreography = known->choreography;
    return choreography->channels == NULL || sends_to(choreography, one, other) || sends_to(choreography, other, one);
}

bool known_has_part(const chx_definition *definition, unsigned role)
{
    bool is_named = definition->participant_count == 0;
    for (uint32_t i = 0; i < definition->participant_count; i++)
        is_named |= definition->participants[i] == role;
    return is_named;
}

static const ConfigRole *role_config(const chx_node *node, const Known *known, unsigned role)
{
    const ConfigChoreography *section = config_choreography(&node->config, known->choreography->name);
    return section != NULL ? config_role(section, known->choreography->roles[role]) : NULL;
}

// The one that the configuration names, else the first that is played by a certain node, else the first.
unsigned known_home_role(const chx_node *node, const Known *known)
{
    const ConfigChoreography *section = config_choreography(&node->config, known->choreography->name);
    int named = section != NULL && section->home != NULL ? known_role(known, wire_text(section->home)) : -1;
    if (named >= 0)
        return (unsigned)named;
    for (unsigned i = 0; i < known->choreography->role_count; i++) {
        const ConfigRole *role = role_config(node, known, i);
        if (role != NULL && role->player == PLAYER_NODE)
            return i;
    }
    return 0;
}

uint32_t known_home(chx_node *node, const Known *known, char *why, size_t why_size)
{
    unsigned index = known_home_role(node, known);
    const ConfigRole *role = role_config(node, known, index);
    const char *name = known->choreography->roles[index];
    if (role == NULL || role->player != PLAYER_NODE) {
        snprintf(why, why_size,
                 "the configuration does not say on which node %s runs, which decides about sessions of %s: add '%s = "
                 "NODE' to its section [%s]",
                 name, known->choreography->name, name, known->choreography->name);
        return PEER_NONE;
    }
    uint32_t number = peers_find(node->peers, wire_text(role->node), (WireSpan){0});
    if (number == PEER_NONE)
        snprintf(why, why_size, "out of memory");
    return number;
}

bool known_is_placed(const chx_node *node, const Known *known, unsigned role)
{
    const ConfigRole *config = role_config(node, known, role);
    return config != NULL && config->player == PLAYER_NODE;
}

static bool allows_name(const ConfigRole *role, const PeerAbout *about, bool is_self, const char *own)
{
    const char *name = is_self ? own : about->name;
    return role->player != PLAYER_NODE || (name != NULL && strcmp(name, role->node) == 0);
}

bool known_is_configured(const chx_node *node, const Known *known, unsigned role)
{
    return role_config(node, known, role) != NULL;
}

bool known_allows(chx_node *node, const Known *known, unsigned role, uint32_t peer, char *why, size_t why_size)
{
    if (known_is_configured(node, known, role))
        return known_allows_cast(node, known, role, peer, why, why_size);
    snprintf(why, why_size, "the configuration does not say who may play %s of %s", known->choreography->roles[role],
             known->choreography->name);
    return false;
}

bool known_allows_cast(chx_node *node, const Known *known, unsigned role, uint32_t peer, char *why, size_t why_size)
{
    const chx_choreography *choreography = known->choreography;
    const ConfigRole *config = role_config(node, known, role);
    PeerAbout about = {0};
    bool is_self = peer == PEER_SELF;
    const char *name = choreography->roles[role], *who;
    if (!is_self && !peers_about(node->peers, peer, &about))
        return false;
    who = is_self ? node->config.name : about.name != NULL ? about.name : "a node without a certificate";
    if (config != NULL && !allows_name(config, &about, is_self, node->config.name)) {
        snprintf(why, why_size, "%s of %s is played by node %s, not by %s", name, choreography->name, config->node,
                 who != NULL ? who : "a node without a name");
        return false;
    }
    if (is_self || (config != NULL && config->player == PLAYER_ANONYMOUS))
        return true;
    if (!peers_may_play(node->peers, peer, choreography->name, name)) {
        snprintf(why, why_size, "the certificate of %s is not for the role %s/%s", who, choreography->name, name);
        return false;
    }
    return true;
}

// Whoever has a certificate for the role Monitor, for which the configuration may have a line as for any role; the node that the
// configuration names; or, if it leaves open on which node the home is, whoever has a certificate for that role.
bool known_may_open(chx_node *node, const Known *known, const NodePeer *home, uint32_t peer, char *why, size_t why_size)
{
    const char *name = known->choreography->name;
    const ConfigChoreography *section = config_choreography(&node->config, name);
    const ConfigRole *monitor = section != NULL ? config_role(section, "Monitor") : NULL;
    const ConfigRole *decider = role_config(node, known, known_home_role(node, known));
    PeerAbout about = {0};
    if (peer == PEER_SELF || (home != NULL && home->number == peer))
        return true;
    if (!peers_about(node->peers, peer, &about))
        return false;
    if (peers_may_play(node->peers, peer, name, "Monitor")) {
        if (monitor == NULL || allows_name(monitor, &about, false, NULL))
            return true;
        snprintf(why, why_size, "sessions of %s are started by node %s, not by %s", name, monitor->node, about.name);
        return false;
    }
    if (section != NULL && section->home != NULL && decider != NULL && decider->player == PLAYER_ANY &&
        peers_may_play(node->peers, peer, name, section->home))
        return true;
    snprintf(why, why_size, "the certificate of %s is not for %s/Monitor, so it can't start sessions of %s here",
             about.name != NULL ? about.name : "the caller, who has none,", name, name);
    return false;
}
