// table.c: which peers there are, by number, name, address and, for anonymous ones, incarnation.
//
// A number is the place of the peer in the table and how often that place was used. Places that were given up longest ago are used
// first, so a number comes again only after thousands of others.

#include "net/node/internal.h"

#include "base/check.h"

#include <stdlib.h>

enum { PLACE_BITS = 20, PLACES_MAX = 1 << PLACE_BITS, GENERATIONS = 1 << (32 - PLACE_BITS) };
enum { PLACE_FIRST = PEER_SELF + 1, CAPACITY_FIRST = 16 };

// ---- texts to peers ----

static uint64_t hash_of(const Table *table, const void *key, size_t size)
{
    const uint8_t *bytes = key;
    uint64_t hash = table->seed;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x9E3779B97F4A7C15) ^ hash >> 29;
    return hash ^ hash >> 32;
}

static Entry *index_find(const Index *index, uint64_t hash, const void *key, size_t size)
{
    Entry *entry = index->buckets[hash & (index->bucket_count - 1)];
    while (entry != NULL && (entry->hash != hash || entry->size != size || memcmp(entry->key, key, size) != 0))
        entry = entry->next;
    return entry;
}

// Twice as many buckets. Without memory it stays as it is, and gets slower.
static void index_grow(Index *index)
{
    size_t count = index->bucket_count * 2;
    Entry **buckets = calloc(count, sizeof(Entry *));
    if (buckets == NULL)
        return;
    for (size_t i = 0; i < index->bucket_count; i++)
        for (Entry *entry = index->buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            entry->next = buckets[entry->hash & (count - 1)];
            buckets[entry->hash & (count - 1)] = entry;
        }
    free(index->buckets);
    index->buckets = buckets;
    index->bucket_count = count;
}

static void index_add(Table *table, Index *index, Entry *entry, Peer *peer, const void *key, size_t size)
{
    if (index->count >= index->bucket_count)
        index_grow(index);
    *entry = (Entry){.hash = hash_of(table, key, size), .key = key, .size = size, .peer = peer};
    Entry **bucket = &index->buckets[entry->hash & (index->bucket_count - 1)];
    entry->next = *bucket;
    *bucket = entry;
    index->count++;
}

static void index_remove(Index *index, Entry *entry)
{
    if (entry->peer == NULL)
        return;
    Entry **at = &index->buckets[entry->hash & (index->bucket_count - 1)];
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    *entry = (Entry){0};
    index->count--;
}

static Peer *index_peer(const Table *table, const Index *index, const void *key, size_t size)
{
    const Entry *entry = index_find(index, hash_of(table, key, size), key, size);
    return entry == NULL ? NULL : entry->peer;
}

// ---- numbers to peers ----

bool table_init(Table *table, uint64_t seed)
{
    Index *indexes[] = {&table->names, &table->places, &table->incarnations};
    *table = (Table){.seed = seed};
    bool is_good = true;
    for (size_t i = 0; i < sizeof indexes / sizeof indexes[0]; i++) {
        indexes[i]->bucket_count = CAPACITY_FIRST;
        indexes[i]->buckets = calloc(CAPACITY_FIRST, sizeof(Entry *));
        is_good = is_good && indexes[i]->buckets != NULL;
    }
    return is_good;
}

void table_fini(Table *table)
{
    free(table->names.buckets);
    free(table->places.buckets);
    free(table->incarnations.buckets);
    free(table->items);
    free(table->generations);
    free(table->free);
}

static bool table_grow(Table *table)
{
    uint32_t capacity = table->capacity == 0 ? CAPACITY_FIRST : table->capacity * 2;
    if (capacity > PLACES_MAX)
        return false;
    // All or nothing: what has grown before another one could not does no harm.
    Peer **items = realloc(table->items, capacity * sizeof(Peer *));
    table->items = items != NULL ? items : table->items;
    uint16_t *generations = realloc(table->generations, capacity * sizeof(uint16_t));
    table->generations = generations != NULL ? generations : table->generations;
    uint32_t *free_places = malloc(capacity * sizeof(uint32_t));
    if (items == NULL || generations == NULL || free_places == NULL) {
        free(free_places);
        return false;
    }
    CHECK(table->free_count == 0);
    for (uint32_t i = table->capacity < PLACE_FIRST ? PLACE_FIRST : table->capacity; i < capacity; i++)
        free_places[table->free_count++] = i;
    memset(items + table->capacity, 0, (capacity - table->capacity) * sizeof(Peer *));
    memset(generations + table->capacity, 0, (capacity - table->capacity) * sizeof(uint16_t));
    free(table->free);
    table->free = free_places;
    table->free_first = 0;
    table->capacity = capacity;
    return true;
}

static bool table_add(Table *table, Peer *peer)
{
    if (table->free_count == 0 && !table_grow(table))
        return false;
    uint32_t place = table->free[table->free_first];
    table->free_first = (table->free_first + 1) % table->capacity;
    table->free_count--;
    table->items[place] = peer;
    table->count++;
    peer->number = (uint32_t)table->generations[place] << PLACE_BITS | place;
    return true;
}

static void table_remove(Table *table, const Peer *peer)
{
    uint32_t place = peer->number & (PLACES_MAX - 1);
    table->items[place] = NULL;
    table->generations[place] = (uint16_t)((table->generations[place] + 1) % GENERATIONS);
    table->free[(table->free_first + table->free_count++) % table->capacity] = place;
    table->count--;
}

static Peer *table_exact(const Table *table, uint32_t number)
{
    uint32_t place = number & (PLACES_MAX - 1);
    Peer *peer = place < table->capacity ? table->items[place] : NULL;
    return peer != NULL && peer->number == number ? peer : NULL;
}

Peer *table_peer(const Table *table, uint32_t number)
{
    if (number <= PEER_SELF)
        return NULL;
    Peer *peer = table_exact(table, number);
    return peer == NULL || peer->as == 0 ? peer : table_exact(table, peer->as);
}

Peer *table_named(const Table *table, WireSpan name)
{
    return index_peer(table, &table->names, name.data, name.size);
}

Peer *table_placed(const Table *table, WireSpan address)
{
    return index_peer(table, &table->places, address.data, address.size);
}

Peer *table_incarnated(const Table *table, const WireId *incarnation)
{
    return index_peer(table, &table->incarnations, incarnation, sizeof *incarnation);
}

// ---- peers come and go ----

static char *copy_text(WireSpan text)
{
    char *copy = malloc(text.size + 1);
    if (copy != NULL) {
        if (text.size > 0)
            memcpy(copy, text.data, text.size);
        copy[text.size] = '\0';
    }
    return copy;
}

static void peer_timer(Timer *timer, uint64_t now_ns)
{
    Peer *peer = (Peer *)(void *)((char *)timer - offsetof(Peer, timer));
    Peers *peers = peer->peers;
    const ConfigLimits *limits = &peers->config->limits;
    if (peer->bond == NULL && peer->as <= PEER_SELF) {
        seek_timer(peer, now_ns);
        return;
    }
    uint64_t movement = peer->bond != NULL ? bond_movement(peer->bond) : 0;
    bool has_moved = movement != peer->movement && !peer->is_anonymous;
    peer->movement = movement;
    bool is_needed = has_moved;
    if (!has_moved && peers->handlers->is_needed != NULL)
        is_needed = peers->handlers->is_needed(peers->context, peer->number);
    if (is_needed) {
        uint64_t wait_ms = peer->is_anonymous ? limits->absent_ms : limits->keep_ms;
        timer_set(&peers->timers, &peer->timer, now_ns + wait_ms * 1000000);
        return;
    }
    if (peer->bond != NULL)
        bond_release(peer->bond, peer->is_anonymous ? "it has not come back" : "nobody needs it any more", now_ns);
    else
        peer_forget(peer);
}

static Peer *peer_new(Peers *peers)
{
    Peer *peer = calloc(1, sizeof *peer);
    if (peer == NULL || !timers_promise(&peers->timers)) {
        free(peer);
        return NULL;
    }
    peer->peers = peers;
    peer->timer.run = peer_timer;
    if (table_add(&peers->table, peer))
        return peer;
    timers_release(&peers->timers);
    free(peer);
    return NULL;
}

void peer_free(Peer *peer)
{
    Peers *peers = peer->peers;
    Table *table = &peers->table;
    index_remove(&table->names, &peer->by_name);
    index_remove(&table->places, &peer->by_place);
    index_remove(&table->incarnations, &peer->by_incarnation);
    table_remove(table, peer);
    timer_set(&peers->timers, &peer->timer, UINT64_MAX);
    timers_release(&peers->timers);
    if (peer->is_anonymous)
        peers->anonymous_count--;
    if (peer->seek != NULL)
        line_close(peer->seek);
    relay_drop(peer, "the node is not needed any more");
    if (peer->bond != NULL) {
        ways_close(peer->bond);
        peer->bond->peer = NULL;
        bond_pend(peer->bond);
    }
    outbox_fini(&peer->outbox);
    free(peer->name);
    free(peer->address);
    free(peer->place);
    free(peer->identity_memory);
    free(peer);
}

void peer_forget(Peer *peer)
{
    Peers *peers = peer->peers;
    while (peer->aliases != NULL) {
        Peer *alias = peer->aliases;
        peer->aliases = alias->next_alias;
        peer_forget(alias);
    }
    if (peers->handlers->forgotten != NULL)
        peers->handlers->forgotten(peers->context, peer->number);
    peer_free(peer);
}

Peer *peer_new_named(Peers *peers, WireSpan name)
{
    Peer *peer = peer_new(peers);
    if (peer == NULL)
        return NULL;
    peer->name = copy_text(name);
    peer->bond = peer->name == NULL ? NULL : bond_new(peers, peer);
    if (peer->bond == NULL) {
        peer_free(peer);
        return NULL;
    }
    index_add(&peers->table, &peers->table.names, &peer->by_name, peer, peer->name, name.size);
    timer_set(&peers->timers, &peer->timer, peers_now(peers) + peers->config->limits.keep_ms * 1000000);
    return peer;
}

Peer *peer_new_placed(Peers *peers, WireSpan address)
{
    Peer *peer = peer_new(peers);
    if (peer == NULL)
        return NULL;
    peer->place = copy_text(address);
    peer->address = copy_text(address);
    if (peer->place == NULL || peer->address == NULL) {
        peer_free(peer);
        return NULL;
    }
    index_add(&peers->table, &peers->table.places, &peer->by_place, peer, peer->place, address.size);
    return peer;
}

Peer *peer_new_anonymous(Peers *peers, const WireId *incarnation)
{
    Peer *peer = peer_new(peers);
    if (peer == NULL)
        return NULL;
    peer->is_anonymous = true;
    peers->anonymous_count++;
    peer->incarnation = *incarnation;
    peer->bond = bond_new(peers, peer);
    if (peer->bond == NULL) {
        peer_free(peer);
        return NULL;
    }
    index_add(&peers->table, &peers->table.incarnations, &peer->by_incarnation, peer, &peer->incarnation,
              sizeof peer->incarnation);
    return peer;
}

bool peer_set_name(Peer *peer, const char *name)
{
    Peers *peers = peer->peers;
    peer->name = copy_text(wire_text(name));
    peer->bond = peer->name == NULL ? NULL : bond_new(peers, peer);
    if (peer->bond == NULL) {
        free(peer->name);
        peer->name = NULL;
        return false;
    }
    index_add(&peers->table, &peers->table.names, &peer->by_name, peer, peer->name, strlen(name));
    timer_set(&peers->timers, &peer->timer, peers_now(peers) + peers->config->limits.keep_ms * 1000000);
    return true;
}

bool peer_set_address(Peer *peer, WireSpan address)
{
    bool is_same = peer->address != NULL
                       ? strlen(peer->address) == address.size && memcmp(peer->address, address.data, address.size) == 0
                       : address.size == 0;
    if (is_same)
        return true;
    char *copy = address.size == 0 ? NULL : copy_text(address);
    if (copy == NULL && address.size > 0)
        return false;
    free(peer->address);
    peer->address = copy;
    if (peer->bond != NULL) {
        link_set_may_dial(&peer->bond->link, copy != NULL, peers_now(peer->peers));
        bond_pend(peer->bond);
    }
    return true;
}

// ---- certificates ----

static char *put_text(char *at, const char *text, const char **copy)
{
    size_t size = strlen(text) + 1;
    memcpy(at, text, size);
    *copy = at;
    return at + size;
}

bool peer_identify(Peer *peer, const TlsPeer *identity)
{
    bool is_same = peer->identity_memory != NULL &&
                   memcmp(peer->identity.fingerprint, identity->fingerprint, sizeof identity->fingerprint) == 0;
    if (is_same || identity->name == NULL)
        return true;
    size_t size = identity->role_count * sizeof(TlsRole);
    for (size_t i = 0; i < identity->role_count; i++)
        size += strlen(identity->roles[i].choreography) + strlen(identity->roles[i].role) + 2;
    TlsRole *roles = malloc(size + 1);
    if (roles == NULL)
        return false;
    char *at = (char *)(roles + identity->role_count);
    for (size_t i = 0; i < identity->role_count; i++) {
        at = put_text(at, identity->roles[i].choreography, &roles[i].choreography);
        at = put_text(at, identity->roles[i].role, &roles[i].role);
    }
    free(peer->identity_memory);
    peer->identity_memory = roles;
    peer->identity = *identity;
    peer->identity.name = peer->name;
    peer->identity.roles = roles;
    return true;
}
