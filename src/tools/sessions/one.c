// one.c: shows, drops and exports one session.

#define _GNU_SOURCE

#include "tools/sessions/sessions.h"

#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Sessions with the name that was given, as far as the other options leave them.
typedef struct {
    const Options *options;
    char *choreography, *space;
    size_t count;
} Search;

static bool note(void *context, const chx_store_cut *cut)
{
    Search *search = context;
    const Options *options = search->options;
    if (strcmp(options->name, cut->key.name) != 0 ||
        (options->space != NULL && strcmp(options->space, cut->key.space) != 0))
        return true;
    if (search->count++ == 0) {
        search->choreography = strdup(cut->key.choreography);
        search->space = strdup(cut->key.space);
    }
    return search->count < 2;
}

static int find(const Store *store, const Options *options, bool orphans_only, Search *search)
{
    char why[CHX_STORE_WHY] = "";
    chx_store_filter filter = {.choreography = options->choreography, .orphans_only = orphans_only};
    *search = (Search){.options = options};
    if (store->ops->each(store->store, &filter, note, search, why) != 0)
        return sessions_error(EXIT_WRONG, "%s", why);
    return 0;
}

static void search_fini(Search *search)
{
    free(search->choreography);
    free(search->space);
}

static int find_one(const Store *store, const Options *options, Search *search)
{
    int status = find(store, options, false, search);
    if (status == 0 && search->count == 0)
        status = sessions_error(EXIT_WRONG, "there is no session '%s'", options->name);
    else if (status == 0 && search->count > 1)
        status =
            sessions_error(EXIT_WRONG, "several sessions are called '%s': say which one with --choreography or --space",
                           options->name);
    if (status == 0 && (search->choreography == NULL || search->space == NULL))
        status = sessions_error(EXIT_WRONG, "there is no memory");
    if (status != 0)
        search_fini(search);
    return status;
}

static chx_store_key key_of(const Search *search)
{
    return (chx_store_key){.choreography = search->choreography, .space = search->space, .name = search->options->name};
}

static int load(const Store *store, const Options *options, chx_store_cut *cut)
{
    char why[CHX_STORE_WHY] = "";
    Search search;
    int status = find_one(store, options, &search);
    if (status != 0)
        return status;
    chx_store_key key = key_of(&search);
    if (store->ops->load(store->store, &key, cut, why) != 0)
        status = sessions_error(EXIT_WRONG, "%s", why);
    search_fini(&search);
    return status;
}

// ---- show ----

static void level_text(uint32_t level, char text[static 16])
{
    if (level == CHX_STORE_RESULTS)
        snprintf(text, 16, "results");
    else if (level == 0)
        snprintf(text, 16, "base");
    else
        snprintf(text, 16, "%" PRIu32, level);
}

static void role_text(uint32_t role, char text[static 16])
{
    if (role == CHX_STORE_HEAD)
        snprintf(text, 16, "head");
    else
        snprintf(text, 16, "%" PRIu32, role);
}

static void print_session(const chx_store_cut *cut, bool has_lease)
{
    char place[PLACE_SIZE], age[AGE_SIZE], home[HOME_SIZE], level[16], role[16];
    Failure failure;
    bool has_failed = place_describe(cut, place, &failure);
    home_describe(cut, home);
    age_describe(cut, age);
    printf("name      %s\n", cut->key.name);
    if (cut->key.space[0] != '\0')
        printf("space     %s\n", cut->key.space);
    printf("function  %s.%s (protocol %016" PRIx64 ")\n", cut->key.choreography, cut->definition, cut->protocol_digest);
    printf("stands    %s\n", place);
    if (has_failed)
        printf("failure   %s%s%s\n", failure.role, failure.role[0] != '\0' ? ": " : "", failure.why);
    printf("changed   %s ago, version %" PRIu64 " of term %" PRIu64 "\n", age, cut->version, cut->term);
    printf("home      %s\n", home);
    printf("waits for %s\n", awaited_describe(cut, home_is_alive(cut, has_lease)));
    printf("outcome   %s\n", cut->outcome == CHX_STORE_OVER ? "over" : "unfinished");
    printf("%-10s%-10s%12s\n", "LEVEL", "ROLE", "BYTES");
    for (size_t i = 0; i < cut->piece_count; i++) {
        level_text(cut->pieces[i].level, level);
        role_text(cut->pieces[i].role, role);
        printf("%-10s%-10s%12zu\n", level, role, cut->pieces[i].size);
    }
}

static void print_pieces(FILE *out, const chx_store_cut *cut, bool with_data)
{
    fputs(",\"pieces\":[", out);
    for (size_t i = 0; i < cut->piece_count; i++) {
        const chx_store_piece *piece = &cut->pieces[i];
        const unsigned char *bytes = piece->data;
        fprintf(out, "%s{\"level\":%" PRIu32 ",\"role\":%" PRIu32 ",\"size\":%zu", i > 0 ? "," : "", piece->level,
                piece->role, piece->size);
        if (with_data)
            fputs(",\"data\":\"", out);
        for (size_t j = 0; j < piece->size && with_data; j++)
            fprintf(out, "%02x", bytes[j]);
        fputs(with_data ? "\"}" : "}", out);
    }
    fputs("]}\n", out);
}

int sessions_show(const Store *store, const Options *options)
{
    chx_store_cut cut;
    int status = load(store, options, &cut);
    if (status != 0)
        return status;
    if (options->is_json) {
        json_session(stdout, &cut);
        print_pieces(stdout, &cut, false);
    } else {
        Search orphans;
        status = find(store, options, true, &orphans);
        if (status == 0)
            print_session(&cut, orphans.count == 0);
        search_fini(&orphans);
    }
    store->ops->release(store->store, &cut);
    return status;
}

// ---- drop ----

// Nobody who is alive decides about it.
static int check_home(const Store *store, const Options *options, const chx_store_key *key)
{
    chx_store_cut cut;
    char why[CHX_STORE_WHY] = "", who[HOME_SIZE];
    Search orphans;
    int error = store->ops->load(store->store, key, &cut, why);
    if (error == -EBADMSG)
        return 0;
    if (error != 0)
        return sessions_error(EXIT_WRONG, "%s", why);
    int status = find(store, options, true, &orphans);
    owner_describe(cut.home, who, sizeof who);
    if (status == 0 && home_is_alive(&cut, orphans.count == 0))
        status =
            sessions_error(EXIT_WRONG, "%s, which decides about session '%s', is alive; --force drops it all the same",
                           who, key->name);
    search_fini(&orphans);
    store->ops->release(store->store, &cut);
    return status;
}

int sessions_drop(const Store *store, const Options *options)
{
    char why[CHX_STORE_WHY] = "";
    Search search;
    int status = find_one(store, options, &search);
    if (status != 0)
        return status;
    chx_store_key key = key_of(&search);
    if (!options->is_forced)
        status = check_home(store, options, &key);
    if (status == 0 && store->ops->drop(store->store, &key, 0, why) != 0)
        status = sessions_error(EXIT_WRONG, "%s", why);
    if (status == 0)
        printf("session '%s' of %s was dropped\n", key.name, key.choreography);
    search_fini(&search);
    return status;
}

// ---- export ----

static void write_cut(FILE *out, const chx_store_cut *cut)
{
    json_session(out, cut);
    fprintf(out, ",\"token\":\"%016" PRIx64 "%016" PRIx64 "\"", cut->token[0], cut->token[1]);
    print_pieces(out, cut, true);
}

static int write_file(const char *path, const chx_store_cut *cut)
{
    // It has everything that the roles knew: nobody else may read it.
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL)
        return sessions_error(EXIT_WRONG, "'%s' can't be made: %s", path, strerror(errno));
    write_cut(out, cut);
    bool failed = ferror(out) != 0;
    if (fclose(out) == 0 && !failed)
        return 0;
    int status = sessions_error(EXIT_WRONG, "'%s' can't be written: %s", path, strerror(errno));
    unlink(path);
    return status;
}

int sessions_export(const Store *store, const Options *options)
{
    chx_store_cut cut;
    int status = load(store, options, &cut);
    if (status != 0)
        return status;
    if (options->file != NULL)
        status = write_file(options->file, &cut);
    else
        write_cut(stdout, &cut);
    store->ops->release(store->store, &cut);
    return status;
}
