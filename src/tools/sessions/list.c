// list.c: all sessions of a store.

#define _GNU_SOURCE

#include "tools/sessions/sessions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *name, *what, *home;
    char place[PLACE_SIZE], age[AGE_SIZE];
    const char *awaited, *outcome;
} Row;

typedef struct {
    const Store *store;
    const Options *options;
    Row *rows;
    size_t count, capacity;
    chx_store_key *orphans; // in the order in which sessions are listed
    size_t orphan_count, orphan_capacity, orphan_at;
    bool no_memory;
} List;

static bool is_wanted(const Options *options, const chx_store_cut *cut)
{
    return options->space == NULL || strcmp(options->space, cut->key.space) == 0;
}

// ---- sessions whose home is not there ----

static bool note_orphan(void *context, const chx_store_cut *cut)
{
    List *list = context;
    if (list->orphan_count == list->orphan_capacity) {
        size_t capacity = 2 * list->orphan_capacity + 16;
        chx_store_key *orphans = realloc(list->orphans, capacity * sizeof *orphans);
        list->no_memory |= orphans == NULL;
        if (orphans == NULL)
            return false;
        list->orphans = orphans;
        list->orphan_capacity = capacity;
    }
    list->orphans[list->orphan_count++] = (chx_store_key){
        .choreography = strdup(cut->key.choreography), .space = strdup(cut->key.space), .name = strdup(cut->key.name)};
    return true;
}

// Both lists are in the same order, but something may have happened in between: then the next ones count as having a home.
static bool is_orphan(List *list, const chx_store_key *key)
{
    if (list->orphan_at == list->orphan_count)
        return false;
    const chx_store_key *next = &list->orphans[list->orphan_at];
    bool is_it = strcmp(next->name, key->name) == 0 && strcmp(next->space, key->space) == 0 &&
                 strcmp(next->choreography, key->choreography) == 0;
    list->orphan_at += is_it;
    return is_it;
}

// ---- rows ----

// Names come from users: nothing in them may control a terminal.
static char *printable(const char *text)
{
    char *copy = strdup(text[0] != '\0' ? text : "-");
    for (char *at = copy; at != NULL && *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '?';
    return copy;
}

static void describe(const List *list, const chx_store_cut *cut, Row *row)
{
    chx_store_cut whole;
    char why[CHX_STORE_WHY];
    int error = list->store->ops->load(list->store->store, &cut->key, &whole, why);
    if (error != 0) {
        snprintf(row->place, sizeof row->place, "%s",
                 error == -EBADMSG  ? "damaged"
                 : error == -ENOENT ? "gone"
                                    : "unknown");
        return;
    }
    Failure ignored;
    place_describe(&whole, row->place, &ignored);
    list->store->ops->release(list->store->store, &whole);
}

static bool add_row(void *context, const chx_store_cut *cut)
{
    List *list = context;
    bool orphan = is_orphan(list, &cut->key);
    if (!is_wanted(list->options, cut))
        return true;
    if (list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 16;
        Row *rows = realloc(list->rows, capacity * sizeof *rows);
        list->no_memory |= rows == NULL;
        if (rows == NULL)
            return false;
        list->rows = rows;
        list->capacity = capacity;
    }
    Row *row = &list->rows[list->count++];
    char what[400], name[2100], home[HOME_SIZE];
    home_describe(cut, home);
    snprintf(what, sizeof what, "%s.%s", cut->key.choreography, cut->definition);
    snprintf(name, sizeof name, "%s%s%s", cut->key.space, cut->key.space[0] != '\0' ? "/" : "", cut->key.name);
    *row = (Row){.name = printable(name), .what = printable(what), .home = printable(home)};
    row->awaited = awaited_describe(cut, home_is_alive(cut, !orphan));
    row->outcome = cut->outcome == CHX_STORE_OVER ? "over" : "unfinished";
    age_describe(cut, row->age);
    describe(list, cut, row);
    list->no_memory |= row->name == NULL || row->what == NULL || row->home == NULL;
    return !list->no_memory;
}

static size_t wider(size_t width, const char *text)
{
    size_t length = 0;
    for (; *text != '\0'; text++)
        length += ((unsigned char)*text & 0xc0) != 0x80; // characters, not bytes
    return length > width ? length : width;
}

static void print_cell(const char *text, size_t width)
{
    fputs(text, stdout);
    for (size_t length = wider(0, text); length < width + 2; length++)
        putchar(' ');
}

static void print_table(const List *list)
{
    static const char *const titles[] = {"NAME", "FUNCTION", "STANDS", "AGE", "HOME", "WAITS FOR"};
    enum { COLUMNS = sizeof titles / sizeof titles[0] };
    size_t widths[COLUMNS] = {0};
    for (size_t i = 0; i <= list->count; i++) {
        const Row *row = i > 0 ? &list->rows[i - 1] : NULL;
        for (int j = 0; j < COLUMNS; j++) {
            const char *const cells[] = {row ? row->name : "", row ? row->what : "", row ? row->place : "",
                                         row ? row->age : "",  row ? row->home : "", row ? row->awaited : ""};
            widths[j] = wider(widths[j], i == 0 ? titles[j] : cells[j]);
        }
    }
    for (size_t i = 0; i <= list->count; i++) {
        const Row *row = i > 0 ? &list->rows[i - 1] : NULL;
        for (int j = 0; j < COLUMNS; j++) {
            const char *const cells[] = {row ? row->name : "", row ? row->what : "", row ? row->place : "",
                                         row ? row->age : "",  row ? row->home : "", row ? row->awaited : ""};
            print_cell(i == 0 ? titles[j] : cells[j], widths[j]);
        }
        printf("%s\n", row == NULL ? "OUTCOME" : row->outcome);
    }
}

// ---- JSON: one object in each line, as they come ----

static bool print_json(void *context, const chx_store_cut *cut)
{
    List *list = context;
    Row row = {0};
    bool orphan = is_orphan(list, &cut->key);
    if (!is_wanted(list->options, cut))
        return true;
    describe(list, cut, &row);
    json_session(stdout, cut);
    fputs(",\"stands\":", stdout);
    json_string(stdout, row.place);
    bool is_alive = home_is_alive(cut, !orphan);
    printf(",\"waits_for\":\"%s\",\"alive\":%s}\n", awaited_describe(cut, is_alive), is_alive ? "true" : "false");
    return true;
}

int sessions_list(const Store *store, const Options *options)
{
    List list = {.store = store, .options = options};
    char why[CHX_STORE_WHY] = "";
    chx_store_filter filter = {.choreography = options->choreography, .orphans_only = true};
    int error = store->ops->each(store->store, &filter, note_orphan, &list, why);
    filter.orphans_only = false;
    if (error == 0)
        error = store->ops->each(store->store, &filter, options->is_json ? print_json : add_row, &list, why);
    if (list.no_memory)
        error = -ENOMEM;
    if (error == 0 && !options->is_json && list.count > 0)
        print_table(&list);
    if (error == 0 && !options->is_json && list.count == 0)
        puts("no sessions");
    for (size_t i = 0; i < list.orphan_count; i++) {
        free((char *)list.orphans[i].choreography);
        free((char *)list.orphans[i].space);
        free((char *)list.orphans[i].name);
    }
    for (size_t i = 0; i < list.count; i++) {
        free(list.rows[i].name);
        free(list.rows[i].what);
        free(list.rows[i].home);
    }
    free(list.orphans);
    free(list.rows);
    return error == 0 ? 0 : sessions_error(EXIT_WRONG, "%s", list.no_memory ? "there is no memory" : why);
}
