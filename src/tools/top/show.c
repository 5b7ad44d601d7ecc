// show.c: see show.h.

#define _GNU_SOURCE
#include "tools/top/show.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    FILE *out;
    unsigned lines, columns; // left; of each
    bool is_limited;
} Screen;

// A line, cut where the screen ends: never in the middle of a character. False: the screen is full.
static bool line(Screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool line(Screen *screen, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    if (screen->is_limited && screen->lines == 0)
        return false;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t length = strlen(text), shown = 0, columns = 0;
    while (shown < length && (!screen->is_limited || columns < screen->columns)) {
        shown++;
        while (((unsigned char)text[shown] & 0xC0) == 0x80)
            shown++;
        columns++;
    }
    // The last line has no end, lest the screen moves up.
    screen->lines--;
    fprintf(screen->out, "%.*s%s", (int)shown, text, screen->is_limited && screen->lines == 0 ? "" : "\n");
    return true;
}

static const char *duration(uint64_t ns, char text[32])
{
    double seconds = (double)ns / 1e9;
    if (seconds < 100)
        snprintf(text, 32, "%.1fs", seconds);
    else if (seconds < 6000)
        snprintf(text, 32, "%.0fm", seconds / 60);
    else
        snprintf(text, 32, "%.0fh", seconds / 3600);
    return text;
}

static bool role_line(Screen *screen, const AnswerRole *role)
{
    char place[512] = "", what[256];
    if (role->line != 0)
        snprintf(place, sizeof place, "%s:%" PRIu64, role->file, role->line);
    if (strcmp(role->what, "waits") == 0)
        snprintf(what, sizeof what, "waits for %s", role->why);
    else if (strcmp(role->what, "process") == 0)
        snprintf(what, sizeof what, "in a process of its own");
    else if (strcmp(role->what, "elsewhere") == 0)
        snprintf(what, sizeof what, "on another node");
    else
        snprintf(what, sizeof what, "%s", strcmp(role->what, "ended") == 0 ? "has ended" : "is at work");
    return place[0] != '\0' ? line(screen, "  %-15s %s, %s", role->name, place, what)
                            : line(screen, "  %-15s %s", role->name, what);
}

static bool session_lines(Screen *screen, const Answer *answer, const AnswerSession *session)
{
    char name[256], age[32], quiet[32];
    snprintf(name, sizeof name, "%s.%s", session->choreography, session->definition);
    bool goes_on =
        line(screen, "%-16s %-24s %7s %7s %12" PRIu64 " %8" PRIu64 "%s%s", session->token, name,
             duration(session->age_ns, age), duration(session->quiet_ns, quiet), session->messages, session->restarts,
             strcmp(session->state, "runs") != 0 ? " " : "", strcmp(session->state, "runs") != 0 ? session->state : "");
    for (size_t i = 0; i < session->listed_roles && goes_on; i++)
        goes_on = role_line(screen, &answer->roles[session->first_role + i]);
    if (goes_on && session->listed_roles > 0 && session->role_count > session->listed_roles)
        goes_on = line(screen, "  and %" PRIu64 " more roles", session->role_count - session->listed_roles);
    return goes_on;
}

static double rate(uint64_t now, uint64_t before, uint64_t ns)
{
    return ns > 0 && now > before ? (double)(now - before) * 1e9 / (double)ns : 0;
}

void show_table(const Answer *answer, const Answer *earlier, unsigned lines, unsigned columns, FILE *out)
{
    Screen screen = {out, lines, columns, lines != 0};
    line(&screen, "%s, process %" PRIu64 ": %" PRIu64 " sessions, %" PRIu64 " begun, %" PRIu64 " ended",
         answer->program, answer->pid, answer->sessions, answer->begun, answer->ended);
    if (earlier != NULL) {
        uint64_t ns = answer->now_ns - earlier->now_ns;
        line(&screen, "per second: %.0f sessions ended, %.0f messages, %.1f restarts",
             rate(answer->ended, earlier->ended, ns), rate(answer->messages, earlier->messages, ns),
             rate(answer->restarts, earlier->restarts, ns));
    } else {
        line(&screen, "%" PRIu64 " messages, %" PRIu64 " restarts", answer->messages, answer->restarts);
    }
    if (answer->looked_at < answer->sessions)
        line(&screen, "only the %" PRIu64 " oldest sessions were looked at", answer->looked_at);
    line(&screen, "%-16s %-24s %7s %7s %12s %8s", "SESSION", "CHOREOGRAPHY", "AGE", "QUIET", "MESSAGES", "RESTARTS");
    for (size_t i = 0; i < answer->session_count; i++)
        if (!session_lines(&screen, answer, &answer->session_list[i]))
            return;
}

// ---- JSON ----

static void put_text(const char *name, const char *text, FILE *out)
{
    fprintf(out, "\"%s\":\"", name);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc((unsigned char)*text < ' ' ? '?' : *text, out);
    }
    fputc('"', out);
}

static void put_number(const char *name, uint64_t value, FILE *out)
{
    fprintf(out, "\"%s\":%" PRIu64, name, value);
}

static void put_role(const AnswerRole *role, FILE *out)
{
    fputc('{', out);
    put_text("role", role->name, out);
    fputc(',', out);
    put_text("is", role->what, out);
    if (strcmp(role->what, "waits") == 0) {
        fputc(',', out);
        put_text("for", role->why, out);
    }
    if (role->line != 0) {
        fputc(',', out);
        put_text("function", role->function, out);
        fputc(',', out);
        put_text("file", role->file, out);
        fputc(',', out);
        put_number("line", role->line, out);
    }
    fputc('}', out);
}

static void put_session(const Answer *answer, const AnswerSession *session, FILE *out)
{
    const char *const texts[] = {"session",    session->token,      "choreography", session->choreography,
                                 "definition", session->definition, "state",        session->state};
    fputc('{', out);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i += 2) {
        put_text(texts[i], texts[i + 1], out);
        fputc(',', out);
    }
    fprintf(out,
            "\"age_ns\":%" PRIu64 ",\"quiet_ns\":%" PRIu64 ",\"messages\":%" PRIu64 ",\"restarts\":%" PRIu64
            ",\"role_count\":%" PRIu64 ",\"roles\":[",
            session->age_ns, session->quiet_ns, session->messages, session->restarts, session->role_count);
    for (size_t i = 0; i < session->listed_roles; i++) {
        fputs(i > 0 ? "," : "", out);
        put_role(&answer->roles[session->first_role + i], out);
    }
    fputs("]}", out);
}

void show_json(const Answer *answer, FILE *out)
{
    fputc('{', out);
    put_text("program", answer->program, out);
    fprintf(out,
            ",\"pid\":%" PRIu64 ",\"now_ns\":%" PRIu64 ",\"sessions\":%" PRIu64 ",\"looked_at\":%" PRIu64
            ",\"begun\":%" PRIu64 ",\"ended\":%" PRIu64 ",\"messages\":%" PRIu64 ",\"restarts\":%" PRIu64 ",\"list\":[",
            answer->pid, answer->now_ns, answer->sessions, answer->looked_at, answer->begun, answer->ended,
            answer->messages, answer->restarts);
    for (size_t i = 0; i < answer->session_count; i++) {
        fputs(i > 0 ? "," : "", out);
        put_session(answer, &answer->session_list[i], out);
    }
    fputs("]}\n", out);
    fflush(out);
}
