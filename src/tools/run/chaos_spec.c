// chaos_spec.c: what the proxy is told to do. See chaos.h.

#define _GNU_SOURCE
#include "tools/run/chaos.h"

#include <stdlib.h>
#include <string.h>

static char problem[256];

// "500ms", "2s"; *end is set behind it. False: it is none.
static bool parse_time(const char *text, char **end, uint64_t *ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    double number = strtod(text, end);
    for (size_t i = 0; i < sizeof units / sizeof units[0] && *end != text; i++) {
        size_t size = strlen(units[i].unit);
        if (strncmp(*end, units[i].unit, size) == 0 && number >= 0 && number < 1e6) {
            *end += size;
            *ns = (uint64_t)(number * units[i].ns);
            return true;
        }
    }
    return false;
}

static bool parse_rate(const char *text, char **end, double *rate)
{
    *rate = strtod(text, end);
    bool is_good = *end != text && *rate >= 0 && *rate <= 1e5 && strncmp(*end, "/s", 2) == 0;
    *end += is_good ? 2 : 0;
    return is_good;
}

// "1%", "0.01"
static bool parse_part(const char *text, double *part)
{
    char *end;
    *part = strtod(text, &end);
    if (end != text && *end == '%') {
        *part /= 100;
        end++;
    }
    return end != text && *end == '\0' && *part >= 0 && *part <= 1;
}

static bool parse_delay(const char *value, ChaosSpec *spec)
{
    char *end;
    if (!parse_time(value, &end, &spec->delay_least_ns))
        return false;
    spec->delay_most_ns = spec->delay_least_ns;
    if (*end == '-' && !parse_time(end + 1, &end, &spec->delay_most_ns))
        return false;
    return *end == '\0' && spec->delay_least_ns <= spec->delay_most_ns;
}

static bool parse_stall(const char *value, ChaosSpec *spec)
{
    char *end;
    return parse_rate(value, &end, &spec->stalls) &&
           (*end == '\0' || (*end == ':' && parse_time(end + 1, &end, &spec->stall_ns) && *end == '\0'));
}

static const char *wrong(const char *key, const char *value, const char *wanted)
{
    snprintf(problem, sizeof problem, "'%.60s=%.60s': %s is wanted", key, value, wanted);
    return problem;
}

static const char *parse_setting(const char *key, const char *value, ChaosSpec *spec)
{
    const struct {
        const char *key;
        double *number;
        bool is_rate;
    } numbers[] = {{"cut", &spec->cuts, true},       {"close", &spec->closes, true}, {"split", &spec->split, false},
                   {"refuse", &spec->refuse, false}, {"alter", &spec->alter, false}, {"repeat", &spec->repeat, false}};
    char *end;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(key, numbers[i].key) != 0)
            continue;
        if (numbers[i].is_rate)
            return parse_rate(value, &end, numbers[i].number) && *end == '\0' ? NULL
                                                                              : wrong(key, value, "a rate as 10/s");
        return parse_part(value, numbers[i].number) ? NULL : wrong(key, value, "a part of all, as 5%");
    }
    if (strcmp(key, "stall") == 0)
        return parse_stall(value, spec) ? NULL : wrong(key, value, "a rate and a time, as 2/s:500ms,");
    if (strcmp(key, "delay") == 0)
        return parse_delay(value, spec) ? NULL : wrong(key, value, "a time as 5ms, or a range as 1ms-5ms,");
    if (strcmp(key, "seed") == 0) {
        spec->seed = strtoull(value, &end, 10);
        return *value != '\0' && *end == '\0' ? NULL : wrong(key, value, "a number");
    }
    snprintf(problem, sizeof problem,
             "unknown '%.60s': there are cut, close, stall, delay, split, refuse, alter, repeat and seed", key);
    return problem;
}

const char *chaos_parse(const char *text, ChaosSpec *spec)
{
    *spec = (ChaosSpec){.stall_ns = 500000000, .seed = 1};
    char copy[1024];
    if (strlen(text) >= sizeof copy)
        return "it is too long";
    strcpy(copy, text);
    char *rest = copy;
    for (char *word; (word = strsep(&rest, ",")) != NULL;) {
        if (*word == '\0')
            continue;
        char *value = strchr(word, '=');
        if (value == NULL)
            return wrong(word, "", "a value");
        *value = '\0';
        const char *why = parse_setting(word, value + 1, spec);
        if (why != NULL)
            return why;
    }
    return NULL;
}
