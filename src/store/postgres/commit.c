// commit.c: all changes of a commit in one transaction: as a rule one statement, which goes to the server and back once.

#include "store/chunk.h"
#include "store/postgres/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCH_BYTES = 64 << 20,   // of one statement, unless a session alone has more
    SESSION_BYTES = 900 << 20 // PostgreSQL takes no value of 1 GiB
};

// A change, in the order in which sessions are locked; the second change of a session is of round 1, and so on.
typedef struct {
    chx_store_change *change;
    size_t position, round;
} Item;

static int compare_keys(const chx_store_key *one, const chx_store_key *other)
{
    int order = strcmp(one->choreography, other->choreography);
    order = order != 0 ? order : strcmp(one->space, other->space);
    return order != 0 ? order : strcmp(one->name, other->name);
}

static int compare_items(const void *one, const void *other)
{
    const Item *first = one, *second = other;
    int order = compare_keys(&first->change->key, &second->change->key);
    return order != 0 ? order : first->position < second->position ? -1 : 1;
}

static size_t size_of(const chx_store_change *change)
{
    size_t size = 200;
    for (size_t i = 0; i < change->piece_count; i++)
        size += change->pieces[i].size + 50;
    return size;
}

// Returns the number of rounds.
static size_t arrange(chx_store_change *changes, size_t count, Item *items)
{
    size_t rounds = 1;
    for (size_t i = 0; i < count; i++)
        items[i] = (Item){.change = &changes[i], .position = i};
    qsort(items, count, sizeof *items, compare_items);
    for (size_t i = 1; i < count; i++) {
        if (store_same_key(&items[i].change->key, &items[i - 1].change->key))
            items[i].round = items[i - 1].round + 1;
        rounds = items[i].round >= rounds ? items[i].round + 1 : rounds;
    }
    return rounds;
}

// ---- one statement ----

static void begin_arrays(const Server *server, Parameters *parameters)
{
    static const uint32_t types[] = {TYPE_TEXT, TYPE_TEXT, TYPE_TEXT, TYPE_INT8, TYPE_INT8, TYPE_BYTEA,
                                     TYPE_TEXT, TYPE_INT8, TYPE_TEXT, TYPE_INT8, TYPE_INT8};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        parameters_array(parameters, types[i]);
    parameters_bytes(parameters, server->writer, sizeof server->writer);
    for (int i = 0; i < 4; i++)
        parameters_array(parameters, TYPE_INT8);
    parameters_array(parameters, TYPE_BYTEA);
}

static void add_change(Parameters *parameters, ChunkList *chunks, const chx_store_change *change, size_t number)
{
    bool is_new = change->version == 0;
    unsigned char token[16];
    put_pair(token, change->token);
    array_add_text(parameters, 0, change->key.choreography);
    array_add_text(parameters, 1, change->key.space);
    array_add_text(parameters, 2, change->key.name);
    array_add_u64(parameters, 3, change->term);
    array_add_u64(parameters, 4, change->version);
    array_add_bytes(parameters, 5, token, sizeof token);
    array_add_text(parameters, 6, is_new ? change->definition : "");
    array_add_u64(parameters, 7, change->protocol_digest);
    array_add_text(parameters, 8, is_new ? change->home : "");
    array_add_u64(parameters, 9, (uint64_t)change->outcome);
    // A level that no piece has: nothing is dropped.
    array_add_u64(parameters, 10, change->drops ? change->drop_from : (uint64_t)1 << 32);
    if (!chunks_make(chunks, change, change->version + 1))
        parameters->has_failed = true;
    for (size_t i = 0; i < chunks->count && !parameters->has_failed; i++) {
        const Chunk *chunk = &chunks->items[i];
        array_add_u64(parameters, 12, number);
        array_add_u64(parameters, 13, chunk->level);
        array_add_u64(parameters, 14, chunk->roles);
        array_add_u64(parameters, 15, chunk->sum);
        array_add_bytes(parameters, 16, chunks->bytes + chunk->at, chunk->size);
    }
}

// The result has the numbers, counted from 1, of those of this batch that were applied, in ascending order.
static void mark_applied(const Item *items, size_t begin, size_t end, size_t round, const PGresult *result)
{
    uint64_t number = 0;
    int row = 0;
    for (size_t i = begin; i < end && row < PQntuples(result); i++) {
        if (items[i].round != round || value_u64(result, row, 0) != ++number)
            continue;
        items[i].change->is_applied = true;
        row++;
    }
}

// Those of one round from *at on, as many as fit; *at becomes where to go on.
static int run_batch(Server *server, const Item *items, size_t count, size_t round, size_t *at, char why[CHX_STORE_WHY])
{
    Parameters parameters = {0};
    ChunkList chunks = {0};
    PGresult *result;
    size_t number = 0, bytes = 0, begin = *at;
    begin_arrays(server, &parameters);
    for (; *at < count; ++*at) {
        if (items[*at].round != round)
            continue;
        size_t size = size_of(items[*at].change);
        if (number > 0 && bytes + size > BATCH_BYTES)
            break;
        bytes += size;
        add_change(&parameters, &chunks, items[*at].change, ++number);
    }
    chunks_free(&chunks);
    if (number == 0) {
        parameters_free(&parameters);
        return 0;
    }
    int error = server_change(server, STATEMENT_COMMIT_CHANGES, &parameters, &result, why);
    if (error != 0)
        return error;
    mark_applied(items, begin, *at, round, result);
    PQclear(result);
    return 0;
}

static int run_round(Server *server, const Item *items, size_t count, size_t round, char why[CHX_STORE_WHY])
{
    int error = 0;
    for (size_t at = 0; at < count && error == 0;)
        error = run_batch(server, items, count, round, &at, why);
    return error;
}

// ---- several ----

static int run_transaction(Server *server, const Item *items, size_t count, size_t rounds, char why[CHX_STORE_WHY])
{
    int error = server_begin(server, why);
    for (size_t round = 0; round < rounds && error == 0; round++) {
        error = run_round(server, items, count, round, why);
        // The server gives up what was not committed.
        error = error == -EINPROGRESS ? -EAGAIN : error;
    }
    if (error == 0)
        return server_command(server, "COMMIT", why);
    server_rollback(server);
    return error;
}

static int run(Server *server, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    Item *items = malloc((count + 1) * sizeof *items);
    if (items == NULL)
        return store_fail(why, ENOMEM, "there is no memory for %zu changes", count);
    size_t rounds = arrange(changes, count, items), bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += size_of(&changes[i]);
    int error = rounds == 1 && bytes <= BATCH_BYTES ? run_round(server, items, count, 0, why)
                                                    : run_transaction(server, items, count, rounds, why);
    free(items);
    return error;
}

int postgres_commit(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    int error = store_check_changes(changes, count, why);
    for (size_t i = 0; i < count; i++) {
        changes[i].is_applied = false;
        if (error == 0 && size_of(&changes[i]) > SESSION_BYTES)
            error = store_fail(why, EFBIG, "the state of session '%.200s' is too big for PostgreSQL: %d MiB at most",
                               changes[i].key.name, SESSION_BYTES >> 20);
    }
    if (error == 0 && count > 0)
        error = run(store, changes, count, why);
    for (size_t i = 0; i < count && error != 0; i++)
        changes[i].is_applied = false;
    return error;
}
