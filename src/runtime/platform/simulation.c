// simulation.c: reads the settings of a simulated machine. Strictly: a mistyped setting would test something else.

#include "runtime/platform/simulation.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 4096 };

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

// Each of the following reads a setting into its place. NULL: it is good; otherwise: what is wrong with the value.

static bool parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *number)
{
    const char *end;
    return parse_digits(text, number, &end) && *end == '\0' && *number >= min && *number <= max;
}

static const char *read_seed(const char *value, void *seed)
{
    return parse_number(value, 0, UINT64_MAX, seed) ? NULL : "is not a whole number";
}

static const char *read_max_steps(const char *value, void *max_steps)
{
    return parse_number(value, 1, UINT64_MAX, max_steps) ? NULL : "is not a whole number from 1";
}

static const char *read_threads(const char *value, void *threads)
{
    static_assert(SIMULATION_THREADS_MAX == 16, "what the message says");
    return parse_number(value, 1, SIMULATION_THREADS_MAX, threads) ? NULL : "is not a whole number from 1 to 16";
}

static const char *read_nodes(const char *value, void *nodes)
{
    static_assert(SIMULATION_NODES_MAX == 10000, "what the message says");
    return parse_number(value, 1, SIMULATION_NODES_MAX, nodes) ? NULL : "is not a whole number from 1 to 10000";
}

static const char *read_suspect(const char *value, void *suspect_ns)
{
    const char *end;
    uint64_t *duration_ns = suspect_ns;
    bool is_good = parse_duration(value, duration_ns, &end) && *end == '\0' && *duration_ns >= 10000000;
    return is_good ? NULL : "is not a duration of at least 10ms, such as 2s (ms, s)";
}

static const char *read_probability(const char *value, void *probability)
{
    char *end;
    double chance = strtod(value, &end);
    // Also against what strtod takes besides: signs, nan, hexadecimal.
    if (value[0] == '\0' || strspn(value, "0123456789.e-") != strlen(value) || *end != '\0' || value[0] == '-' ||
        !(chance >= 0 && chance <= 1))
        return "is not a probability from 0 to 1";
    *(double *)probability = chance;
    return NULL;
}

static const char *read_crash_at(const char *value, void *into)
{
    SimulationOptions *options = into;
    static_assert(SIMULATION_CRASHES_MAX == 64, "what the message says");
    for (const char *entry = value;; entry++) {
        size_t length = strcspn(entry, ":+");
        SimulationCrash *crash = &options->crash_at[options->crash_at_count];
        const char *end = entry;
        if (options->crash_at_count == SIMULATION_CRASHES_MAX)
            return "has more than 64 crashes";
        bool good = length > 0 && length < sizeof crash->role && entry[length] == ':' &&
                    parse_digits(entry + length + 1, &crash->boundary, &end) && crash->boundary != 0 &&
                    (*end == '+' || *end == '\0');
        if (!good)
            return "is not ROLE:N, with N from 1, or several with + between";
        memcpy(crash->role, entry, length);
        crash->role[length] = '\0';
        options->crash_at_count++;
        if (*end == '\0')
            return NULL;
        entry = end;
    }
}

static const char *read_delay(const char *value, void *into)
{
    SimulationOptions *options = into;
    const char *end;
    bool good = parse_duration(value, &options->delay_min_ns, &end);
    options->delay_max_ns = options->delay_min_ns;
    if (good && strncmp(end, "..", 2) == 0)
        good = parse_duration(end + 2, &options->delay_max_ns, &end);
    if (!good || *end != '\0')
        return "is not a duration such as 2ms or 1ms..20ms (ns, us, ms, s)";
    return options->delay_min_ns <= options->delay_max_ns ? NULL : "ends before it begins";
}

static const struct {
    const char *name;
    const char *(*read)(const char *value, void *place);
    size_t place; // in SimulationOptions
} settings[] = {
    {"seed", read_seed, offsetof(SimulationOptions, seed)},
    {"crash", read_probability, offsetof(SimulationOptions, crash)},
    {"crash_at", read_crash_at, 0},
    {"delay", read_delay, 0},
    {"max_steps", read_max_steps, offsetof(SimulationOptions, max_steps)},
    {"threads", read_threads, offsetof(SimulationOptions, threads)},
    {"slow", read_probability, offsetof(SimulationOptions, slow)},
    {"lost", read_probability, offsetof(SimulationOptions, lost)},
    {"nodes", read_nodes, offsetof(SimulationOptions, nodes)},
    {"cut", read_probability, offsetof(SimulationOptions, cut)},
    {"kill", read_probability, offsetof(SimulationOptions, kill)},
    {"silent", read_probability, offsetof(SimulationOptions, silent)},
    {"suspect", read_suspect, offsetof(SimulationOptions, suspect_ns)},
};
enum { SETTING_COUNT = sizeof settings / sizeof settings[0] };

static bool refuse(char *why, size_t why_size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(char *why, size_t why_size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, why_size, format, arguments);
    va_end(arguments);
    return false;
}

static bool needs_no_nodes(const SimulationOptions *options, char *why, size_t why_size)
{
    const char *name = options->cut > 0           ? "cut"
                       : options->kill > 0        ? "kill"
                       : options->silent > 0      ? "silent"
                       : options->suspect_ns != 0 ? "suspect"
                                                  : NULL;
    return name == NULL || refuse(why, why_size, "'%s' is about nodes: say how many there are (nodes=3)", name);
}

bool simulation_parse(const char *text, SimulationOptions *options, char *why, size_t why_size)
{
    bool seen[SETTING_COUNT] = {false};
    char item[VALUE_BYTES];
    *options = (SimulationOptions){.seed = 1};
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ","), i = 0;
        if (length >= sizeof item)
            return refuse(why, why_size, "a setting is longer than %d characters", VALUE_BYTES - 1);
        memcpy(item, at, length);
        item[length] = '\0';
        char *value = strchr(item, '=');
        if (value == NULL)
            return refuse(why, why_size, "'%s' is not of the form name=value", item);
        *value++ = '\0';
        while (i < SETTING_COUNT && strcmp(settings[i].name, item) != 0)
            i++;
        if (i == SETTING_COUNT)
            return refuse(why, why_size,
                          "there is no setting '%s' (seed, crash, crash_at, delay, max_steps, threads, slow, lost, "
                          "nodes, cut, kill, silent, suspect)",
                          item);
        if (seen[i])
            return refuse(why, why_size, "'%s' is given twice", item);
        seen[i] = true;
        const char *wrong = settings[i].read(value, (char *)options + settings[i].place);
        if (wrong != NULL)
            return refuse(why, why_size, "%s: '%.300s' %s", item, value, wrong);
        at += length;
        if (*at == '\0')
            return options->nodes != 0 || needs_no_nodes(options, why, why_size);
    }
}
