// server.h: a connection to a PostgreSQL server, made anew when it is lost, on which statements are run with a limit of time.
//
// Only one thread at a time uses it.

#ifndef STORE_POSTGRES_SERVER_H
#define STORE_POSTGRES_SERVER_H

#include "store/postgres/parameters.h"
#include "store/store.h"

#include <libpq-fe.h>

// See statements.c.
typedef enum {
    STATEMENT_COMMIT_CHANGES,
    STATEMENT_LOAD,
    STATEMENT_EACH,
    STATEMENT_TAKE,
    STATEMENT_LEASE,
    STATEMENT_END_LEASE,
    STATEMENT_LOCK_SESSION,
    STATEMENT_DROP,
    STATEMENT_DROP_OLD,
    STATEMENT_OFFER,
    STATEMENT_END_OFFER,
    STATEMENT_CLAIM,
    STATEMENT_END_CLAIM,
    STATEMENT_COUNT
} StatementId;

extern const char *const postgres_statements[STATEMENT_COUNT];

typedef struct {
    PGconn *connection; // NULL: it is lost
    PGconn *watcher;    // the same
    char *url, *node;
    unsigned char writer[16]; // as it stands in the database
    char writer_text[33];
    uint64_t lock; // see hold_lock in server.c
    bool is_prepared[STATEMENT_COUNT];
    bool was_given_up; // the last error was that a statement had to be given up so that another one could go on
} Server;

int server_open(const char *url, const char *node, const uint64_t writer[2], void **server, char why[CHX_STORE_WHY]);
void server_close(void *server);

// Runs a statement that changes something. 0: *result is the caller's. -EAGAIN: nothing has happened. -EINPROGRESS: the connection was
// lost, and it is not known whether it has happened. The parameters are freed.
int server_change(Server *server, StatementId id, Parameters *parameters, PGresult **result, char why[CHX_STORE_WHY]);
// The same for one that may be run twice without harm: -EAGAIN instead of -EINPROGRESS.
int server_ask(Server *server, StatementId id, Parameters *parameters, PGresult **result, char why[CHX_STORE_WHY]);
// A transaction of several statements. If one of them fails, nothing of it will happen.
int server_begin(Server *server, char why[CHX_STORE_WHY]);
void server_rollback(Server *server);
// COMMIT, and several statements at once.
int server_command(Server *server, const char *text, char why[CHX_STORE_WHY]);

// Makes a connection without anything else. The result is to be finished in any case.
PGconn *server_connect(const Server *server);
// Takes what has come on a connection on which nothing is under way. False: it is lost.
bool server_is_alive(PGconn *connection);
int server_refused(const Server *server, PGconn *connection, bool is_first, char why[CHX_STORE_WHY]);
// Makes the tables if they are missing.
int schema_ensure(Server *server, char why[CHX_STORE_WHY]);
// For schema_ensure: what a query without parameters returns, as text.
int server_query(Server *server, const char *text, PGresult **result, char why[CHX_STORE_WHY]);

// ---- values in binary results ----
uint64_t value_u64(const PGresult *result, int row, int column);
const char *value_text(const PGresult *result, int row, int column);
void value_pair(const PGresult *result, int row, int column, uint64_t pair[static 2]);
// 128 bits as 16 bytes, as value_pair reads them.
void put_pair(unsigned char bytes[static 16], const uint64_t pair[static 2]);

void parameters_key(Parameters *parameters, const chx_store_key *key);

// ---- what chx_store_ops consists of ----
int postgres_commit(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY]);
int postgres_load(void *store, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY]);
void postgres_release(void *store, chx_store_cut *cut);
int postgres_take(void *store, const chx_store_key *key, uint64_t term, bool by_hand, uint64_t *new_term,
                  char why[CHX_STORE_WHY]);
int postgres_lease(void *store, uint64_t lease_ms, char why[CHX_STORE_WHY]);
int postgres_each(void *store, const chx_store_filter *filter, bool (*found)(void *context, const chx_store_cut *),
                  void *context, char why[CHX_STORE_WHY]);
int postgres_drop(void *store, const chx_store_key *key, uint64_t over_for_ms, char why[CHX_STORE_WHY]);
int postgres_watch(void *store, int *descriptor, char why[CHX_STORE_WHY]);
int postgres_offer(void *store, const chx_store_offer *offer, char why[CHX_STORE_WHY]);
int postgres_claim(void *store, const char *choreography, const char *role, uint64_t protocol_digest,
                   bool (*found)(void *context, const chx_store_offer *), void *context, char why[CHX_STORE_WHY]);

#endif
