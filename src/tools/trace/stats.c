// stats.c: where the time went: `chorex trace --stats`.

#define _GNU_SOURCE
#include "tools/trace/index.h"
#include "tools/trace/path.h"
#include "tools/trace/views.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 30, PATHS_MAX = 3, PATH_ROWS_MAX = 12 };

// What belongs together: a step of a role, a channel, a kind of time on a path.
typedef struct {
    const char *who, *what;
    uint64_t count, total_ns, most_ns, other_ns;
} Row;

typedef struct {
    Arena *arena;
    VECTOR(Row) rows;
    Index *index;
} Table;

static Row *table_row(Table *table, const char *who, const char *what)
{
    uint64_t hash = hash_numbers(hash_bytes(who, strlen(who)), hash_bytes(what, strlen(what)));
    for (IndexCursor cursor = index_find(table->index, hash); index_next(&cursor);) {
        Row *row = &table->rows.items[cursor.item];
        if (strcmp(row->who, who) == 0 && strcmp(row->what, what) == 0)
            return row;
    }
    vector_push(table->arena, &table->rows, ((Row){.who = who, .what = what}));
    index_add(table->index, hash, (uint32_t)table->rows.count - 1);
    return &table->rows.items[table->rows.count - 1];
}

static void row_add(Row *row, uint64_t time_ns, uint64_t other_ns)
{
    row->count++;
    row->total_ns += time_ns;
    row->most_ns = time_ns > row->most_ns ? time_ns : row->most_ns;
    row->other_ns += other_ns;
}

static int compare_rows(const void *one, const void *other)
{
    const Row *a = one, *b = other;
    if (a->total_ns != b->total_ns)
        return a->total_ns > b->total_ns ? -1 : 1;
    int who = strcmp(a->who, b->who);
    return who != 0 ? who : strcmp(a->what, b->what);
}

static Table table_new(Arena *arena)
{
    return (Table){.arena = arena, .index = index_new()};
}

static void table_sort(Table *table)
{
    if (table->rows.count > 0)
        qsort(table->rows.items, table->rows.count, sizeof(Row), compare_rows);
}

static void put_rest(const Table *table, size_t shown, FILE *out)
{
    if (table->rows.count > shown)
        fprintf(out, "  and %zu more\n", table->rows.count - shown);
}

// "get_price (line 22)"; of a choreography that is used: "(chorex/lib/x.h:3)".
static const char *step_name(const Recording *recording, const Record *record)
{
    const Place *place = &recording->places.items[record->place];
    const Run *run = &recording->runs.items[recording->lanes.items[record->lane].session];
    const char *text = record->text != 0 ? recording_text(recording, record->text) : "step";
    if (place->file == run->source)
        return arena_printf(recording->arena, "%s (line %u)", text, (unsigned)place->line);
    return arena_printf(recording->arena, "%s (%s:%u)", text, recording_text(recording, place->file),
                        (unsigned)place->line);
}

// ---- steps and waits ----

static void stats_steps(const Recording *recording, FILE *out)
{
    Table table = table_new(recording->arena);
    for (size_t i = 0; i < recording->events.count; i++) {
        const Record *record = &recording->events.items[i];
        if (record->kind == RECORD_STEP)
            row_add(table_row(&table, family_name(recording, recording->lanes.items[record->lane].role),
                              step_name(recording, record)),
                    record->duration_ns, 0);
    }
    table_sort(&table);
    fprintf(out, "\nTime per step\n  %-16s %-36s %9s %10s %10s %10s\n", "role", "step", "times", "total", "mean",
            "longest");
    for (size_t i = 0; i < table.rows.count && i < ROWS_MAX; i++) {
        const Row *row = &table.rows.items[i];
        fprintf(out, "  %-16s %-36s %9llu %10s %10s %10s\n", row->who, row->what, (unsigned long long)row->count,
                time_text(row->total_ns).text, time_text(row->total_ns / row->count).text,
                time_text(row->most_ns).text);
    }
    put_rest(&table, ROWS_MAX, out);
    index_free(table.index);
}

// From the moment when the receiver had nothing else to do.
static uint64_t waited(const Recording *recording, const Lane *lane, uint32_t position, const Record *record)
{
    if (position == 0)
        return 0;
    const Record *previous = &recording->events.items[recording->by_lane[lane->first_event + position - 1]];
    uint64_t since_ns = previous->time_ns + previous->duration_ns;
    return record->time_ns > since_ns ? record->time_ns - since_ns : 0;
}

static void stats_waits(const Recording *recording, FILE *out)
{
    Table table = table_new(recording->arena);
    for (size_t i = 0; i < recording->lanes.count; i++) {
        const Lane *lane = &recording->lanes.items[i];
        for (uint32_t k = 0; k < lane->event_count; k++) {
            const Record *record = &recording->events.items[recording->by_lane[lane->first_event + k]];
            if (!record_is_in(record))
                continue;
            uint64_t sent_ns = record->link != 0 ? recording->events.items[record->link - 1].time_ns : record->time_ns;
            row_add(table_row(&table, family_name(recording, record->peer), family_name(recording, lane->role)),
                    waited(recording, lane, k, record), record->time_ns - sent_ns);
        }
    }
    table_sort(&table);
    fprintf(out,
            "\nWaits by channel: how long receivers stood still before a message was there\n  %-16s %-16s %9s %10s "
            "%10s %10s %10s\n",
            "from", "to", "messages", "waited", "mean", "longest", "under way");
    for (size_t i = 0; i < table.rows.count && i < ROWS_MAX; i++) {
        const Row *row = &table.rows.items[i];
        fprintf(out, "  %-16s %-16s %9llu %10s %10s %10s %10s\n", row->who, row->what, (unsigned long long)row->count,
                time_text(row->total_ns).text, time_text(row->total_ns / row->count).text, time_text(row->most_ns).text,
                time_text(row->other_ns / row->count).text);
    }
    put_rest(&table, ROWS_MAX, out);
    index_free(table.index);
}

// ---- critical paths ----

static void name_spent(const Recording *recording, const Spent *spent, const char **who, const char **what)
{
    const Record *record = &recording->events.items[spent->event];
    const Place *place = &recording->places.items[record->place];
    *who = family_name(recording, recording->lanes.items[record->lane].role);
    switch (spent->kind) {
    case SPENT_STEP:
        *what = step_name(recording, record);
        break;
    case SPENT_MESSAGE:
        *what = arena_printf(recording->arena, "messages from %s under way", family_name(recording, record->peer));
        break;
    case SPENT_BLOCK:
        *what = arena_printf(recording->arena, "end of the block at line %u", (unsigned)place->line);
        break;
    case SPENT_RECOVERY:
        *what = "recovery from its failure";
        break;
    default:
        *what = "between steps";
        break;
    }
}

static void put_roles(const Recording *recording, const Path *path, uint64_t all_ns, FILE *out)
{
    Table table = table_new(recording->arena);
    for (size_t i = 0; i < path->count; i++) {
        const Spent *spent = &path->items[i];
        const Record *record = &recording->events.items[spent->event];
        const char *who = spent->kind == SPENT_MESSAGE ? "messages under way"
                          : spent->kind == SPENT_RECOVERY
                              ? "recovery"
                              : recording_text(recording, recording->lanes.items[record->lane].role);
        row_add(table_row(&table, who, ""), spent->time_ns, 0);
    }
    table_sort(&table);
    fputs("   ", out);
    for (size_t i = 0; i < table.rows.count && i < PATH_ROWS_MAX; i++)
        fprintf(out, "%s%s %.0f %%", i > 0 ? ", " : "", table.rows.items[i].who,
                100.0 * (double)table.rows.items[i].total_ns / (double)all_ns);
    fputc('\n', out);
    index_free(table.index);
}

static void stats_path(const Recording *recording, const PathIndex *index, uint32_t session, FILE *out)
{
    const Run *run = &recording->runs.items[session];
    uint64_t all_ns = run->end_ns > run->begin_ns ? run->end_ns - run->begin_ns : 1;
    Path path = {0};
    path_find(index, session, &path);
    fprintf(out, "\nCritical path of session %u (%s), which took %s\n", (unsigned)session + 1,
            run_title(recording, run), time_text(all_ns).text);
    put_roles(recording, &path, all_ns, out);
    Table table = table_new(recording->arena);
    for (size_t i = 0; i < path.count; i++) {
        const char *who, *what;
        name_spent(recording, &path.items[i], &who, &what);
        row_add(table_row(&table, who, what), path.items[i].time_ns, 0);
    }
    table_sort(&table);
    for (size_t i = 0; i < table.rows.count && i < PATH_ROWS_MAX; i++) {
        const Row *row = &table.rows.items[i];
        fprintf(out, "  %5.1f %% %10s  %-16s %s", 100.0 * (double)row->total_ns / (double)all_ns,
                time_text(row->total_ns).text, row->who, row->what);
        fprintf(out, row->count > 1 ? ", %llu times\n" : "\n", (unsigned long long)row->count);
    }
    put_rest(&table, PATH_ROWS_MAX, out);
    index_free(table.index);
}

static int compare_lengths(const void *one, const void *other, void *closure)
{
    const Recording *recording = closure;
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    const Run *first = &recording->runs.items[a], *second = &recording->runs.items[b];
    uint64_t first_ns = first->end_ns - first->begin_ns, second_ns = second->end_ns - second->begin_ns;
    if (first_ns != second_ns)
        return first_ns > second_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

// The longest sessions first.
static uint32_t *sort_sessions(const Recording *recording, size_t *count)
{
    uint32_t *sessions = ARENA_ARRAY(recording->arena, uint32_t, recording->runs.count + 1);
    *count = 0;
    for (uint32_t i = 0; i < recording->runs.count; i++)
        if (recording->runs.items[i].lane_count > 0)
            sessions[(*count)++] = i;
    qsort_r(sessions, *count, sizeof *sessions, compare_lengths, (void *)recording);
    return sessions;
}

static void stats_summary(const Recording *recording, size_t sessions, FILE *out)
{
    size_t failures = 0, messages = 0, steps = 0, last_ns = 0;
    for (size_t i = 0; i < recording->events.count; i++) {
        const Record *record = &recording->events.items[i];
        failures += record->kind == RECORD_FAIL;
        messages += record_is_out(record);
        steps += record->kind == RECORD_STEP;
        last_ns = record->time_ns + record->duration_ns > last_ns ? record->time_ns + record->duration_ns : last_ns;
    }
    fprintf(out, "%zu session%s, %zu events in %s: %zu steps, %zu messages, %zu failure%s\n", sessions,
            sessions == 1 ? "" : "s", recording->events.count,
            time_text(last_ns - recording->events.items[0].time_ns).text, steps, messages, failures,
            failures == 1 ? "" : "s");
}

void view_stats(const Recording *recording, FILE *out)
{
    size_t count;
    uint32_t *sessions = sort_sessions(recording, &count);
    PathIndex *index = path_index_new(recording);
    stats_summary(recording, count, out);
    stats_steps(recording, out);
    stats_waits(recording, out);
    for (size_t i = 0; i < count && i < PATHS_MAX; i++)
        stats_path(recording, index, sessions[i], out);
    if (count > PATHS_MAX)
        fprintf(out, "\nThe other %zu sessions were shorter.\n", count - PATHS_MAX);
    path_index_free(index);
}
