// perfetto.c: a recording as Chrome trace events: `chorex trace --perfetto`. The same format as a trace file has, but always
// complete, in the order of time, with one clock for all hosts and a track for each arm.

#include "tools/trace/views.h"
#include "trace/event.h"

static const EventKind kinds[RECORD_KINDS] = {
    [RECORD_START] = EVENT_START,     [RECORD_END] = EVENT_END,         [RECORD_CALL] = EVENT_CALL,
    [RECORD_RETURN] = EVENT_RETURN,   [RECORD_STEP] = EVENT_STEP,       [RECORD_SEND] = EVENT_SEND,
    [RECORD_RECEIVE] = EVENT_RECEIVE, [RECORD_TELL] = EVENT_TELL,       [RECORD_TOLD] = EVENT_TOLD,
    [RECORD_FAIL] = EVENT_FAIL,       [RECORD_ENTER] = EVENT_ENTER,     [RECORD_ARRIVE] = EVENT_ARRIVE,
    [RECORD_LEAVE] = EVENT_LEAVE,     [RECORD_RECOVER] = EVENT_RECOVER, [RECORD_RESTART] = EVENT_RESTART,
};

static const char *text_or_null(const Recording *recording, uint32_t text)
{
    return text != 0 ? recording_text(recording, text) : NULL;
}

static void put(const Event *event, FILE *out)
{
    char line[EVENT_BYTES_MAX];
    fwrite(line, 1, event_write(line, event), out);
}

static void put_names(const Recording *recording, uint32_t session, FILE *out)
{
    const Run *run = &recording->runs.items[session];
    for (uint32_t i = 0; i < run->lane_count; i++) {
        uint32_t lane = recording->session_lanes[run->first_lane + i];
        if (recording->lanes.items[lane].role != 0)
            put(
                &(Event){
                    .kind = EVENT_ROLE, .session = session + 1, .role_index = i, .role = lane_name(recording, lane)},
                out);
    }
}

// The track of each lane: its place among those of its session.
static uint32_t *number_tracks(const Recording *recording)
{
    uint32_t *tracks = ARENA_ARRAY(recording->arena, uint32_t, recording->lanes.count + 1);
    for (size_t i = 0; i < recording->runs.count; i++) {
        const Run *run = &recording->runs.items[i];
        for (uint32_t k = 0; k < run->lane_count; k++)
            tracks[recording->session_lanes[run->first_lane + k]] = k;
    }
    return tracks;
}

static void put_record(const Recording *recording, uint32_t number, const uint32_t *tracks, FILE *out)
{
    const Record *record = &recording->events.items[number];
    const Lane *lane = &recording->lanes.items[record->lane];
    const Run *run = &recording->runs.items[lane->session];
    const Place *place = &recording->places.items[record->place];
    bool is_session = record->kind == RECORD_START || record->kind == RECORD_END;
    Event event = {
        .kind = kinds[record->kind],
        .time_ns = record->time_ns,
        .duration_ns = record->duration_ns,
        .session = lane->session + 1,
        .role_index = tracks[record->lane],
        .role = recording_text(recording, lane->role),
        .site = place->line != 0 && record->site == 0 ? 1 : record->site,
        .line = (int)place->line,
        .in_file = place->line != 0 && place->file != run->source ? recording_text(recording, place->file) : NULL,
        .peer = recording_text(recording, record->peer),
        .sequence = record->sequence,
        .epoch = record->epoch,
        .attempt = record->attempt,
        .round = record->round,
        .depth = record->depth,
        .is_rescue = record->is_rescue,
        .value = text_or_null(recording, record->value),
        .arm = lane->arm,
        .flow = record_is_out(record) || record->link == 0 ? number + 1 : record->link,
        .text = text_or_null(recording, record->text),
    };
    if (is_session) {
        event.status = recording_text(recording, run->status);
        event.choreography = recording_text(recording, run->choreography);
        event.definition = recording_text(recording, run->definition);
        event.file = recording_text(recording, run->source);
        event.name = text_or_null(recording, run->name);
        event.is_resumed = run->is_resumed;
        event.token[0] = run->token[0];
        event.token[1] = run->token[1];
    }
    if (event.text == NULL && (event.kind == EVENT_CALL || event.kind == EVENT_RETURN))
        event.text = "";
    put(&event, out);
}

void view_perfetto(const Recording *recording, FILE *out)
{
    uint32_t *tracks = number_tracks(recording);
    fputs("[\n", out);
    for (uint32_t i = 0; i < recording->runs.count; i++)
        put_names(recording, i, out);
    for (uint32_t i = 0; i < recording->events.count; i++) {
        put_record(recording, i, tracks, out);
        if (i % 65536 == 0)
            progress(recording, "writing", i, recording->events.count);
    }
    put(&(Event){.kind = EVENT_CLOSE}, out);
    progress(recording, "writing", 1, 1);
}
