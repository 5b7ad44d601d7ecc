// recording.h: recorded runs in memory: what all views of a trace are made of.
//
// read.c fills it from trace files, order.c brings the events into the order of time and finds the two ends of each message.
// Texts are numbers in `texts`; 0 is none.

#ifndef TOOLS_TRACE_RECORDING_H
#define TOOLS_TRACE_RECORDING_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

// The kinds of events that trace/event.h writes, without those about the file itself.
typedef enum {
    RECORD_START,
    RECORD_END,
    RECORD_CALL,
    RECORD_RETURN,
    RECORD_STEP,
    RECORD_SEND,
    RECORD_RECEIVE,
    RECORD_TELL,
    RECORD_TOLD,
    RECORD_FAIL,
    RECORD_ENTER,
    RECORD_ARRIVE,
    RECORD_LEAVE,
    RECORD_RECOVER,
    RECORD_RESTART,
    RECORD_KINDS,
} RecordKind;

// A place in a source file; line 0: none is known.
typedef struct {
    uint32_t file; // text
    uint32_t line;
} Place;

typedef struct {
    uint64_t time_ns, duration_ns;
    uint64_t sequence; // messages: in their channel
    uint32_t lane;
    uint32_t place;
    uint32_t
        text; // step: the function that it calls. Calls: the choreographic function. fail, recover, restart, end: why
    uint32_t value; // messages, if it was recorded
    uint32_t link;  // messages: 1 + the event at the other end; 0: it is not in the trace
    uint32_t epoch;
    uint32_t peer;                        // messages: the other role's name
    uint32_t site, attempt, round, depth; // blocks
    uint32_t order;                       // in the files
    uint8_t kind;
    bool is_rescue;
} Record;

// What one role does, or one of its arms, or (role is 0) what happens to the session itself.
typedef struct {
    uint32_t session;
    uint32_t role; // its name
    uint32_t role_index;
    uint64_t arm;                      // 0: none
    uint32_t arm_number;               // of the role's arms, from 1
    uint32_t first_event, event_count; // in `by_lane`
} Lane;

typedef struct {
    uint64_t token[2];
    uint64_t number; // in its file
    uint32_t file;   // of the recording: the first that has it
    uint32_t choreography, definition, source, name, status, why;
    uint64_t begin_ns, end_ns;
    uint32_t first_lane, lane_count; // in `session_lanes`
    bool has_started, has_ended, is_resumed, has_failures;
} Run;

typedef struct {
    const char *path;
    size_t events, lines_left_out, first_left_out; // lines that could not be read
    bool is_cut_off;                               // the program did not end in good order
    int64_t shift_ns;                              // was added to its times: clock.c
    uint64_t clock_ns;                             // the time of day when it began; 0: not known
} TraceFile;

typedef struct {
    Arena *arena;
    VECTOR(TraceFile) files;
    VECTOR(Record) events;
    VECTOR(Lane) lanes;
    VECTOR(Run) runs;
    VECTOR(Place) places;
    VECTOR(const char *) texts;
    uint32_t *by_lane;                                               // events, by lane and time
    uint32_t *session_lanes;                                         // lanes, by session, in the order of roles
    struct Index *text_index, *lane_index, *run_index, *place_index; // of read.c
    bool wants_progress;
} Recording;

static inline const char *recording_text(const Recording *recording, uint32_t number)
{
    return recording->texts.items[number];
}

static inline bool record_is_message(const Record *record)
{
    return record->kind >= RECORD_SEND && record->kind <= RECORD_TOLD;
}

static inline bool record_is_out(const Record *record)
{
    return record->kind == RECORD_SEND || record->kind == RECORD_TELL;
}

static inline bool record_is_in(const Record *record)
{
    return record->kind == RECORD_RECEIVE || record->kind == RECORD_TOLD;
}

static inline bool record_is_block(const Record *record)
{
    return record->kind >= RECORD_ENTER && record->kind <= RECORD_RESTART;
}

const char *record_kind_name(uint8_t kind);

// What is not in the arena is freed by recording_free.
Recording *recording_new(Arena *arena);
void recording_free(Recording *recording);
uint32_t recording_intern(Recording *recording, const char *text, size_t size);
// "Worker[3]", and "Worker[3] (arm 2)" for an arm of it.
const char *lane_name(const Recording *recording, uint32_t lane);

// Adds what is in the file, or in memory. NULL, or what is wrong.
const char *recording_read(Recording *recording, const char *path);
const char *recording_read_memory(Recording *recording, const char *path, const char *data, size_t size);
// When all files are read: corrects clocks, sorts, links messages, numbers arms.
void recording_finish(Recording *recording);
// Adds to the times of each file what makes every message arrive after it was sent: see clock.c.
void clocks_correct(Recording *recording);
// The other end of each message, in the order of the files.
void recording_link(Recording *recording);

// Says on a terminal how far long work has come: `done` of `all`. Call it often; it seldom writes.
void progress(const Recording *recording, const char *what, uint64_t done, uint64_t all);

#endif
