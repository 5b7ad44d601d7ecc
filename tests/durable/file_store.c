// file_store.c: a store in one file, for tests: every change is a record at its end. It can be told to end the program, or to fail,
// at a commit:
//
//     FILE_STORE_AT=5:before     kill -9 of the whole process group before the fifth commit writes anything,
//     FILE_STORE_AT=5:torn       when half of it is written,
//     FILE_STORE_AT=5:after      or when it is on disk and nobody has been told
//     FILE_STORE_AT=5:again      it is busy, five times
//     FILE_STORE_AT=5:full       there is no space, five times
//     FILE_STORE_AT=5:doubt      in doubt, and it has happened
//     FILE_STORE_AT=5:doubtnot   in doubt, and it has not
//     FILE_STORE_FULL=FILE       there is no space as long as this file is there
//     FILE_STORE_LOG=FILE        one line for each commit: how many changes it had
//
// Before it is killed, whoever goes on without waiting for the commit has 20 ms to do so.
//
// A record counts if its checksum is right; half of one at the end of the file is what a loss of power leaves behind, and is
// overwritten.

#define _GNU_SOURCE
#include <chorex/store.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Piece {
    struct Piece *next;
    uint32_t level, role;
    size_t size;
    unsigned char *data;
} Piece;

typedef struct Kept {
    struct Kept *next;
    char *choreography, *space, *name, *definition, *home;
    uint64_t term, version, token[2], writer[2], digest, changed_ms, outcome;
    Piece *pieces; // ordered
} Kept;

typedef struct Lease {
    struct Lease *next;
    char *node;
    uint64_t until_ms;
} Lease;

typedef struct {
    int file;
    off_t end; // of what has been read
    char *node;
    uint64_t writer[2];
    Kept *sessions;
    Lease *leases;
    unsigned commits, failures;
} File;

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// ---- records ----

typedef struct {
    unsigned char *data;
    size_t size, capacity, at;
} Bytes;

static void put(Bytes *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->capacity) {
        bytes->capacity = (bytes->size + size) * 2;
        bytes->data = realloc(bytes->data, bytes->capacity);
    }
    if (size > 0)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void put_number(Bytes *bytes, uint64_t number)
{
    put(bytes, &number, sizeof number);
}

static void put_text(Bytes *bytes, const char *text)
{
    put_number(bytes, strlen(text));
    put(bytes, text, strlen(text));
}

static void get(Bytes *bytes, void *data, size_t size)
{
    if (size > 0)
        memcpy(data, bytes->data + bytes->at, size);
    bytes->at += size;
}

static uint64_t get_number(Bytes *bytes)
{
    uint64_t number;
    get(bytes, &number, sizeof number);
    return number;
}

static char *get_text(Bytes *bytes)
{
    size_t size = get_number(bytes);
    char *text = malloc(size + 1);
    get(bytes, text, size);
    text[size] = '\0';
    return text;
}

static uint64_t checksum(const unsigned char *data, size_t size)
{
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ data[i]) * 0x100000001b3u;
    return sum;
}

// ---- what they mean ----

static Kept **find(File *file, const char *choreography, const char *space, const char *name)
{
    Kept **link = &file->sessions;
    while (*link != NULL && (strcmp((*link)->choreography, choreography) != 0 || strcmp((*link)->space, space) != 0 ||
                             strcmp((*link)->name, name) != 0))
        link = &(*link)->next;
    return link;
}

static void pieces_drop(Kept *kept, uint64_t from)
{
    for (Piece **link = &kept->pieces, *piece; (piece = *link) != NULL;) {
        if (piece->level < from) {
            link = &piece->next;
            continue;
        }
        *link = piece->next;
        free(piece->data);
        free(piece);
    }
}

static void piece_put(Kept *kept, uint32_t level, uint32_t role, unsigned char *data, size_t size)
{
    Piece **link = &kept->pieces;
    while (*link != NULL && ((*link)->level < level || ((*link)->level == level && (*link)->role < role)))
        link = &(*link)->next;
    if (*link == NULL || (*link)->level != level || (*link)->role != role) {
        Piece *made = calloc(1, sizeof *made);
        *made = (Piece){*link, level, role, 0, NULL};
        *link = made;
    }
    free((*link)->data);
    (*link)->data = data;
    (*link)->size = size;
}

static void session_free(Kept *kept)
{
    pieces_drop(kept, 0);
    free(kept->choreography);
    free(kept->space);
    free(kept->name);
    free(kept->definition);
    free(kept->home);
    free(kept);
}

static void apply_change(File *file, Bytes *bytes, const uint64_t writer[2], uint64_t time)
{
    char *choreography = get_text(bytes), *space = get_text(bytes), *name = get_text(bytes);
    Kept **link = find(file, choreography, space, name), *kept = *link;
    if (kept == NULL) {
        kept = *link = calloc(1, sizeof *kept);
        kept->choreography = strdup(choreography);
        kept->space = strdup(space);
        kept->name = strdup(name);
    }
    free(choreography);
    free(space);
    free(name);
    kept->term = get_number(bytes);
    bool is_new = get_number(bytes) == 0;
    kept->version++;
    memcpy(kept->writer, writer, sizeof kept->writer);
    kept->changed_ms = time;
    uint64_t token[2];
    get(bytes, token, sizeof token);
    char *definition = get_text(bytes), *home = get_text(bytes);
    uint64_t digest = get_number(bytes);
    if (is_new) {
        memcpy(kept->token, token, sizeof token);
        kept->definition = definition;
        kept->home = home;
        kept->digest = digest;
    } else {
        free(definition);
        free(home);
    }
    kept->outcome = get_number(bytes);
    bool drops = get_number(bytes);
    uint64_t from = get_number(bytes);
    if (drops)
        pieces_drop(kept, from);
    for (uint64_t count = get_number(bytes); count > 0; count--) {
        uint32_t level = (uint32_t)get_number(bytes), role = (uint32_t)get_number(bytes);
        size_t size = get_number(bytes);
        unsigned char *data = malloc(size + 1);
        get(bytes, data, size);
        piece_put(kept, level, role, data, size);
    }
}

static void apply_lease(File *file, Bytes *bytes)
{
    char *node = get_text(bytes);
    Lease *lease = file->leases;
    while (lease != NULL && strcmp(lease->node, node) != 0)
        lease = lease->next;
    if (lease == NULL) {
        lease = calloc(1, sizeof *lease);
        *lease = (Lease){file->leases, strdup(node), 0};
        file->leases = lease;
    }
    lease->until_ms = get_number(bytes);
    free(node);
}

static void apply(File *file, Bytes *bytes)
{
    char kind = (char)get_number(bytes);
    if (kind == 'L') {
        apply_lease(file, bytes);
    } else if (kind == 'C') {
        uint64_t writer[2], time;
        get(bytes, writer, sizeof writer);
        time = get_number(bytes);
        for (uint64_t count = get_number(bytes); count > 0; count--)
            apply_change(file, bytes, writer, time);
    } else {
        char *choreography = get_text(bytes), *space = get_text(bytes), *name = get_text(bytes);
        Kept **link = find(file, choreography, space, name), *kept = *link;
        if (kind == 'T') {
            free(kept->home);
            kept->home = get_text(bytes);
            kept->term = get_number(bytes);
        } else if (kept != NULL) {
            *link = kept->next;
            session_free(kept);
        }
        free(choreography);
        free(space);
        free(name);
    }
}

// ---- the file ----

// What others have written since.
static void catch_up(File *file)
{
    for (;;) {
        uint64_t head[2];
        if (pread(file->file, head, sizeof head, file->end) != sizeof head)
            break;
        struct stat about;
        fstat(file->file, &about);
        if (head[0] > (uint64_t)(about.st_size - file->end))
            break;
        Bytes bytes = {.data = malloc(head[0] + 1), .size = head[0]};
        bool is_whole = pread(file->file, bytes.data, head[0], file->end + (off_t)sizeof head) == (ssize_t)head[0] &&
                        checksum(bytes.data, head[0]) == head[1];
        if (is_whole) {
            apply(file, &bytes);
            file->end += (off_t)(sizeof head + head[0]);
        }
        free(bytes.data);
        if (!is_whole)
            break;
    }
}

static void begin(File *file)
{
    flock(file->file, LOCK_EX);
    catch_up(file);
}

static void finish(File *file)
{
    flock(file->file, LOCK_UN);
}

static void append(File *file, Bytes *bytes, bool is_torn)
{
    uint64_t head[2] = {bytes->size, checksum(bytes->data, bytes->size)};
    Bytes record = {0};
    put(&record, head, sizeof head);
    put(&record, bytes->data, bytes->size);
    size_t size = is_torn ? record.size / 2 : record.size;
    if (ftruncate(file->file, file->end) != 0 || pwrite(file->file, record.data, size, file->end) != (ssize_t)size ||
        fdatasync(file->file) != 0)
        abort();
    free(record.data);
    free(bytes->data);
    if (!is_torn)
        catch_up(file);
}

// ---- the table ----

static int file_open(const char *place, const char *node, const uint64_t writer[2], void **store,
                     char why[CHX_STORE_WHY])
{
    File *file = calloc(1, sizeof *file);
    file->file = open(place, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file->file < 0) {
        int error = errno;
        snprintf(why, CHX_STORE_WHY, "%s: %s", place, strerror(error));
        free(file);
        return -error;
    }
    file->node = strdup(node);
    memcpy(file->writer, writer, sizeof file->writer);
    *store = file;
    return 0;
}

static bool is_current(File *file, const chx_store_change *change)
{
    const Kept *kept = *find(file, change->key.choreography, change->key.space, change->key.name);
    if (kept == NULL || change->version == 0)
        return kept == NULL && change->version == 0;
    return kept->term == change->term && kept->version == change->version && kept->outcome == CHX_STORE_UNFINISHED;
}

static void put_change(Bytes *bytes, const chx_store_change *change)
{
    put_text(bytes, change->key.choreography);
    put_text(bytes, change->key.space);
    put_text(bytes, change->key.name);
    put_number(bytes, change->term);
    put_number(bytes, change->version);
    put(bytes, change->token, sizeof change->token);
    put_text(bytes, change->definition);
    put_text(bytes, change->home);
    put_number(bytes, change->protocol_digest);
    put_number(bytes, change->outcome);
    put_number(bytes, change->drops);
    put_number(bytes, change->drop_from);
    put_number(bytes, change->piece_count);
    for (size_t i = 0; i < change->piece_count; i++) {
        put_number(bytes, change->pieces[i].level);
        put_number(bytes, change->pieces[i].role);
        put_number(bytes, change->pieces[i].size);
        put(bytes, change->pieces[i].data, change->pieces[i].size);
    }
}

static const char *fault_now(File *file)
{
    const char *wanted = getenv("FILE_STORE_AT"), *what = wanted != NULL ? strchr(wanted, ':') : NULL;
    return what != NULL && (unsigned)atoi(wanted) == file->commits ? what + 1 : "";
}

static void commit_all(File *file, chx_store_change *changes, size_t count, bool is_torn)
{
    Bytes bytes = {0};
    uint64_t applied = 0;
    for (size_t i = 0; i < count; i++)
        applied += changes[i].is_applied = is_current(file, &changes[i]);
    put_number(&bytes, 'C');
    put(&bytes, file->writer, sizeof file->writer);
    put_number(&bytes, now_ms());
    put_number(&bytes, applied);
    for (size_t i = 0; i < count; i++)
        if (changes[i].is_applied)
            put_change(&bytes, &changes[i]);
    append(file, &bytes, is_torn);
}

static void log_commit(const File *file, size_t count)
{
    const char *path = getenv("FILE_STORE_LOG");
    FILE *log = path != NULL ? fopen(path, "a") : NULL;
    if (log == NULL)
        return;
    fprintf(log, "%u %zu\n", file->commits, count);
    fclose(log);
}

static int file_commit(void *store, chx_store_change *changes, size_t count, char why[CHX_STORE_WHY])
{
    File *file = store;
    const char *full = getenv("FILE_STORE_FULL");
    if (full != NULL && access(full, F_OK) == 0) {
        snprintf(why, CHX_STORE_WHY, "no space left");
        return -ENOSPC;
    }
    if (file->failures == 0)
        file->commits++;
    const char *fault = fault_now(file);
    bool is_again = strcmp(fault, "again") == 0, is_full = strcmp(fault, "full") == 0;
    if ((is_again || is_full) && file->failures++ < 5) {
        snprintf(why, CHX_STORE_WHY, "%s", is_full ? "no space left" : "it is busy");
        return is_full ? -ENOSPC : -EAGAIN;
    }
    file->failures = 0;
    if (strcmp(fault, "before") == 0 || strcmp(fault, "torn") == 0)
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    if (strcmp(fault, "before") == 0)
        kill(0, SIGKILL);
    if (strcmp(fault, "doubtnot") == 0)
        return -EINPROGRESS;
    begin(file);
    commit_all(file, changes, count, strcmp(fault, "torn") == 0);
    if (strcmp(fault, "torn") == 0 || strcmp(fault, "after") == 0)
        kill(0, SIGKILL);
    finish(file);
    log_commit(file, count);
    return strcmp(fault, "doubt") == 0 ? -EINPROGRESS : 0;
}

static void cut_fill(chx_store_cut *cut, const Kept *kept)
{
    *cut = (chx_store_cut){.key = {kept->choreography, kept->space, kept->name},
                           .term = kept->term,
                           .version = kept->version,
                           .token = {kept->token[0], kept->token[1]},
                           .protocol_digest = kept->digest,
                           .writer = {kept->writer[0], kept->writer[1]},
                           .changed_ms = kept->changed_ms,
                           .definition = kept->definition,
                           .home = kept->home,
                           .outcome = (chx_store_outcome)kept->outcome};
}

static int file_load(void *store, const chx_store_key *key, chx_store_cut *cut, char why[CHX_STORE_WHY])
{
    File *file = store;
    begin(file);
    const Kept *kept = *find(file, key->choreography, key->space, key->name);
    finish(file);
    snprintf(why, CHX_STORE_WHY, "there is no such session");
    if (kept == NULL)
        return -ENOENT;
    cut_fill(cut, kept);
    cut->key = (chx_store_key){strdup(kept->choreography), strdup(kept->space), strdup(kept->name)};
    cut->definition = strdup(kept->definition);
    cut->home = strdup(kept->home);
    for (const Piece *piece = kept->pieces; piece != NULL; piece = piece->next)
        cut->piece_count++;
    cut->pieces = calloc(cut->piece_count + 1, sizeof *cut->pieces);
    size_t i = 0;
    for (const Piece *piece = kept->pieces; piece != NULL; piece = piece->next) {
        void *data = malloc(piece->size + 1);
        memcpy(data, piece->data, piece->size);
        cut->pieces[i++] = (chx_store_piece){piece->level, piece->role, data, piece->size};
    }
    return 0;
}

static void file_release(void *store, chx_store_cut *cut)
{
    (void)store;
    for (size_t i = 0; i < cut->piece_count; i++)
        free((void *)cut->pieces[i].data);
    free(cut->pieces);
    free((void *)cut->key.choreography);
    free((void *)cut->key.space);
    free((void *)cut->key.name);
    free((void *)cut->definition);
    free((void *)cut->home);
}

static bool has_lease(const File *file, const char *node)
{
    for (const Lease *lease = file->leases; lease != NULL; lease = lease->next)
        if (strcmp(lease->node, node) == 0)
            return lease->until_ms > now_ms();
    return false;
}

static int file_take(void *store, const chx_store_key *key, uint64_t term, bool by_hand, uint64_t *new_term,
                     char why[CHX_STORE_WHY])
{
    File *file = store;
    int error = 0;
    begin(file);
    const Kept *kept = *find(file, key->choreography, key->space, key->name);
    snprintf(why, CHX_STORE_WHY, "it is another's");
    if (kept == NULL || kept->term != term)
        error = -ESTALE;
    else if (!by_hand && strcmp(kept->home, file->node) != 0 && has_lease(file, kept->home))
        error = -EBUSY;
    if (error == 0) {
        Bytes bytes = {0};
        put_number(&bytes, 'T');
        put_text(&bytes, key->choreography);
        put_text(&bytes, key->space);
        put_text(&bytes, key->name);
        put_text(&bytes, file->node);
        put_number(&bytes, *new_term = term + 1);
        append(file, &bytes, false);
    }
    finish(file);
    return error;
}

static int file_lease(void *store, uint64_t lease_ms, char why[CHX_STORE_WHY])
{
    File *file = store;
    Bytes bytes = {0};
    (void)why;
    begin(file);
    put_number(&bytes, 'L');
    put_text(&bytes, file->node);
    put_number(&bytes, lease_ms != 0 ? now_ms() + lease_ms : 0);
    append(file, &bytes, false);
    finish(file);
    return 0;
}

static int file_each(void *store, const chx_store_filter *filter, bool (*found)(void *context, const chx_store_cut *),
                     void *context, char why[CHX_STORE_WHY])
{
    File *file = store;
    (void)why;
    begin(file);
    finish(file);
    for (const Kept *kept = file->sessions; kept != NULL; kept = kept->next) {
        chx_store_cut cut;
        cut_fill(&cut, kept);
        if ((!filter->unfinished_only || kept->outcome == CHX_STORE_UNFINISHED) && !found(context, &cut))
            break;
    }
    return 0;
}

static int file_drop(void *store, const chx_store_key *key, uint64_t over_for_ms, char why[CHX_STORE_WHY])
{
    File *file = store;
    (void)over_for_ms;
    (void)why;
    if (key == NULL)
        return 0;
    Bytes bytes = {0};
    begin(file);
    put_number(&bytes, 'D');
    put_text(&bytes, key->choreography);
    put_text(&bytes, key->space);
    put_text(&bytes, key->name);
    append(file, &bytes, false);
    finish(file);
    return 0;
}

static void file_close(void *store)
{
    File *file = store;
    for (Kept *kept = file->sessions, *next; kept != NULL; kept = next) {
        next = kept->next;
        session_free(kept);
    }
    for (Lease *lease = file->leases, *next; lease != NULL; lease = next) {
        next = lease->next;
        free(lease->node);
        free(lease);
    }
    close(file->file);
    free(file->node);
    free(file);
}

extern const chx_store_ops chx_store_ops_file;
const chx_store_ops chx_store_ops_file = {
    .scheme = "file",
    .version = CHX_STORE_VERSION,
    .open = file_open,
    .commit = file_commit,
    .load = file_load,
    .release = file_release,
    .take = file_take,
    .lease = file_lease,
    .each = file_each,
    .drop = file_drop,
    .close = file_close,
};
