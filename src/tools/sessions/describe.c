// describe.c: how sessions are written, for people and as JSON.

#include "tools/sessions/sessions.h"

#include "base/owner.h"
#include "chorex.h"

#include <inttypes.h>
#include <time.h>

// ---- what the runtime writes about a level, and about the end (docs/wire.md) ----

enum { FORM = 1, NUMBERS_MAX = 7 };

// So many numbers of 4 bytes, the first of which is the version of the form, then the role that failed and why. False: it is something else.
static bool read_piece(const chx_store_piece *piece, size_t count, uint32_t numbers[NUMBERS_MAX], Failure *failure)
{
    const unsigned char *at = piece->data, *end = at + piece->size;
    char *const texts[] = {failure->role, failure->why};
    const size_t sizes[] = {sizeof failure->role, sizeof failure->why};
    *failure = (Failure){0};
    for (size_t i = 0; i < count; i++, at += 4) {
        if (end - at < 4)
            return false;
        numbers[i] = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    }
    for (size_t i = 0; i < 2; i++) {
        if (end - at < 4)
            return false;
        uint32_t size = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
        at += 4;
        if (size > (size_t)(end - at))
            return false;
        snprintf(texts[i], sizes[i], "%.*s", (int)size, (const char *)at);
        at += size;
    }
    return numbers[0] == FORM;
}

static const chx_store_piece *head_of(const chx_store_cut *cut, uint32_t level)
{
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].level == level && cut->pieces[i].role == CHX_STORE_HEAD)
            return &cut->pieces[i];
    return NULL;
}

static uint32_t depth_of(const chx_store_cut *cut)
{
    uint32_t depth = 0;
    for (size_t i = 0; i < cut->piece_count; i++)
        if (cut->pieces[i].level != CHX_STORE_RESULTS && cut->pieces[i].level > depth)
            depth = cut->pieces[i].level;
    return depth;
}

bool place_describe(const chx_store_cut *cut, char text[static PLACE_SIZE], Failure *failure)
{
    uint32_t depth = depth_of(cut), numbers[NUMBERS_MAX];
    bool is_over = cut->outcome == CHX_STORE_OVER;
    const chx_store_piece *head = head_of(cut, is_over ? CHX_STORE_RESULTS : depth);
    *failure = (Failure){0};
    if (is_over) {
        bool is_known = head != NULL && read_piece(head, 6, numbers, failure);
        snprintf(text, PLACE_SIZE, "%s",
                 !is_known                     ? "over"
                 : numbers[1] == CHX_OK        ? "over: ok"
                 : numbers[1] == CHX_CANCELLED ? "over: cancelled"
                                               : "over: failed");
        return is_known && numbers[1] != CHX_OK;
    }
    if (depth == 0)
        snprintf(text, PLACE_SIZE, "between blocks");
    else if (head != NULL && read_piece(head, 7, numbers, failure))
        snprintf(text, PLACE_SIZE, "level %" PRIu32 ", attempt %" PRIu32, depth, numbers[3] + 1);
    else
        snprintf(text, PLACE_SIZE, "level %" PRIu32, depth);
    return failure->why[0] != '\0';
}

void home_describe(const chx_store_cut *cut, char text[static HOME_SIZE])
{
    int process;
    // A program without a node's configuration says which process of which machine it is.
    if (sscanf(cut->home, "local %*s %*s %d ", &process) == 1)
        snprintf(text, HOME_SIZE, "process %d", process);
    else
        snprintf(text, HOME_SIZE, "%s", cut->home[0] != '\0' ? cut->home : "-");
}

bool home_is_alive(const chx_store_cut *cut, bool has_lease)
{
    long process;
    // What can be seen on this machine is more than what a lease says: a process that was killed has one for a while.
    OwnerState owner = owner_state(cut->home, &process);
    if (cut->outcome == CHX_STORE_OVER || cut->home[0] == '\0')
        return false;
    return owner == OWNER_UNKNOWN ? has_lease : owner != OWNER_DEAD;
}

const char *awaited_describe(const chx_store_cut *cut, bool is_alive)
{
    return cut->outcome == CHX_STORE_OVER ? "-" : is_alive ? "its roles" : "a program";
}

void age_describe(const chx_store_cut *cut, char text[static AGE_SIZE])
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    uint64_t seconds = now_ms > cut->changed_ms ? (now_ms - cut->changed_ms) / 1000 : 0;
    if (seconds < 120)
        snprintf(text, AGE_SIZE, "%" PRIu64 " s", seconds);
    else if (seconds < 120 * 60)
        snprintf(text, AGE_SIZE, "%" PRIu64 " min", seconds / 60);
    else if (seconds < 48 * 3600)
        snprintf(text, AGE_SIZE, "%" PRIu64 " h", seconds / 3600);
    else
        snprintf(text, AGE_SIZE, "%" PRIu64 " d", seconds / 86400);
}

void json_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            fprintf(out, "\\u%04x", *at);
        else
            fputc(*at, out);
    }
    fputc('"', out);
}

static void json_member(FILE *out, const char *name, const char *value)
{
    fprintf(out, "\"%s\":", name);
    json_string(out, value);
    fputc(',', out);
}

void json_session(FILE *out, const chx_store_cut *cut)
{
    fputc('{', out);
    json_member(out, "name", cut->key.name);
    json_member(out, "space", cut->key.space);
    json_member(out, "choreography", cut->key.choreography);
    json_member(out, "definition", cut->definition);
    json_member(out, "home", cut->home);
    json_member(out, "outcome", cut->outcome == CHX_STORE_OVER ? "over" : "unfinished");
    fprintf(out,
            "\"term\":%" PRIu64 ",\"version\":%" PRIu64 ",\"changed_ms\":%" PRIu64 ",\"protocol_digest\":\"%016" PRIx64
            "\"",
            cut->term, cut->version, cut->changed_ms, cut->protocol_digest);
}
