// proxy_table.c: see proxy_table.h.

#include "runtime/isolation/proxy_table.h"

#include "runtime/isolation/parent.h"

#include <string.h>

// Numbers are given one after the other, so that they are spread evenly over the buckets.
static RoleProxy **table_bucket(const ProxyTable *table, uint64_t id)
{
    RoleProxy **buckets = table->buckets != NULL ? table->buckets : (RoleProxy **)table->first;
    return &buckets[id & (table->bucket_count - 1)];
}

static void table_grow(ProxyTable *table)
{
    if (table->bucket_count == 0) {
        table->bucket_count = PROXY_BUCKETS_FIRST;
        return;
    }
    size_t bucket_count = 2 * table->bucket_count;
    ProxyTable old = *table;
    RoleProxy **buckets = runtime_allocate(table->runtime, bucket_count * sizeof *buckets);
    if (buckets == NULL)
        return;
    memset(buckets, 0, bucket_count * sizeof *buckets);
    table->buckets = buckets;
    table->bucket_count = bucket_count;
    for (size_t i = 0; i < old.bucket_count; i++) {
        RoleProxy *next = old.buckets != NULL ? old.buckets[i] : old.first[i];
        while (next != NULL) {
            RoleProxy *proxy = next;
            next = proxy->next_by_id;
            RoleProxy **bucket = table_bucket(table, proxy->id);
            proxy->next_by_id = *bucket;
            *bucket = proxy;
        }
    }
    if (old.buckets != NULL)
        runtime_release(table->runtime, old.buckets);
}

void proxy_table_add(ProxyTable *table, RoleProxy *proxy)
{
    if (table->count >= table->bucket_count)
        table_grow(table);
    RoleProxy **bucket = table_bucket(table, proxy->id);
    proxy->next_by_id = *bucket;
    *bucket = proxy;
    table->count++;
}

void proxy_table_remove(ProxyTable *table, RoleProxy *proxy)
{
    RoleProxy **place = table_bucket(table, proxy->id);
    while (*place != proxy)
        place = &(*place)->next_by_id;
    *place = proxy->next_by_id;
    table->count--;
}

RoleProxy *proxy_table_find(const ProxyTable *table, uint64_t id)
{
    RoleProxy *proxy = table->bucket_count != 0 ? *table_bucket(table, id) : NULL;
    while (proxy != NULL && proxy->id != id)
        proxy = proxy->next_by_id;
    return proxy;
}

void proxy_table_fini(ProxyTable *table)
{
    if (table->buckets != NULL)
        runtime_release(table->runtime, table->buckets);
}
