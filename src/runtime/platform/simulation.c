// simulation.c: reads the settings of a simulated machine. Strictly: a mistyped setting would test something else.

#include "runtime/platform/simulation.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_BYTES = 4096, ENTRY_BYTES = 32 };

static const uint64_t hang_default_ns = 60 * UINT64_C(1000000000);

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

static bool parse_chance(const char *value, double *chance)
{
    char *end;
    *chance = strtod(value, &end);
    // Also against what strtod takes besides: signs, nan, hexadecimal.
    return value[0] != '\0' && strspn(value, "0123456789.e-") == strlen(value) && *end == '\0' && value[0] != '-' &&
           *chance >= 0 && *chance <= 1;
}

static const char *read_probability(const char *value, void *probability)
{
    return parse_chance(value, probability) ? NULL : "is not a probability from 0 to 1";
}

// The next ROLE:VALUE of those with + between; what follows it is at *at, NULL after the last one. False: it is not of this form.
static bool next_entry(const char **at, char role[SIMULATION_ROLE_BYTES], char number[ENTRY_BYTES])
{
    size_t length = strcspn(*at, ":+"), digits = (*at)[length] == ':' ? strcspn(*at + length + 1, "+") : 0;
    if (length == 0 || length >= SIMULATION_ROLE_BYTES || digits == 0 || digits >= ENTRY_BYTES)
        return false;
    memcpy(role, *at, length);
    role[length] = '\0';
    memcpy(number, *at + length + 1, digits);
    number[digits] = '\0';
    *at += length + 1 + digits;
    *at = **at == '+' ? *at + 1 : NULL;
    return true;
}

static const char *read_rates(const char *value, void *into)
{
    SimulationFaults *faults = into;
    char number[ENTRY_BYTES];
    static_assert(SIMULATION_RATES_MAX == 64, "what the message says");
    if (strchr(value, ':') == NULL)
        return read_probability(value, &faults->chance);
    for (const char *at = value; at != NULL; faults->rate_count++) {
        SimulationRate *rate = &faults->rates[faults->rate_count];
        if (faults->rate_count == SIMULATION_RATES_MAX)
            return "has more than 64 roles";
        if (!next_entry(&at, rate->role, number) || !parse_chance(number, &rate->chance))
            return "is not ROLE:P, with P a probability from 0 to 1, or several with + between";
    }
    return NULL;
}

static const char *read_places(const char *value, void *into)
{
    SimulationFaults *faults = into;
    char number[ENTRY_BYTES];
    static_assert(SIMULATION_PLACES_MAX == 64, "what the message says");
    for (const char *at = value; at != NULL; faults->place_count++) {
        SimulationPlace *place = &faults->places[faults->place_count];
        if (faults->place_count == SIMULATION_PLACES_MAX)
            return "has more than 64 places";
        if (!next_entry(&at, place->role, number) || !parse_number(number, 1, UINT64_MAX, &place->boundary))
            return "is not ROLE:N, with N from 1, or several with + between";
    }
    return NULL;
}

static const char *read_hang_for(const char *value, void *hang_ns)
{
    const char *end;
    uint64_t *duration_ns = hang_ns;
    bool is_good = parse_duration(value, duration_ns, &end) && *end == '\0' && *duration_ns > 0;
    return is_good ? NULL : "is not a duration such as 30s (ns, us, ms, s)";
}

static const char *read_report(const char *value, void *into)
{
    if (value[0] == '\0' || strlen(value) >= SIMULATION_PATH_BYTES)
        return "is not the name of a file";
    strcpy(into, value);
    return NULL;
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
    {"crash", read_rates, offsetof(SimulationOptions, crash)},
    {"crash_at", read_places, offsetof(SimulationOptions, crash)},
    {"hang", read_rates, offsetof(SimulationOptions, hang)},
    {"hang_at", read_places, offsetof(SimulationOptions, hang)},
    {"hang_for", read_hang_for, offsetof(SimulationOptions, hang_ns)},
    {"report", read_report, offsetof(SimulationOptions, report)},
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
    *options = (SimulationOptions){.seed = 1, .hang_ns = hang_default_ns};
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
                          "there is no setting '%s' (seed, crash, crash_at, hang, hang_at, hang_for, report, delay, "
                          "max_steps, threads, slow, lost, nodes, cut, kill, silent, suspect)",
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
