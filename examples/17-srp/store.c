// store.c: see store.h.

#define _POSIX_C_SOURCE 200809L

#include "store.h"
#include "secrets.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/rand.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_BITS = 2048, PATIENCE_MS = 5000, TEXT_SIZE = 512 };

struct Store {
    sqlite3 *db;
    const char *path; // the caller's
};

static _Noreturn void store_fail(Store *store, const char *why)
{
    char text[TEXT_SIZE];
    snprintf(text, sizeof text, "%s: %s", store->path, why != NULL ? why : sqlite3_errmsg(store->db));
    store_close(store);
    chx_fail("%s", text);
}

void store_close(Store *store)
{
    sqlite3_close_v2(store->db);
    free(store);
}

Store *store_open(const char *path, bool create)
{
    Store *store = calloc(1, sizeof *store);
    if (store == NULL)
        abort();
    store->path = path;
    if (create) {
        // SQLite would let everybody read it.
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0)
            store_fail(store, strerror(errno));
        close(fd);
    }
    if (sqlite3_open_v2(path, &store->db, create ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        store_fail(store, NULL);
    sqlite3_busy_timeout(store->db, PATIENCE_MS);
    return store;
}

static sqlite3_stmt *prepare(Store *store, const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) != SQLITE_OK)
        store_fail(store, NULL);
    return statement;
}

static void finish(Store *store, sqlite3_stmt *statement)
{
    if (sqlite3_finalize(statement) != SQLITE_OK)
        store_fail(store, NULL);
}

int store_group(Store *store, int bits)
{
    unsigned char secret[SECRET_SIZE];
    if (sqlite3_exec(store->db,
                     "CREATE TABLE IF NOT EXISTS server (id INTEGER PRIMARY KEY CHECK (id = 1), bits INTEGER NOT NULL,"
                     "  secret BLOB NOT NULL);"
                     "CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY NOT NULL, salt BLOB NOT NULL,"
                     "  verifier BLOB NOT NULL);",
                     NULL, NULL, NULL) != SQLITE_OK)
        store_fail(store, NULL);
    if (RAND_bytes(secret, sizeof secret) != 1)
        abort();
    sqlite3_stmt *statement = prepare(store, "INSERT OR IGNORE INTO server VALUES (1, ?, ?)");
    sqlite3_bind_int(statement, 1, bits != 0 ? bits : DEFAULT_BITS);
    sqlite3_bind_blob(statement, 2, secret, sizeof secret, SQLITE_TRANSIENT);
    sqlite3_step(statement);
    finish(store, statement);
    return store_secret(store, secret);
}

int store_secret(Store *store, unsigned char secret[SECRET_SIZE])
{
    int bits = 0;
    sqlite3_stmt *statement = prepare(store, "SELECT bits, secret FROM server");
    if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_bytes(statement, 1) == SECRET_SIZE) {
        bits = sqlite3_column_int(statement, 0);
        memcpy(secret, sqlite3_column_blob(statement, 1), SECRET_SIZE);
    }
    finish(store, statement);
    SrpGroup *group = srp_group_new(bits, EVP_sha256());
    if (group == NULL)
        store_fail(store, "this is no database of srp's");
    srp_group_free(group);
    return bits;
}

bool store_add(Store *store, const char *name, chx_bytes salt, chx_bytes verifier)
{
    sqlite3_stmt *statement = prepare(store, "INSERT OR IGNORE INTO users VALUES (?, ?, ?)");
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_blob(statement, 2, chx_bytes_data(salt), (int)chx_bytes_len(salt), SQLITE_TRANSIENT);
    sqlite3_bind_blob(statement, 3, chx_bytes_data(verifier), (int)chx_bytes_len(verifier), SQLITE_TRANSIENT);
    sqlite3_step(statement);
    bool added = sqlite3_changes(store->db) == 1;
    finish(store, statement);
    return added;
}

bool store_find(Store *store, const char *name, unsigned char *salt, unsigned char *verifier, int *verifier_size)
{
    sqlite3_stmt *statement = prepare(store, "SELECT salt, verifier FROM users WHERE name = ?");
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
    bool found = sqlite3_step(statement) == SQLITE_ROW;
    if (found) {
        int size = sqlite3_column_bytes(statement, 1);
        if (sqlite3_column_bytes(statement, 0) != SALT_SIZE || size == 0 || size > SRP_MAX_SIZE) {
            sqlite3_finalize(statement);
            store_fail(store, "a user's record is damaged");
        }
        memcpy(salt, sqlite3_column_blob(statement, 0), SALT_SIZE);
        memcpy(verifier, sqlite3_column_blob(statement, 1), (size_t)size);
        *verifier_size = size;
    }
    finish(store, statement);
    return found;
}
