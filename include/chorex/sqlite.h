/* chorex/sqlite.h: sessions with durable blocks in a SQLite database, a file on this machine. Programs that use it are linked
   with `chorcc --libs=sqlite`. */

#ifndef CHOREX_SQLITE_H
#define CHOREX_SQLITE_H

#include <chorex/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The file is made when it is first used. Several processes may use it at once. NULL: there is no memory. */
chx_store *chx_store_sqlite(const char *path);

/* What CHOREX_STORE=sqlite:PATH finds. */
extern const chx_store_ops chx_store_ops_sqlite;

#ifdef __cplusplus
}
#endif

#endif
