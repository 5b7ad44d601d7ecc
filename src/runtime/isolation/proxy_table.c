// proxy_table.c: see proxy_table.h.

#include "runtime/isolation/proxy_table.h"

#include "runtime/isolation/parent.h"

// What points to the one with this number; NULL is there if there is none. Numbers are given one after the other, so that
// they are spread evenly over the buckets.
static RoleProxy **table_place(ProxyTable *table, uint64_t id)
{
    RoleProxy **place = &table->buckets[id % PROXY_BUCKETS];
    while (*place != NULL && (*place)->id != id)
        place = &(*place)->next_by_id;
    return place;
}

void proxy_table_add(ProxyTable *table, RoleProxy *proxy)
{
    proxy->next_by_id = NULL;
    *table_place(table, proxy->id) = proxy;
}

void proxy_table_remove(ProxyTable *table, RoleProxy *proxy)
{
    *table_place(table, proxy->id) = proxy->next_by_id;
}

RoleProxy *proxy_table_find(ProxyTable *table, uint64_t id)
{
    return *table_place(table, id);
}
