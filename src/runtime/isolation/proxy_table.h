// proxy_table.h: isolated roles by the number of their process.
//
// The zygote's messages and the rings of processes say whom they are about by such a number. A number is used once. The
// table grows with the number of processes, so that finding one takes the same time however many there are; where there
// is no memory for that, it goes on as it is.

#ifndef RUNTIME_ISOLATION_PROXY_TABLE_H
#define RUNTIME_ISOLATION_PROXY_TABLE_H

#include "runtime/session/runtime.h"

typedef struct RoleProxy RoleProxy;

enum { PROXY_BUCKETS_FIRST = 256 };

typedef struct {
    chx_runtime *runtime; // whose memory it is
    RoleProxy **buckets;  // chained by next_by_id; NULL: those of `first`
    size_t bucket_count;  // a power of two; 0: no process has been in it yet
    size_t count;
    RoleProxy *first[PROXY_BUCKETS_FIRST];
} ProxyTable;

// The number of the role's process is in proxy->id.
void proxy_table_add(ProxyTable *table, RoleProxy *proxy);
void proxy_table_remove(ProxyTable *table, RoleProxy *proxy);
// NULL: there is none with this number.
RoleProxy *proxy_table_find(const ProxyTable *table, uint64_t id);
void proxy_table_fini(ProxyTable *table);

#endif
