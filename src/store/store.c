// store.c: see store.h.

#include "store/store.h"

#include "base/owner.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int store_fail(char why[CHX_STORE_WHY], int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, CHX_STORE_WHY, format, arguments);
    va_end(arguments);
    // The messages of libraries may end in a line break, and may have several lines.
    size_t length = strlen(why);
    while (length > 0 && why[length - 1] == '\n')
        why[--length] = '\0';
    for (size_t i = 0; i < length; i++)
        if (why[i] == '\n' || why[i] == '\t')
            why[i] = ' ';
    return -error;
}

// ---- names ----

int store_check_key(const chx_store_key *key, char why[CHX_STORE_WHY])
{
    if (strlen(key->choreography) + strlen(key->space) + strlen(key->name) > STORE_KEY_MAX)
        return store_fail(why, ENAMETOOLONG, "the name of session '%.100s...' is too long: %d bytes at most", key->name,
                          STORE_KEY_MAX);
    if (!utf8_is_valid(key->choreography) || !utf8_is_valid(key->space) || !utf8_is_valid(key->name))
        return store_fail(why, EINVAL, "the name of session '%.200s' is not UTF-8", key->name);
    return 0;
}

int store_check_changes(const chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    for (size_t i = 0; i < count; i++) {
        int result = store_check_key(&changes[i].key, why);
        if (result == 0 && changes[i].version == 0 &&
            (!utf8_is_valid(changes[i].home) || !utf8_is_valid(changes[i].definition)))
            result = store_fail(why, EINVAL, "the home of session '%.200s' is not UTF-8", changes[i].key.name);
        if (result != 0)
            return result;
    }
    return 0;
}

bool store_same_key(const chx_store_key *one, const chx_store_key *other)
{
    return strcmp(one->name, other->name) == 0 && strcmp(one->space, other->space) == 0 &&
           strcmp(one->choreography, other->choreography) == 0;
}

// ---- damage ----

int store_damaged(const chx_store_key *key, const char *what, char why[CHX_STORE_WHY])
{
    return store_fail(why, EBADMSG, "session '%.200s' of %.100s is damaged: %s", key->name, key->choreography, what);
}

int store_missing(const chx_store_key *key, char why[CHX_STORE_WHY])
{
    return store_fail(why, ENOENT, "there is no session '%.200s' of %.100s", key->name, key->choreography);
}

// ---- who decides ----

int store_busy(const char *home, uint64_t left_ms, char why[CHX_STORE_WHY])
{
    char who[OWNER_SIZE + 64];
    owner_describe(home, who, sizeof who);
    return store_fail(why, EBUSY, "%s, which decides about it, is alive: its lease ends in %.1f s", who,
                      (double)left_ms / 1000);
}

int store_stale(const chx_store_key *key, const char *home, char why[CHX_STORE_WHY])
{
    char who[OWNER_SIZE + 64];
    owner_describe(home, who, sizeof who);
    return store_fail(why, ESTALE, "session '%.200s' was taken by %s in the meantime", key->name, who);
}
