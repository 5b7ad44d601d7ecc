// registry.c: a list, filled by constructors before main and when a library is loaded.

#include "runtime/session/registry.h"

#include "runtime/session/report.h"

#include <stdatomic.h>
#include <stdio.h>

static _Atomic(chx_registration *) registrations;
static chx_registration not_sealed;
static _Atomic(chx_registration *) sealed = &not_sealed; // the first of those that were there then

void chx_register(chx_registration *registration)
{
    chx_registration *first = atomic_load(&registrations);
    do {
        registration->next = first;
    } while (!atomic_compare_exchange_weak(&registrations, &first, registration));
}

void registry_seal(void)
{
    atomic_store(&sealed, atomic_load(&registrations));
}

bool registry_was_sealed_with(const chx_role *role)
{
    for (const chx_registration *r = atomic_load(&sealed); r != NULL; r = r->next)
        if (r == &not_sealed || r->role == role)
            return true;
    return false;
}

const chx_registration *registry_latest(void)
{
    return atomic_load_explicit(&registrations, memory_order_acquire);
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

const chx_role *registry_of_state(const char *choreography, const char *role, uint64_t state_digest)
{
    for (chx_registration *r = atomic_load(&registrations); r != NULL; r = r->next)
        if (r->role->state_digest == state_digest && strcmp(r->role->choreography, choreography) == 0 &&
            strcmp(r->role->role, role) == 0)
            return r->role;
    return NULL;
}

// A program may have several versions of a choreography, in different files of it. Is there a role of this one?
static bool has_version(const chx_choreography *choreography, const char *name)
{
    for (chx_registration *r = atomic_load(&registrations); r != NULL; r = r->next)
        if (r->role->protocol_digest == choreography->protocol_digest &&
            strcmp(r->role->choreography, choreography->name) == 0 && strcmp(r->role->role, name) == 0)
            return true;
    return false;
}

chx_status registry_find(const chx_choreography *choreography, unsigned index, const chx_role **found)
{
    const char *name = choreography->roles[index], *file = choreography->file;
    const chx_role *named = NULL, *latest = NULL, *twice = NULL; // named: as by default; twice: two have its name
    char default_name[256], names[256];
    size_t count = 0, used = 0;
    bool is_versioned = has_version(choreography, name);
    snprintf(default_name, sizeof default_name, "%s_%s", choreography->name, name);
    for (chx_registration *r = atomic_load(&registrations); r != NULL; r = r->next) {
        const chx_role *role = r->role;
        if (strcmp(role->choreography, choreography->name) != 0 || strcmp(role->role, name) != 0)
            continue;
        if (is_versioned && role->protocol_digest != choreography->protocol_digest)
            continue;
        if (latest != NULL && strcmp(latest->name, role->name) == 0)
            twice = role;
        if (strcmp(role->name, default_name) == 0)
            named = role;
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used != 0 ? ", " : "", role->name);
        latest = role;
        count++;
    }
    if (twice != NULL)
        return report_refuse(CHX_INVALID, name, file, "two implementations of %s are called %s", name, twice->name);
    if (count == 0)
        return report_refuse(
            CHX_UNCAST, name, file,
            "no implementation of %s in this program: include \"%s.%s.chor.h\" in a file of it. If that "
            "file is in a static library, nothing refers to it there: name %s in the cast, name its "
            "object file when linking, or link with --whole-archive",
            name, choreography->name, name, default_name);
    if (named == NULL && count > 1)
        return report_refuse(CHX_UNCAST, name, file, "several implementations of %s: %s; name one in the cast", name,
                             names);
    *found = named != NULL ? named : latest;
    return CHX_OK;
}
