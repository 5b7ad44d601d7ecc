// site.c: see site.h.

#include "runtime/value/site.h"

const chx_site *role_site(const chx_role *role, uint32_t site)
{
    size_t low = 0, high = role->site_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (role->sites[middle].number < site)
            low = middle + 1;
        else
            high = middle;
    }
    return low < role->site_count && role->sites[low].number == site ? &role->sites[low] : NULL;
}

void role_drop_message(const chx_role *role, uint32_t site, void *value, size_t size)
{
    const chx_site *found = role_site(role, site);
    if (found != NULL && found->type != NULL && found->type->owning && found->type->size == size)
        chx_value_drop(found->type, value);
}
