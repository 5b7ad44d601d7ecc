// event.c: see event.h.

#include "trace/event.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// What every line ends with fits behind what may be cut.
enum { LINE_TAIL_BYTES = 16, TEXT_BYTES_MAX = 900 };

typedef struct {
    char *data;
    size_t size;
} Line;

static const char *const kind_names[EVENT_KIND_COUNT] = {
    "start", "end",   "role",   "call",  "return",  "step",    "send",    "receive", "tell",  "told",
    "fail",  "enter", "arrive", "leave", "recover", "restart", "session", "clock",   "close",
};

const char *event_kind_name(EventKind kind)
{
    return kind_names[kind];
}

static void line_add(Line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line_add(Line *line, const char *format, ...)
{
    size_t room = EVENT_BYTES_MAX - LINE_TAIL_BYTES - line->size;
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(line->data + line->size, room, format, arguments);
    va_end(arguments);
    // All or nothing: half a member would spoil the file.
    if (size > 0 && (size_t)size < room)
        line->size += (size_t)size;
}

// Bytes of the UTF-8 character at the beginning of the text; 0: it is none.
static size_t character_bytes(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    size_t count = first < 0x80 ? 1 : first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
    if (first >= 0x80 && (first < 0xc2 || first > 0xf4))
        return 0;
    for (size_t i = 1; i < count; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            return 0;
    return count;
}

// `name` is its JSON name. A text that is too long is cut; what is not UTF-8 becomes a question mark.
static void line_add_text(Line *line, const char *name, const char *text)
{
    char quoted[TEXT_BYTES_MAX];
    size_t size = 0;
    while (*text != '\0' && size < sizeof quoted - 8) {
        unsigned char byte = (unsigned char)*text;
        size_t count = character_bytes(text);
        if (byte == '"' || byte == '\\') {
            size += (size_t)snprintf(quoted + size, 3, "\\%c", byte);
        } else if (byte < 0x20 || byte == 0x7f) {
            size += (size_t)snprintf(quoted + size, 7, "\\u%04x", (unsigned)byte);
        } else if (count == 0) {
            quoted[size++] = '?';
        } else {
            memcpy(quoted + size, text, count);
            size += count;
        }
        text += count != 0 ? count : 1;
    }
    quoted[size] = '\0';
    line_add(line, "\"%s\":\"%s\"", name, quoted);
}

static void line_add_time(Line *line, const char *name, uint64_t time_ns)
{
    line_add(line, "\"%s\":%" PRIu64 ".%03u,", name, time_ns / 1000, (unsigned)(time_ns % 1000));
}

static void write_metadata(Line *line, const char *what, uint64_t session, unsigned thread, const char *name)
{
    line_add(line, "{\"ph\":\"M\",\"pid\":%" PRIu64 ",\"tid\":%u,\"name\":\"%s\",\"args\":{", session, thread, what);
    line_add_text(line, "name", name);
    line_add(line, "}},\n");
}

static bool kind_is_message(EventKind kind)
{
    return kind >= EVENT_SEND && kind <= EVENT_TOLD;
}

static bool kind_is_block(EventKind kind)
{
    return kind >= EVENT_ENTER && kind <= EVENT_RESTART;
}

// What Perfetto shows on the slice.
static void write_label(Line *line, const Event *event)
{
    char label[256];
    switch (event->kind) {
    case EVENT_SEND:
    case EVENT_TELL:
        snprintf(label, sizeof label, "%s to %s", kind_names[event->kind], event->peer);
        break;
    case EVENT_RECEIVE:
    case EVENT_TOLD:
        snprintf(label, sizeof label, event->kind == EVENT_TOLD ? "told by %s" : "receive from %s", event->peer);
        break;
    case EVENT_CALL:
    case EVENT_RETURN:
        snprintf(label, sizeof label, "%s", event->text);
        break;
    case EVENT_STEP:
        if (event->text != NULL)
            snprintf(label, sizeof label, "%s", event->text);
        else
            snprintf(label, sizeof label, "line %d", event->line);
        break;
    default:
        snprintf(label, sizeof label, "%s", kind_names[event->kind]);
        break;
    }
    line_add_text(line, "name", label);
}

static void write_session(Line *line, const Event *event)
{
    if (event->kind == EVENT_START) {
        line_add(line, "\"token\":\"%016" PRIx64 "%016" PRIx64 "\",", event->token[0], event->token[1]);
        line_add_text(line, "choreography", event->choreography);
        line_add(line, ",");
        line_add_text(line, "definition", event->definition);
        line_add(line, ",");
        line_add_text(line, "file", event->file);
        if (event->name != NULL) {
            line_add(line, ",");
            line_add_text(line, "session", event->name);
            line_add(line, ",\"resumed\":%s", event->is_resumed ? "true" : "false");
        }
    } else {
        line_add_text(line, "status", event->status);
        if (event->text != NULL && event->text[0] != '\0') {
            line_add(line, ",");
            line_add_text(line, "why", event->text);
        }
    }
}

static void write_arguments(Line *line, const Event *event)
{
    if (event->kind == EVENT_START || event->kind == EVENT_END) {
        write_session(line, event);
        return;
    }
    line_add_text(line, "role", event->role);
    if (event->site != 0)
        line_add(line, ",\"site\":%u", (unsigned)event->site);
    if (event->site != 0 && event->line != 0)
        line_add(line, ",\"line\":%d", event->line);
    if (event->in_file != NULL) {
        line_add(line, ",");
        line_add_text(line, "file", event->in_file);
    }
    if (event->arm != 0)
        line_add(line, ",\"arm\":\"%016" PRIx64 "\"", event->arm);
    if (event->around != 0)
        line_add(line, ",\"around\":\"%016" PRIx64 "\"", event->around);
    if (kind_is_message(event->kind)) {
        line_add(line, ",");
        line_add_text(line, "peer", event->peer);
        line_add(line, ",\"sequence\":%" PRIu64 ",\"epoch\":%u", event->sequence, (unsigned)event->epoch);
        if (event->value != NULL) {
            line_add(line, ",");
            line_add_text(line, "value", event->value);
        }
    }
    if (kind_is_block(event->kind))
        line_add(line, ",\"attempt\":%u,\"epoch\":%u,\"depth\":%u", (unsigned)event->attempt, (unsigned)event->epoch,
                 (unsigned)event->depth);
    if (event->is_rescue)
        line_add(line, ",\"rescue\":true");
    if (event->round != 0)
        line_add(line, ",\"round\":%u", (unsigned)event->round);
    if (event->digest != 0)
        line_add(line, ",\"digest\":\"%016" PRIx64 "\"", event->digest);
    bool is_name = event->kind == EVENT_CALL || event->kind == EVENT_RETURN || event->kind == EVENT_STEP;
    if (event->text != NULL && event->text[0] != '\0' && !is_name) {
        line_add(line, ",");
        line_add_text(line, "why", event->text);
    }
}

static void write_event(Line *line, const Event *event)
{
    bool is_session = event->kind == EVENT_START || event->kind == EVENT_END;
    bool is_slice = event->kind == EVENT_STEP || kind_is_message(event->kind);
    const char *phase = is_slice                      ? "\"ph\":\"X\""
                        : event->kind == EVENT_CALL   ? "\"ph\":\"B\""
                        : event->kind == EVENT_RETURN ? "\"ph\":\"E\""
                        : is_session                  ? "\"ph\":\"i\",\"s\":\"p\""
                                                      : "\"ph\":\"i\",\"s\":\"t\"";
    line_add(line, "{");
    line_add_time(line, "ts", event->time_ns);
    if (is_slice)
        line_add_time(line, "dur", event->duration_ns);
    line_add(line, "%s,\"pid\":%" PRIu64 ",\"tid\":%u,\"cat\":\"%s\",", phase, event->session,
             is_session ? 0 : event->role_index + 1, kind_names[event->kind]);
    write_label(line, event);
    if (kind_is_message(event->kind))
        line_add(line, ",\"bind_id\":\"0x%" PRIx64 "\",\"%s\":true", event->flow,
                 event->kind == EVENT_SEND || event->kind == EVENT_TELL ? "flow_out" : "flow_in");
    line_add(line, ",\"args\":{");
    write_arguments(line, event);
}

size_t event_write(char line[EVENT_BYTES_MAX], const Event *event)
{
    Line out = {line, 0};
    if (event->kind == EVENT_ROLE) {
        write_metadata(&out, "thread_name", event->session, event->role_index + 1, event->role);
        return out.size;
    }
    if (event->kind == EVENT_TOKEN || event->kind == EVENT_CLOCK) {
        line_add(&out, "{\"ph\":\"M\",\"pid\":%" PRIu64 ",\"tid\":0,\"name\":\"%s\",\"args\":{", event->session,
                 kind_names[event->kind]);
        if (event->kind == EVENT_TOKEN)
            line_add(&out, "\"token\":\"%016" PRIx64 "%016" PRIx64 "\"}},\n", event->token[0], event->token[1]);
        else
            line_add(&out, "\"clock_ns\":%" PRIu64 "}},\n", event->clock_ns);
        return out.size;
    }
    if (event->kind == EVENT_CLOSE)
        return (size_t)sprintf(line, "{\"ph\":\"M\",\"pid\":0,\"name\":\"closed\",\"args\":{}}\n]\n");
    if (event->kind == EVENT_START) {
        char name[256];
        snprintf(name, sizeof name, "%s.%s", event->choreography, event->definition);
        write_metadata(&out, "process_name", event->session, 0, name);
    }
    write_event(&out, event);
    static const char tail[] = "}},\n";
    memcpy(out.data + out.size, tail, sizeof tail);
    return out.size + sizeof tail - 1;
}
