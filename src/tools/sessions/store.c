// store.c: finds the store that an address means, as far as this program was built with it.

#define _GNU_SOURCE

#include "tools/sessions/sessions.h"

#ifdef HAS_SQLITE
#include "chorex/sqlite.h"
#endif
#ifdef HAS_POSTGRES
#include "chorex/postgres.h"
#endif

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

static int open_with(const chx_store_ops *ops, const char *place, Store *store)
{
    char why[CHX_STORE_WHY] = "";
    uint64_t writer[2];
    bool is_file = strncmp(place, "postgres", 8) != 0;
    if (ops == NULL)
        return sessions_error(
            EXIT_WRONG,
            "'%s' needs %s, and Chorex was built without it. Install its headers (%s), then build and "
            "install Chorex again",
            place, is_file ? "SQLite" : "libpq", is_file ? "libsqlite3-dev" : "libpq-dev");
    if (getrandom(writer, sizeof writer, 0) != (ssize_t)sizeof writer)
        return sessions_error(EXIT_WRONG, "there are no random numbers");
    store->ops = ops;
    if (ops->open(place, "", writer, &store->store, why) != 0)
        return sessions_error(EXIT_WRONG, "%s", why);
    return 0;
}

static int open_file(const char *path, Store *store)
{
    const chx_store_ops *ops = NULL;
    // The store would make it.
    if (access(path, F_OK) != 0)
        return sessions_error(EXIT_WRONG, "there is no file '%s'", path);
#ifdef HAS_SQLITE
    ops = &chx_store_ops_sqlite;
#endif
    return open_with(ops, path, store);
}

int store_open(const char *address, Store *store)
{
    const chx_store_ops *ops = NULL;
#ifdef HAS_POSTGRES
    ops = &chx_store_ops_postgres;
#endif
    if (strncmp(address, "sqlite:", 7) == 0)
        return open_file(address + 7, store);
    if (strncmp(address, "postgresql://", 13) == 0 || strncmp(address, "postgres://", 11) == 0)
        return open_with(ops, address, store);
    if (strcmp(address, "none") == 0)
        return sessions_error(EXIT_USAGE, "'none' is no store");
    if (strstr(address, "://") != NULL)
        return sessions_error(EXIT_USAGE, "unknown store '%s': sqlite:FILE or postgresql://USER@HOST/DATABASE",
                              address);
    return open_file(address, store);
}
