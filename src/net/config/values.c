// values.c: durations, sizes, numbers, yes and no.

#include "net/config/internal.h"

#include <ctype.h>
#include <string.h>

typedef struct {
    const char *name;
    uint64_t factor;
} Unit;

// A number and what stands behind it. False: it does not begin with a digit, or is too large.
static bool split_number(const char *value, uint64_t *number, const char **unit)
{
    uint64_t sum = 0;
    if (!isdigit((unsigned char)*value))
        return false;
    for (; isdigit((unsigned char)*value); value++) {
        unsigned digit = (unsigned)(*value - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    *unit = value;
    return true;
}

static bool with_unit(const char *value, const Unit *units, size_t count, uint64_t *number)
{
    const char *unit;
    uint64_t bare;
    if (!split_number(value, &bare, &unit))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(unit, units[i].name) != 0)
            continue;
        if (bare > UINT64_MAX / units[i].factor)
            return false;
        *number = bare * units[i].factor;
        return true;
    }
    return false;
}

const char *value_duration_ms(const char *value, uint64_t *number)
{
    static const Unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};
    bool is_good = with_unit(value, units, sizeof units / sizeof units[0], number);
    return is_good ? NULL : "a time: a whole number and its unit, such as 500ms, 5s, 2m, 3h or 1d";
}

const char *value_size(const char *value, uint64_t *number)
{
    static const Unit units[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
    bool is_good = with_unit(value, units, sizeof units / sizeof units[0], number);
    return is_good ? NULL : "a number of bytes: a whole number, or one with K, M or G behind it, such as 64K or 16M";
}

const char *value_count(const char *value, uint64_t *number)
{
    static const Unit units[] = {{"", 1}};
    return with_unit(value, units, 1, number) ? NULL : "a whole number";
}

const char *value_yes_no(const char *value, bool *answer)
{
    *answer = strcmp(value, "yes") == 0;
    return *answer || strcmp(value, "no") == 0 ? NULL : "'yes' or 'no'";
}

// A letter of C, which those beyond ASCII are, too.
static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

bool value_is_identifier(const char *value)
{
    if (!is_letter(value[0]))
        return false;
    for (; *value != '\0'; value++)
        if (!is_letter(*value) && !isdigit((unsigned char)*value))
            return false;
    return true;
}

bool config_is_node_name(const char *name)
{
    if (!isalnum((unsigned char)name[0]) || strlen(name) > CONFIG_NAME_MAX)
        return false;
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && *name != '.' && *name != '-' && *name != '_')
            return false;
    return true;
}
