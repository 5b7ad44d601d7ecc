// database.h: a SQLite database with sessions in it, open.
//
// All functions of the folder work on one; only one thread at a time uses it.

#ifndef STORE_SQLITE_DATABASE_H
#define STORE_SQLITE_DATABASE_H

#include "store/chunk.h"
#include "store/store.h"

#include <sqlite3.h>

// Statements that are compiled when the database is opened. See statements.c.
typedef enum {
    STATEMENT_BEGIN,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_MAKE,
    STATEMENT_CHANGE,
    STATEMENT_DROP_CHUNKS,
    STATEMENT_PUT_CHUNK,
    STATEMENT_FIND,
    STATEMENT_CHUNKS,
    STATEMENT_CHUNK_MARKS,
    STATEMENT_EACH,
    STATEMENT_LEASE_OF,
    STATEMENT_LEASE,
    STATEMENT_END_LEASE,
    STATEMENT_DROP,
    STATEMENT_DROP_CHUNKS_OF_OLD,
    STATEMENT_DROP_OLD,
    STATEMENT_COUNT
} StatementId;

extern const char *const sqlite_statements[STATEMENT_COUNT];

typedef struct {
    sqlite3 *connection;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    char *path, *node;
    uint64_t writer[2];
    ChunkList chunks;       // of the change that is being made
    uint64_t busy_since_ms; // since when another process has been in the way; 0: it is not
} Database;

int database_open(const char *path, const char *node, const uint64_t writer[2], void **database,
                  char why[CHX_STORE_WHY]);
void database_close(void *database);

// Milliseconds since 1970. A database in a file has no clock of its own: it is that of the machine.
uint64_t database_now_ms(void);

// What a result of SQLite's that is not a good one means.
int database_fail(const Database *database, int result, char why[CHX_STORE_WHY]);

// -EAGAIN: the file is not where it was; what is written to it would be lost, or is another one's.
int database_check_place(const Database *database, char why[CHX_STORE_WHY]);

// The statement, ready to be bound.
sqlite3_stmt *database_statement(Database *database, StatementId id);
// Runs one that returns no rows. 0, or SQLite's result.
int database_run(Database *database, StatementId id);

// A transaction that writes. Returns 0 or an error of errno.h; after an error of anything in between it is to be rolled back.
int database_begin(Database *database, char why[CHX_STORE_WHY]);
int database_commit(Database *database, char why[CHX_STORE_WHY]);
void database_rollback(Database *database);
// One whose commit may be lost together with the power of the machine, until the next ordinary one is committed. Afterwards
// database_be_eager.
int database_begin_lazily(Database *database, char why[CHX_STORE_WHY]);
void database_be_eager(Database *database);

void database_bind_text(sqlite3_stmt *statement, int at, const char *text);
void database_bind_u64(sqlite3_stmt *statement, int at, uint64_t value);

// Chunks of a session have numbers from here on, and below that of the next session.
sqlite3_int64 database_first_chunk(sqlite3_int64 session);

// 128 bits as 16 bytes, the same on every machine.
void database_put_pair(unsigned char bytes[static 16], const uint64_t pair[static 2]);
void database_get_pair(const unsigned char bytes[static 16], uint64_t pair[static 2]);

// ---- rows of sessions (row.c) ----

// A row that is being read. Its texts are valid until the statement is over.
typedef struct {
    sqlite3_int64 id;
    chx_store_cut cut; // without pieces
    uint64_t chunks;   // which there are, with their versions: the sum of chunk_mark of all
    bool is_whole;     // its check sum is right
} SessionRow;

void row_read(sqlite3_stmt *statement, SessionRow *row);
// SQLITE_ROW, and the statement STATEMENT_FIND is to be reset; SQLITE_DONE: there is none; or an error.
int row_find(Database *database, const chx_store_key *key, SessionRow *row);
// Writes a new row. 0, or SQLite's result.
int row_insert(Database *database, SessionRow *row);
// Writes what may change: term, version, home, outcome, chunks, and who changed it when.
int row_update(Database *database, const SessionRow *row);

// ---- what chx_store_ops consists of ----
int sqlite_commit(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY]);
int sqlite_load(void *store, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY]);
void sqlite_release(void *store, chx_store_cut *cut);
int sqlite_take(void *store, const chx_store_key *key, uint64_t term, bool by_hand, uint64_t *new_term,
                char why[CHX_STORE_WHY]);
int sqlite_lease(void *store, uint64_t lease_ms, char why[CHX_STORE_WHY]);
int sqlite_each(void *store, const chx_store_filter *filter, bool (*found)(void *context, const chx_store_cut *),
                void *context, char why[CHX_STORE_WHY]);
int sqlite_drop(void *store, const chx_store_key *key, uint64_t over_for_ms, char why[CHX_STORE_WHY]);

#endif
