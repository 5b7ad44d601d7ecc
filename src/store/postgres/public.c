// public.c: what programs call. In a file of its own, since it needs libchorex.

#include "chorex/postgres.h"

chx_store *chx_store_postgres(const char *url)
{
    return chx_store_of(&chx_store_ops_postgres, url);
}
