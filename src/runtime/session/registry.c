// registry.c: a list, filled by constructors before main and when a library is loaded.

#include "runtime/session/registry.h"

#include "runtime/session/report.h"

#include <stdatomic.h>
#include <stdio.h>

static _Atomic(chx_registration *) registrations;
static _Atomic(chx_registration *) sealed; // the first of those that were there then
static _Atomic bool is_sealed;
static _Atomic uint64_t generation;

void chx_register(chx_registration *registration)
{
    chx_registration *first = atomic_load(&registrations);
    do {
        registration->next = first;
    } while (!atomic_compare_exchange_weak(&registrations, &first, registration));
    atomic_fetch_add(&generation, 1);
}

void registry_seal(void)
{
    atomic_store(&sealed, atomic_load(&registrations));
    atomic_store(&is_sealed, true);
}

bool registry_was_sealed_with(const chx_role *role)
{
    if (!atomic_load(&is_sealed))
        return true;
    for (chx_registration *r = atomic_load(&sealed); r != NULL; r = r->next)
        if (r->role == role)
            return true;
    return false;
}

uint64_t registry_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_acquire);
}

const chx_role *registry_named(const char *choreography, const char *name)
{
    const chx_role *found = NULL;
    for (chx_registration *r = atomic_load(&registrations); r != NULL; r = r->next) {
        if (strcmp(r->role->choreography, choreography) != 0 || strcmp(r->role->name, name) != 0)
            continue;
        if (found != NULL)
            return NULL;
        found = r->role;
    }
    return found;
}

typedef struct {
    const chx_role *named; // has the default name
    const chx_role *any;
    const chx_role *twice; // two have this one's name
    size_t count;
    char names[256];
} Search;

static void search_add(Search *search, const chx_role *role, const char *default_name)
{
    if (search->count != 0 && strcmp(search->any->name, role->name) == 0)
        search->twice = role;
    if (strcmp(role->name, default_name) == 0)
        search->named = role;
    size_t used = strlen(search->names);
    snprintf(search->names + used, sizeof search->names - used, "%s%s", used != 0 ? ", " : "", role->name);
    search->any = role;
    search->count++;
}

chx_status registry_find(const chx_choreography *choreography, unsigned index, const chx_role **found)
{
    const char *name = choreography->roles[index];
    char default_name[256];
    snprintf(default_name, sizeof default_name, "%s_%s", choreography->name, name);
    Search search = {0};
    for (chx_registration *r = atomic_load(&registrations); r != NULL; r = r->next)
        if (strcmp(r->role->choreography, choreography->name) == 0 && strcmp(r->role->role, name) == 0)
            search_add(&search, r->role, default_name);
    if (search.twice != NULL) {
        report_refuse(name, choreography->file, "two implementations of %s are called %s", name, search.twice->name);
        return CHX_INVALID;
    }
    if (search.count == 0) {
        report_refuse(name, choreography->file,
                      "no implementation of %s in this program: include \"%s.%s.chor.h\" in a file of it, or name one "
                      "in the cast",
                      name, choreography->name, name);
        return CHX_UNCAST;
    }
    if (search.named == NULL && search.count > 1) {
        report_refuse(name, choreography->file, "several implementations of %s: %s; name one in the cast", name,
                      search.names);
        return CHX_UNCAST;
    }
    *found = search.named != NULL ? search.named : search.any;
    return CHX_OK;
}
