// ops.c: the table of the store in PostgreSQL.

#include "store/postgres/server.h"

#include "chorex/postgres.h"

const chx_store_ops chx_store_ops_postgres = {
    .scheme = "postgresql",
    .version = CHX_STORE_VERSION,
    .open = server_open,
    .commit = postgres_commit,
    .load = postgres_load,
    .release = postgres_release,
    .take = postgres_take,
    .lease = postgres_lease,
    .each = postgres_each,
    .drop = postgres_drop,
    .watch = postgres_watch,
    .offer = postgres_offer,
    .claim = postgres_claim,
    .close = server_close,
};
