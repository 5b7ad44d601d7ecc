// simulation.c: reads the settings of a simulated machine. Strictly: a mistyped setting would test something else.

#include "runtime/platform/simulation.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 4096 };

typedef struct {
    SimulationOptions *options;
    char *why;
    size_t why_size;
} Parse;

static bool parse_refuse(Parse *parse, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool parse_refuse(Parse *parse, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(parse->why, parse->why_size, format, arguments);
    va_end(arguments);
    return false;
}

// Digits only; what follows them is at *end.
static bool parse_digits(const char *text, uint64_t *number, const char **end)
{
    char *after;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &after, 10);
    *end = after;
    return errno == 0;
}

static bool parse_number(const char *text, uint64_t *number)
{
    const char *end;
    return parse_digits(text, number, &end) && *end == '\0';
}

// 20ms; 0 needs no unit.
static bool parse_duration(const char *text, uint64_t *duration_ns, const char **end)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    uint64_t number;
    if (!parse_digits(text, &number, end))
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t length = strlen(units[i].name);
        if (strncmp(*end, units[i].name, length) == 0) {
            *end += length;
            *duration_ns = number * units[i].ns;
            return number <= UINT64_MAX / 2 / units[i].ns;
        }
    }
    *duration_ns = 0;
    return number == 0;
}

static bool parse_seed(Parse *parse, const char *value)
{
    if (!parse_number(value, &parse->options->seed))
        return parse_refuse(parse, "seed: '%s' is not a whole number", value);
    return true;
}

static bool parse_probability(const char *value, double *probability)
{
    char *end;
    double chance = strtod(value, &end);
    // Also against what strtod takes besides: signs, nan, hexadecimal.
    if (value[0] == '\0' || strspn(value, "0123456789.e-") != strlen(value) || *end != '\0' || value[0] == '-' ||
        !(chance >= 0 && chance <= 1))
        return false;
    *probability = chance;
    return true;
}

static bool parse_crash(Parse *parse, const char *value)
{
    if (!parse_probability(value, &parse->options->crash))
        return parse_refuse(parse, "crash: '%s' is not a probability from 0 to 1", value);
    return true;
}

static bool parse_slow(Parse *parse, const char *value)
{
    if (!parse_probability(value, &parse->options->slow))
        return parse_refuse(parse, "slow: '%s' is not a probability from 0 to 1", value);
    return true;
}

static bool parse_lost(Parse *parse, const char *value)
{
    if (!parse_probability(value, &parse->options->lost))
        return parse_refuse(parse, "lost: '%s' is not a probability from 0 to 1", value);
    return true;
}

static bool parse_crash_at(Parse *parse, const char *value)
{
    SimulationOptions *options = parse->options;
    for (const char *entry = value;; entry++) {
        size_t length = strcspn(entry, ":+");
        SimulationCrash *crash = &options->crash_at[options->crash_at_count];
        const char *end = entry;
        if (options->crash_at_count == SIMULATION_CRASHES_MAX)
            return parse_refuse(parse, "crash_at: more than %d crashes", SIMULATION_CRASHES_MAX);
        bool good = length > 0 && length < sizeof crash->role && entry[length] == ':' &&
                    parse_digits(entry + length + 1, &crash->boundary, &end) && crash->boundary != 0 &&
                    (*end == '+' || *end == '\0');
        if (!good)
            return parse_refuse(parse, "crash_at: '%s' is not ROLE:N, with N from 1, or several with + between", value);
        memcpy(crash->role, entry, length);
        crash->role[length] = '\0';
        options->crash_at_count++;
        if (*end == '\0')
            return true;
        entry = end;
    }
}

static bool parse_delay(Parse *parse, const char *value)
{
    SimulationOptions *options = parse->options;
    const char *end;
    bool good = parse_duration(value, &options->delay_min_ns, &end);
    options->delay_max_ns = options->delay_min_ns;
    if (good && strncmp(end, "..", 2) == 0)
        good = parse_duration(end + 2, &options->delay_max_ns, &end);
    if (!good || *end != '\0')
        return parse_refuse(parse, "delay: '%s' is not a duration such as 2ms or 1ms..20ms (ns, us, ms, s)", value);
    if (options->delay_min_ns > options->delay_max_ns)
        return parse_refuse(parse, "delay: '%s' ends before it begins", value);
    return true;
}

static bool parse_max_steps(Parse *parse, const char *value)
{
    if (!parse_number(value, &parse->options->max_steps) || parse->options->max_steps == 0)
        return parse_refuse(parse, "max_steps: '%s' is not a whole number from 1", value);
    return true;
}

static bool parse_threads(Parse *parse, const char *value)
{
    uint64_t threads;
    if (!parse_number(value, &threads) || threads == 0 || threads > SIMULATION_THREADS_MAX)
        return parse_refuse(parse, "threads: '%s' is not a whole number from 1 to %d", value, SIMULATION_THREADS_MAX);
    parse->options->threads = (unsigned)threads;
    return true;
}

static const struct {
    const char *name;
    bool (*parse)(Parse *parse, const char *value);
} settings[] = {
    {"seed", parse_seed},           {"crash", parse_crash},     {"crash_at", parse_crash_at}, {"delay", parse_delay},
    {"max_steps", parse_max_steps}, {"threads", parse_threads}, {"slow", parse_slow},         {"lost", parse_lost},
};
enum { SETTING_COUNT = sizeof settings / sizeof settings[0] };

bool simulation_parse(const char *text, SimulationOptions *options, char *why, size_t why_size)
{
    Parse parse = {options, why, why_size};
    bool seen[SETTING_COUNT] = {false};
    char item[VALUE_BYTES];
    *options = (SimulationOptions){.seed = 1};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (length >= sizeof item)
            return parse_refuse(&parse, "a setting is longer than %d characters", VALUE_BYTES - 1);
        memcpy(item, at, length);
        item[length] = '\0';
        char *value = strchr(item, '=');
        if (value == NULL)
            return parse_refuse(&parse, "'%s' is not of the form name=value", item);
        *value++ = '\0';
        size_t i = 0;
        while (i < SETTING_COUNT && strcmp(settings[i].name, item) != 0)
            i++;
        if (i == SETTING_COUNT)
            return parse_refuse(
                &parse, "there is no setting '%s' (seed, crash, crash_at, delay, max_steps, threads, slow)", item);
        if (seen[i])
            return parse_refuse(&parse, "'%s' is given twice", item);
        seen[i] = true;
        if (!settings[i].parse(&parse, value))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}
