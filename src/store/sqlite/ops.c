// ops.c: the table of the store in SQLite. It has no directory of nodes, which are on other machines.

#include "store/sqlite/database.h"

#include "chorex/sqlite.h"

const chx_store_ops chx_store_ops_sqlite = {
    .scheme = "sqlite",
    .version = CHX_STORE_VERSION,
    .open = database_open,
    .commit = sqlite_commit,
    .load = sqlite_load,
    .release = sqlite_release,
    .take = sqlite_take,
    .lease = sqlite_lease,
    .each = sqlite_each,
    .drop = sqlite_drop,
    .close = database_close,
};
