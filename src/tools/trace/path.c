// path.c: see path.h.

#include "tools/trace/path.h"

#include "tools/trace/index.h"

struct PathIndex {
    const Recording *recording;
    uint32_t *positions;  // by event: its place in its lane
    Index *arrivals;      // events: arrivals at the end of an attempt, by what they have in common
    uint32_t *last_fails; // by event: 1 + the last failure of its session before it; 0: none
};

static uint64_t attempt_hash(const Recording *recording, const Record *record)
{
    const Lane *lane = &recording->lanes.items[record->lane];
    uint64_t block =
        hash_numbers((uint64_t)record->site << 32 | record->attempt, (uint64_t)record->round << 32 | record->depth);
    return hash_numbers(hash_numbers(lane->session, lane->arm), block);
}

PathIndex *path_index_new(const Recording *recording)
{
    Arena *arena = recording->arena;
    PathIndex *index = ARENA_NEW(arena, PathIndex);
    uint32_t *fails = ARENA_ARRAY(arena, uint32_t, recording->runs.count + 1);
    *index = (PathIndex){recording, ARENA_ARRAY(arena, uint32_t, recording->events.count + 1), index_new(),
                         ARENA_ARRAY(arena, uint32_t, recording->events.count + 1)};
    for (size_t i = 0; i < recording->lanes.count; i++)
        for (uint32_t k = 0; k < recording->lanes.items[i].event_count; k++)
            index->positions[recording->by_lane[recording->lanes.items[i].first_event + k]] = k;
    for (uint32_t i = 0; i < recording->events.count; i++) {
        const Record *record = &recording->events.items[i];
        uint32_t session = recording->lanes.items[record->lane].session;
        index->last_fails[i] = fails[session];
        if (record->kind == RECORD_FAIL)
            fails[session] = i + 1;
        if (record->kind == RECORD_ARRIVE)
            index_add(index->arrivals, attempt_hash(recording, record), i);
    }
    return index;
}

void path_index_free(PathIndex *index)
{
    index_free(index->arrivals);
}

// The last arrival of any participant at the end of the attempt that this event leaves.
static uint32_t last_arrival(const PathIndex *index, uint32_t event)
{
    const Recording *recording = index->recording;
    enum { LOOKED_AT_MAX = 10000 }; // a round that is repeated in another call has the same name
    const Record *record = &recording->events.items[event];
    uint32_t found = event, count = 0;
    for (IndexCursor cursor = index_find(index->arrivals, attempt_hash(recording, record)); index_next(&cursor);) {
        const Record *arrival = &recording->events.items[cursor.item];
        if (arrival->time_ns <= record->time_ns &&
            (found == event || arrival->time_ns > recording->events.items[found].time_ns))
            found = cursor.item;
        if (++count == LOOKED_AT_MAX)
            break;
    }
    return found;
}

typedef struct {
    const PathIndex *index;
    Path *path;
    uint64_t now_ns; // everything behind is explained
} Walk;

static void spend(Walk *walk, SpentKind kind, uint32_t event, uint64_t since_ns)
{
    if (since_ns >= walk->now_ns)
        return;
    vector_push(walk->index->recording->arena, walk->path, ((Spent){kind, event, walk->now_ns - since_ns}));
    walk->now_ns = since_ns;
}

// What happened before the event in its lane. False: nothing did.
static bool before(const PathIndex *index, uint32_t event, uint32_t *previous)
{
    const Recording *recording = index->recording;
    const Lane *lane = &recording->lanes.items[recording->events.items[event].lane];
    if (index->positions[event] == 0)
        return false;
    *previous = recording->by_lane[lane->first_event + index->positions[event] - 1];
    return true;
}

// What the event was waiting for, in another lane; itself: it was not.
static uint32_t cause(Walk *walk, uint32_t event, uint64_t idle_since_ns)
{
    const Recording *recording = walk->index->recording;
    const Record *record = &recording->events.items[event];
    uint32_t found = event;
    SpentKind kind = SPENT_MESSAGE;
    if (record_is_in(record) && record->link != 0) {
        found = record->link - 1;
    } else if (record->kind == RECORD_LEAVE) {
        found = last_arrival(walk->index, event);
        kind = SPENT_BLOCK;
    } else if ((record->kind == RECORD_RECOVER || record->kind == RECORD_RESTART) &&
               walk->index->last_fails[event] != 0) {
        found = walk->index->last_fails[event] - 1;
        kind = SPENT_RECOVERY;
    }
    if (found == event || found > event || recording->events.items[found].time_ns < idle_since_ns)
        return event;
    spend(walk, kind, kind == SPENT_MESSAGE ? event : found, recording->events.items[found].time_ns);
    return found;
}

// The last event of any role in the session. False: there is none.
static bool find_end(const Recording *recording, const Run *run, uint32_t *event)
{
    bool is_found = false;
    for (uint32_t i = 0; i < run->lane_count; i++) {
        const Lane *lane = &recording->lanes.items[recording->session_lanes[run->first_lane + i]];
        if (lane->role == 0 || lane->event_count == 0)
            continue;
        uint32_t last = recording->by_lane[lane->first_event + lane->event_count - 1];
        if (!is_found || last > *event)
            *event = last;
        is_found = true;
    }
    return is_found;
}

void path_find(const PathIndex *index, uint32_t session, Path *path)
{
    const Recording *recording = index->recording;
    const Run *run = &recording->runs.items[session];
    Walk walk = {index, path, run->end_ns};
    uint32_t event = 0, previous;
    if (!find_end(recording, run, &event))
        return;
    for (;;) {
        const Record *record = &recording->events.items[event];
        uint64_t end_ns = record->time_ns + record->duration_ns;
        spend(&walk, SPENT_BETWEEN, event, end_ns);
        if (record->kind == RECORD_STEP)
            spend(&walk, SPENT_STEP, event, record->time_ns);
        bool has_previous = before(index, event, &previous);
        uint64_t idle_since_ns = run->begin_ns;
        if (has_previous)
            idle_since_ns = recording->events.items[previous].time_ns + recording->events.items[previous].duration_ns;
        uint32_t other = cause(&walk, event, idle_since_ns);
        if (other != event)
            event = other;
        else if (has_previous)
            event = previous;
        else
            break;
    }
    spend(&walk, SPENT_BETWEEN, event, run->begin_ns);
}
