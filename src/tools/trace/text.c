// text.c: a recording as a log for people: `chorex trace --text`.

#include "tools/trace/views.h"

#include <inttypes.h>
#include <string.h>

TimeText time_text(uint64_t time_ns)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    TimeText text;
    size_t i = 0;
    while (i < 3 && (double)time_ns < units[i].unit)
        i++;
    double number = (double)time_ns / units[i].unit;
    int digits = i == 3 ? 0 : number < 10 ? 2 : number < 100 ? 1 : 0;
    snprintf(text.text, sizeof text.text, "%.*f %s", digits, number, units[i].name);
    return text;
}

const char *run_title(const Recording *recording, const Run *run)
{
    const char *choreography = recording_text(recording, run->choreography);
    if (choreography[0] == '\0')
        return "(its beginning is not in the trace)";
    return arena_printf(recording->arena, "%s.%s, %s", choreography, recording_text(recording, run->definition),
                        recording_text(recording, run->source));
}

const char *family_name(const Recording *recording, uint32_t role)
{
    const char *name = recording_text(recording, role), *bracket = strchr(name, '[');
    return bracket == NULL ? name : arena_printf(recording->arena, "%.*s[*]", (int)(bracket - name), name);
}

static void put_place(const Recording *recording, const Record *record, FILE *out)
{
    const Place *place = &recording->places.items[record->place];
    const Run *run = &recording->runs.items[recording->lanes.items[record->lane].session];
    if (place->line == 0)
        return;
    if (place->file == run->source)
        fprintf(out, ", line %u", (unsigned)place->line);
    else
        fprintf(out, ", %s:%u", recording_text(recording, place->file), (unsigned)place->line);
}

static void put_message(const Recording *recording, const Record *record, FILE *out)
{
    static const char *const words[] = {"sends", "receives", "tells", "is told"};
    static const char *const directions[] = {"to", "from", "to", "by"};
    const char *peer = recording_text(recording, record->peer);
    int word = record->kind - RECORD_SEND;
    fprintf(out, "%s #%" PRIu64 " %s %s", words[word], record->sequence, directions[word], peer);
    put_place(recording, record, out);
    if (record->value != 0)
        fprintf(out, ": %s", recording_text(recording, record->value));
    if (record->link == 0)
        fputs(record_is_out(record) ? " (never received)" : " (who sent it was not recorded)", out);
    else if (record_is_in(record))
        fprintf(out, " (after %s)",
                time_text(record->time_ns - recording->events.items[record->link - 1].time_ns).text);
}

static void put_block(const Recording *recording, const Record *record, FILE *out)
{
    static const char *const words[] = {"enters", "is at the end of", "leaves", "goes back to", "IS RESTARTED in"};
    fprintf(out, "%s the %s", words[record->kind - RECORD_ENTER], record->is_rescue ? "rescue of the block" : "block");
    put_place(recording, record, out);
    if (record->round != 0)
        fprintf(out, ", round %u", (unsigned)record->round);
    if (record->attempt != 0 && !record->is_rescue)
        fprintf(out, ", attempt %u", (unsigned)record->attempt + 1);
    if (record->text != 0)
        fprintf(out, ", since: %s", recording_text(recording, record->text));
}

static void put_event(const Recording *recording, const Record *record, FILE *out)
{
    const char *text = recording_text(recording, record->text);
    const Run *run = &recording->runs.items[recording->lanes.items[record->lane].session];
    switch ((RecordKind)record->kind) {
    case RECORD_START:
        fprintf(out, "%s %s", run->is_resumed ? "goes on" : "begins:", run_title(recording, run));
        break;
    case RECORD_END:
        fprintf(out, "ends: %s%s%s", recording_text(recording, run->status), text[0] != '\0' ? ": " : "", text);
        break;
    case RECORD_CALL:
    case RECORD_RETURN:
        fprintf(out, "%s %s", record->kind == RECORD_CALL ? "calls" : "returns from", text);
        break;
    case RECORD_STEP:
        fprintf(out, "%s", text[0] != '\0' ? text : "step");
        put_place(recording, record, out);
        fprintf(out, " (%s)", time_text(record->duration_ns).text);
        break;
    case RECORD_FAIL:
        fputs("FAILS", out);
        put_place(recording, record, out);
        fprintf(out, ": %s", text);
        break;
    default:
        if (record_is_message(record))
            put_message(recording, record, out);
        else
            put_block(recording, record, out);
        break;
    }
}

static int widest_name(const Recording *recording)
{
    enum { WIDTH_MAX = 24 };
    size_t widest = strlen("session");
    for (uint32_t i = 0; i < recording->lanes.count; i++) {
        size_t width = strlen(lane_name(recording, i));
        widest = width > widest ? width : widest;
    }
    return widest < WIDTH_MAX ? (int)widest : WIDTH_MAX;
}

void view_text(const Recording *recording, FILE *out)
{
    int width = widest_name(recording);
    for (size_t i = 0; i < recording->events.count; i++) {
        const Record *record = &recording->events.items[i];
        const Lane *lane = &recording->lanes.items[record->lane];
        const char *name = lane->role == 0 ? "session" : lane_name(recording, record->lane);
        fprintf(out, "%12" PRIu64 ".%03u us  %3u  %-*s  ", record->time_ns / 1000, (unsigned)(record->time_ns % 1000),
                (unsigned)lane->session + 1, width, name);
        put_event(recording, record, out);
        fputc('\n', out);
        if (i % 65536 == 0)
            progress(recording, "writing", i, recording->events.count);
    }
    progress(recording, "writing", 1, 1);
}
