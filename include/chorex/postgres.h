/* chorex/postgres.h: sessions with durable blocks in a PostgreSQL database, which nodes on several machines share. Programs that use it
   are linked with `chorcc --libs=postgres`. */

#ifndef CHOREX_POSTGRES_H
#define CHOREX_POSTGRES_H

#include <chorex/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As libpq takes it: postgresql://user@host1,host2/database. With several hosts, the one that can be written is used. The tables are made
   when the store is first used. NULL: there is no memory. */
chx_store *chx_store_postgres(const char *url);

/* What CHOREX_STORE=postgresql://... finds. */
extern const chx_store_ops chx_store_ops_postgres;

#ifdef __cplusplus
}
#endif

#endif
