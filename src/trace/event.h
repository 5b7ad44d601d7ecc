// event.h: the format of trace files: what an event is, and how it is written. docs/trace.md describes the file.
//
// A file is a JSON array of Chrome trace events, one event per line, so that Perfetto opens it and grep finds things in
// it. It is readable at any moment: Perfetto does without the closing bracket of a program that died.

#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
    EVENT_START,  // of a session
    EVENT_END,    // of a session
    EVENT_ROLE,   // a role of the session has this name
    EVENT_CALL,   // of a choreographic function
    EVENT_RETURN, // or its frame was dropped
    EVENT_STEP,   // a local step; also the one before a send or a call
    EVENT_SEND,   // a delivery
    EVENT_RECEIVE,
    EVENT_TELL, // the outcome of a choice
    EVENT_TOLD,
    EVENT_FAIL,   // of a role
    EVENT_ENTER,  // a checkpoint block
    EVENT_ARRIVE, // at its end, to wait for the others
    EVENT_LEAVE,
    EVENT_RECOVER, // a participant goes back to its beginning, for another attempt
    EVENT_RESTART, // the same of the role that failed, as a fresh instance
    EVENT_TOKEN,   // what the session is called on all hosts, where that becomes known later
    EVENT_CLOCK,   // the time of day when the file began
    EVENT_CLOSE,   // of the file
    EVENT_KIND_COUNT,
} EventKind;

// Members that a kind does not use are zero.
typedef struct {
    EventKind kind;
    uint64_t time_ns; // since the trace began
    uint64_t duration_ns;
    uint64_t session; // counted from 1 in each file
    unsigned role_index;
    const char *role;
    uint32_t site;
    int line;
    const char *peer;    // SEND .. TOLD
    uint64_t sequence;   // of the message in its channel, from 0
    uint32_t epoch;      // SEND .. TOLD, ENTER .. RESTART
    uint32_t attempt;    // ENTER .. RESTART
    uint32_t round;      // ENTER .. RESTART: of a loop whose rounds are blocks, from 1; 0: it is a single block
    bool is_rescue;      // ENTER .. RESTART: the attempt is the rescue
    uint32_t depth;      // ENTER .. RESTART: of the block; 0: not inside of another
    uint64_t digest;     // ENTER, RECOVER, RESTART: of the variables that the attempt starts from
    const char *value;   // SEND .. TOLD: what travels, as text; NULL: that is not wanted
    uint64_t arm;        // not 0: the role does it in this arm of a `par`
    uint64_t around;     // not 0: the arm that this `par` stands in
    const char *in_file; // of the line, if that is not the session's; else NULL
    uint64_t flow;       // SEND .. TOLD: the same at both ends of a message
    const char
        *text; // CALL, RETURN: function. STEP: the C function that is called, or NULL. FAIL, RECOVER, RESTART, END: why
    const char *status; // END
    // START
    const char *choreography, *definition, *file;
    const char *name;  // in a store; NULL: it is in none
    bool is_resumed;   // it goes on with what the store has
    uint64_t token[2]; // and TOKEN
    uint64_t clock_ns; // CLOCK: since 1970
} Event;

enum { EVENT_BYTES_MAX = 4096 };

const char *event_kind_name(EventKind kind);
// Writes the event as one line, cut where it would be longer. Returns its length.
size_t event_write(char line[EVENT_BYTES_MAX], const Event *event);

#endif
