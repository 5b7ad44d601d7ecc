// public.c: what programs call. In a file of its own, since it needs libchorex.

#include "chorex/sqlite.h"

chx_store *chx_store_sqlite(const char *path)
{
    return chx_store_of(&chx_store_ops_sqlite, path);
}
