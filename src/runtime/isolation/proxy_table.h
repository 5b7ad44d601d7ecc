// proxy_table.h: isolated roles by the number of their process.
//
// The zygote's messages and the rings of processes say by such a number which role they are about. A number is used once.

#ifndef RUNTIME_ISOLATION_PROXY_TABLE_H
#define RUNTIME_ISOLATION_PROXY_TABLE_H

#include <stdint.h>

typedef struct RoleProxy RoleProxy;

// So many that the lists stay short, whatever number of processes a machine can run.
enum { PROXY_BUCKETS = 4096 };

typedef struct {
    RoleProxy *buckets[PROXY_BUCKETS]; // each is a list, chained by next_by_id
} ProxyTable;

// The number of the role's process is in proxy->id.
void proxy_table_add(ProxyTable *table, RoleProxy *proxy);
void proxy_table_remove(ProxyTable *table, RoleProxy *proxy);
// NULL: there is none with this number.
RoleProxy *proxy_table_find(ProxyTable *table, uint64_t id);

#endif
