// proxy_table.c: isolated roles by the number of their process. See parent.h.
//
// The zygote's messages and the rings of processes say by such a number which role they are about. A number is used once.

#include "runtime/isolation/parent.h"

// What points to the one with this number; NULL is there if there is none. Numbers are given one after the other, so that
// they are spread evenly over the buckets.
static RoleProxy **proxy_place(Isolation *isolation, uint64_t id)
{
    RoleProxy **place = &isolation->by_id[id % PROXY_BUCKETS];
    while (*place != NULL && (*place)->id != id)
        place = &(*place)->next_by_id;
    return place;
}

void isolation_list(RoleProxy *proxy)
{
    Isolation *isolation = proxy->isolated->isolation;
    pthread_mutex_lock(&isolation->lock);
    proxy->id = ++isolation->last_id;
    proxy->next_by_id = NULL;
    *proxy_place(isolation, proxy->id) = proxy;
    pthread_mutex_unlock(&isolation->lock);
}

void isolation_forget(RoleProxy *proxy)
{
    Isolation *isolation = proxy->isolated->isolation;
    if (proxy->id == 0)
        return;
    pthread_mutex_lock(&isolation->lock);
    *proxy_place(isolation, proxy->id) = proxy->next_by_id;
    pthread_mutex_unlock(&isolation->lock);
    proxy->id = 0;
}

RoleProxy *isolation_find(Isolation *isolation, uint64_t id)
{
    pthread_mutex_lock(&isolation->lock);
    RoleProxy *proxy = *proxy_place(isolation, id);
    pthread_mutex_unlock(&isolation->lock);
    return proxy;
}
