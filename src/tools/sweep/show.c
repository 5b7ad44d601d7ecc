// show.c: how far it is, a table of what survived, and a command for each run that did not.

#define _GNU_SOURCE
#include "tools/sweep/sweep.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, SHOWN_MAX = 20, SAID_EVERY_S = 10 };

// ---- progress ----

void show_progress(const SweepPlan *plan, size_t done, size_t failed)
{
    static time_t last;
    static bool has_said;
    bool is_last = done == plan->test_count;
    time_t now = time(NULL);
    last = last != 0 ? last : now;
    // A log has a line now and then; a terminal one line that changes.
    if (!isatty(STDERR_FILENO)) {
        if (now - last < SAID_EVERY_S && !(is_last && has_said))
            return;
        fprintf(stderr, "chorex sweep: %zu of %zu runs, %zu failed\n", done, plan->test_count, failed);
        last = now;
        has_said = true;
        return;
    }
    size_t filled = plan->test_count != 0 ? done * BAR / plan->test_count : BAR;
    char bar[BAR + 1];
    memset(bar, '-', BAR);
    memset(bar, '#', filled);
    bar[BAR] = '\0';
    fprintf(stderr, "\r[%s] %zu of %zu runs, %zu failed%s", bar, done, plan->test_count, failed, is_last ? "\n" : "");
    fflush(stderr);
}

// ---- the table ----

typedef struct {
    size_t outcomes[RUN_OUTCOMES], all;
} Row;

static Row row_of(const SweepPlan *plan, TestKind kind, size_t role, bool is_of_role)
{
    Row row = {{0}, 0};
    for (size_t i = 0; i < plan->test_count; i++) {
        const Test *test = &plan->tests[i];
        if (test->kind != kind || (is_of_role && test->role != role))
            continue;
        row.outcomes[test->outcome]++;
        row.all++;
    }
    return row;
}

static void show_row(const char *who, int width, TestKind kind, Row row, FILE *out)
{
    if (row.all == 0)
        return;
    fprintf(out, "%-*s  %-19s  %5zu  %8zu  %12zu  %6zu  %6zu\n", width, who, kind_name(kind), row.all,
            row.outcomes[RUN_SAME], row.outcomes[RUN_OTHER], row.outcomes[RUN_FAILED] + row.outcomes[RUN_DIED],
            row.outcomes[RUN_NO_END]);
}

void show_table(const SweepPlan *plan, FILE *out)
{
    static const char all[] = "all roles";
    int width = (int)strlen(all);
    for (size_t i = 0; i < plan->role_count; i++)
        width = (int)strlen(plan->roles[i].name) > width ? (int)strlen(plan->roles[i].name) : width;
    fprintf(out, "%-*s  %-19s  %5s  %8s  %12s  %6s  %6s\n", width, "", "", "runs", "survived", "other output", "failed",
            "no end");
    for (size_t i = 0; i < plan->role_count; i++) {
        show_row(plan->roles[i].name, width, TEST_CRASH_AT, row_of(plan, TEST_CRASH_AT, i, true), out);
        show_row("", width, TEST_HANG_AT, row_of(plan, TEST_HANG_AT, i, true), out);
    }
    show_row(all, width, TEST_CRASH, row_of(plan, TEST_CRASH, 0, false), out);
    show_row("", width, TEST_HANG, row_of(plan, TEST_HANG, 0, false), out);
    show_row("", width, TEST_KILL, row_of(plan, TEST_KILL, 0, false), out);
}

// ---- runs that failed ----

static void describe(const Test *test, char *text, size_t size)
{
    if (test->outcome == RUN_OTHER)
        snprintf(text, size, "another output");
    else if (test->outcome == RUN_FAILED)
        snprintf(text, size, "exit status %d", test->status);
    else if (test->outcome == RUN_DIED)
        snprintf(text, size, "signal %d (%s)", test->status, strsignal(test->status));
    else
        snprintf(text, size, "no end");
}

// As a shell reads it.
static void show_word(const char *word, FILE *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    putc('\'', out);
    for (; *word != '\0'; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[2]){*word, '\0'}, out);
    putc('\'', out);
}

static void show_command(const SweepPlan *plan, const Test *test, FILE *out)
{
    char settings[SWEEP_SETTINGS];
    plan_settings(plan, test, settings);
    fputs(test->kind == TEST_KILL ? "CHOREX_ISOLATION=process CHOREX_SIM=" : "CHOREX_SIM=", out);
    show_word(settings, out);
    for (char *const *word = plan->options->command; *word != NULL; word++) {
        putc(' ', out);
        show_word(*word, out);
    }
}

void show_failures(const SweepPlan *plan, FILE *out)
{
    size_t failed = 0;
    for (size_t i = 0; i < plan->test_count; i++)
        failed += test_has_failed(plan, &plan->tests[i]);
    if (failed == 0) {
        fprintf(out, "\nAll %zu runs went well.\n", plan->test_count);
        return;
    }
    fprintf(out, "\n%zu of %zu runs failed%s\n", failed, plan->test_count,
            failed > SHOWN_MAX ? "; the first of them:" : ":");
    for (size_t i = 0, shown = 0; i < plan->test_count && shown < SHOWN_MAX; i++) {
        const Test *test = &plan->tests[i];
        char what[64];
        if (!test_has_failed(plan, test))
            continue;
        describe(test, what, sizeof what);
        fputs("  ", out);
        show_command(plan, test, out);
        fprintf(out, "\n    %s%s%s\n", what, test->last[0] != '\0' ? "; " : "", test->last);
        shown++;
    }
}

// ---- JSON ----

static void json_string(const char *text, FILE *out)
{
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++)
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    putc('"', out);
}

void show_json(const SweepPlan *plan, FILE *out)
{
    static const char *const kinds[TEST_KINDS] = {"crash_at", "hang_at", "crash", "hang", "kill"};
    static const char *const outcomes[RUN_OUTCOMES] = {"survived", "other output", "failed", "died", "no end"};
    for (size_t i = 0; i < plan->test_count; i++) {
        const Test *test = &plan->tests[i];
        char settings[SWEEP_SETTINGS];
        plan_settings(plan, test, settings);
        fprintf(out, "{\"kind\":\"%s\",\"outcome\":\"%s\",\"status\":%d,\"sim\":", kinds[test->kind],
                outcomes[test->outcome], test->status);
        json_string(settings, out);
        if (test->kind == TEST_CRASH_AT || test->kind == TEST_HANG_AT) {
            fputs(",\"role\":", out);
            json_string(plan->roles[test->role].name, out);
            fprintf(out, ",\"boundary\":%llu", (unsigned long long)test->number);
        }
        if (test->last[0] != '\0') {
            fputs(",\"stderr\":", out);
            json_string(test->last, out);
        }
        fputs("}\n", out);
    }
}
