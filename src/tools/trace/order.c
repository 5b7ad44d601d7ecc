// order.c: when all files are read: sessions that are in several of them become one, events are sorted by time, and each message
// is linked with its other end.

#define _GNU_SOURCE
#include "tools/trace/index.h"
#include "tools/trace/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// ---- progress ----

void progress(const Recording *recording, const char *what, uint64_t done, uint64_t all)
{
    enum { EVERY_MS = 300 };
    static uint64_t shown_ms; // of the whole program
    struct timespec now;
    if (!recording->wants_progress)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t now_ms = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
    if (shown_ms == 0)
        shown_ms = now_ms;
    if (done < all && now_ms < shown_ms + EVERY_MS)
        return;
    if (done >= all)
        fprintf(stderr, "\r\033[K");
    else
        fprintf(stderr, "\rchorex: %s: %d %%\033[K", what, (int)(100.0 * (double)done / (double)all));
    shown_ms = now_ms;
}

// ---- sessions of several files ----

static void merge_run(Run *run, const Run *other)
{
    run->has_failures |= other->has_failures;
    run->choreography = run->choreography != 0 ? run->choreography : other->choreography;
    run->source = run->source != 0 ? run->source : other->source;
    if (!run->has_ended) {
        run->status = other->status;
        run->why = other->why;
    }
    run->has_ended |= other->has_ended;
}

// For each session the first one with the same token in another file, or itself.
static uint32_t *merge_runs(Recording *recording)
{
    Index *index = index_new();
    uint32_t *same = ARENA_ARRAY(recording->arena, uint32_t, recording->runs.count + 1);
    for (uint32_t i = 0; i < recording->runs.count; i++) {
        Run *run = &recording->runs.items[i];
        same[i] = i;
        if (run->token[0] == 0 && run->token[1] == 0)
            continue;
        uint64_t hash = hash_numbers(run->token[0], run->token[1]);
        for (IndexCursor cursor = index_find(index, hash); index_next(&cursor);) {
            Run *first = &recording->runs.items[cursor.item];
            bool is_same = first->token[0] == run->token[0] && first->token[1] == run->token[1];
            if (is_same && first->file != run->file) {
                same[i] = cursor.item;
                merge_run(first, run);
            }
        }
        if (same[i] == i)
            index_add(index, hash, i);
    }
    index_free(index);
    return same;
}

// The same for lanes, whose sessions are changed accordingly.
static uint32_t *merge_lanes(Recording *recording, const uint32_t *same_run)
{
    Index *index = index_new();
    uint32_t *same = ARENA_ARRAY(recording->arena, uint32_t, recording->lanes.count + 1);
    for (uint32_t i = 0; i < recording->lanes.count; i++) {
        Lane *lane = &recording->lanes.items[i];
        lane->session = same_run[lane->session];
        same[i] = i;
        uint64_t hash = hash_numbers(hash_numbers(lane->session, lane->role), lane->arm);
        for (IndexCursor cursor = index_find(index, hash); index_next(&cursor);) {
            const Lane *first = &recording->lanes.items[cursor.item];
            if (first->session == lane->session && first->role == lane->role && first->arm == lane->arm)
                same[i] = cursor.item;
        }
        if (same[i] == i)
            index_add(index, hash, i);
    }
    index_free(index);
    return same;
}

static void merge(Recording *recording)
{
    uint32_t *same = merge_lanes(recording, merge_runs(recording));
    for (size_t i = 0; i < recording->events.count; i++)
        recording->events.items[i].lane = same[recording->events.items[i].lane];
}

// ---- both ends of a message ----

static uint64_t message_hash(const Recording *recording, const Record *record)
{
    const Lane *lane = &recording->lanes.items[record->lane];
    uint32_t from = record_is_out(record) ? lane->role : record->peer;
    uint32_t to = record_is_out(record) ? record->peer : lane->role;
    uint64_t ends = hash_numbers((uint64_t)from << 32 | to, lane->arm);
    return hash_numbers(hash_numbers(lane->session, ends), hash_numbers(record->sequence, record->epoch));
}

static bool is_same_message(const Recording *recording, const Record *out, const Record *in)
{
    const Lane *from = &recording->lanes.items[out->lane], *to = &recording->lanes.items[in->lane];
    return from->session == to->session && from->arm == to->arm && from->role == in->peer && to->role == out->peer &&
           out->sequence == in->sequence && out->epoch == in->epoch;
}

void recording_link(Recording *recording)
{
    Index *index = index_new();
    Record *events = recording->events.items;
    for (uint32_t i = 0; i < recording->events.count; i++) {
        events[i].link = 0;
        if (record_is_out(&events[i]))
            index_add(index, message_hash(recording, &events[i]), i);
    }
    for (uint32_t i = 0; i < recording->events.count; i++) {
        if (!record_is_in(&events[i]))
            continue;
        uint64_t hash = message_hash(recording, &events[i]);
        for (IndexCursor cursor = index_find(index, hash); index_next(&cursor);) {
            Record *out = &events[cursor.item];
            if (!is_same_message(recording, out, &events[i]) || out->link != 0)
                continue;
            out->link = i + 1;
            events[i].link = cursor.item + 1;
            break;
        }
    }
    index_free(index);
}

// ---- order ----

static int compare_events(const void *one, const void *other)
{
    const Record *a = one, *b = other;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void sort_events(Recording *recording)
{
    if (recording->events.count > 0)
        qsort(recording->events.items, recording->events.count, sizeof(Record), compare_events);
}

// Moves no event backwards: a role's events stay in their order, and none receives before the other has sent. Times differ only
// if clocks do, or if the sender was interrupted before it had written down what it had done.
typedef struct {
    Recording *recording;
    uint32_t *next; // by lane: the next event in by_lane
    uint64_t *now;  // by lane: the time of the last one
    uint32_t *ready;
    size_t ready_count;
    bool *is_done; // by event
} Flow;

static void flow_lane(Flow *flow, uint32_t number)
{
    Recording *recording = flow->recording;
    const Lane *lane = &recording->lanes.items[number];
    for (; flow->next[number] < lane->event_count; flow->next[number]++) {
        uint32_t at = recording->by_lane[lane->first_event + flow->next[number]];
        Record *record = &recording->events.items[at];
        if (record->time_ns < flow->now[number])
            record->time_ns = flow->now[number];
        if (record_is_in(record) && record->link != 0) {
            const Record *out = &recording->events.items[record->link - 1];
            if (!flow->is_done[record->link - 1])
                return;
            if (record->time_ns <= out->time_ns)
                record->time_ns = out->time_ns + 1;
        }
        flow->now[number] = record->time_ns;
        flow->is_done[at] = true;
        if (record_is_out(record) && record->link != 0)
            flow->ready[flow->ready_count++] = recording->events.items[record->link - 1].lane;
    }
}

static void order_messages(Recording *recording)
{
    size_t events = recording->events.count, lanes = recording->lanes.count;
    Flow flow = {.recording = recording};
    flow.next = calloc(lanes + 1, sizeof *flow.next);
    flow.now = calloc(lanes + 1, sizeof *flow.now);
    flow.is_done = calloc(events + 1, sizeof *flow.is_done);
    flow.ready = calloc(lanes + events + 1, sizeof *flow.ready);
    if (flow.next != NULL && flow.now != NULL && flow.is_done != NULL && flow.ready != NULL) {
        for (uint32_t i = 0; i < lanes; i++)
            flow.ready[flow.ready_count++] = i;
        while (flow.ready_count > 0)
            flow_lane(&flow, flow.ready[--flow.ready_count]);
    }
    free(flow.next);
    free(flow.now);
    free(flow.is_done);
    free(flow.ready);
}

static void group_by_lane(Recording *recording)
{
    uint32_t at = 0;
    if (recording->by_lane == NULL)
        recording->by_lane = ARENA_ARRAY(recording->arena, uint32_t, recording->events.count + 1);
    for (size_t i = 0; i < recording->lanes.count; i++)
        recording->lanes.items[i].event_count = 0;
    for (size_t i = 0; i < recording->events.count; i++)
        recording->lanes.items[recording->events.items[i].lane].event_count++;
    for (size_t i = 0; i < recording->lanes.count; i++) {
        recording->lanes.items[i].first_event = at;
        at += recording->lanes.items[i].event_count;
        recording->lanes.items[i].event_count = 0;
    }
    for (uint32_t i = 0; i < recording->events.count; i++) {
        Lane *lane = &recording->lanes.items[recording->events.items[i].lane];
        recording->by_lane[lane->first_event + lane->event_count++] = i;
    }
}

static int compare_lanes(const void *one, const void *other, void *closure)
{
    const Recording *recording = closure;
    const Lane *a = &recording->lanes.items[*(const uint32_t *)one],
               *b = &recording->lanes.items[*(const uint32_t *)other];
    if (a->session != b->session)
        return a->session < b->session ? -1 : 1;
    if ((a->role == 0) != (b->role == 0))
        return a->role == 0 ? -1 : 1;
    if (a->role_index != b->role_index)
        return a->role_index < b->role_index ? -1 : 1;
    if (a->role != b->role)
        return a->role < b->role ? -1 : 1;
    return a->arm_number < b->arm_number ? -1 : a->arm_number > b->arm_number;
}

// Arms get their numbers in the order in which something happens in them first.
static void number_arms(Recording *recording)
{
    uint32_t *counts = ARENA_ARRAY(recording->arena, uint32_t, recording->lanes.count + 1);
    Index *index = index_new(); // session and role to the lane that counts for all arms of the role
    for (size_t i = 0; i < recording->events.count; i++) {
        Lane *lane = &recording->lanes.items[recording->events.items[i].lane];
        if (lane->arm == 0 || lane->arm_number != 0)
            continue;
        uint64_t hash = hash_numbers(lane->session, lane->role);
        uint32_t counter = UINT32_MAX;
        for (IndexCursor cursor = index_find(index, hash); counter == UINT32_MAX && index_next(&cursor);) {
            const Lane *found = &recording->lanes.items[cursor.item];
            counter = found->session == lane->session && found->role == lane->role ? cursor.item : UINT32_MAX;
        }
        if (counter == UINT32_MAX) {
            counter = recording->events.items[i].lane;
            index_add(index, hash, counter);
        }
        lane->arm_number = ++counts[counter];
    }
    index_free(index);
}

static void group_by_session(Recording *recording)
{
    uint32_t *lanes = ARENA_ARRAY(recording->arena, uint32_t, recording->lanes.count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < recording->lanes.count; i++)
        if (recording->lanes.items[i].event_count > 0 || recording->lanes.items[i].arm == 0)
            lanes[count++] = i;
    qsort_r(lanes, count, sizeof *lanes, compare_lanes, recording);
    for (uint32_t i = 0; i < count; i++) {
        Run *run = &recording->runs.items[recording->lanes.items[lanes[i]].session];
        if (run->lane_count++ == 0)
            run->first_lane = i;
    }
    recording->session_lanes = lanes;
}

static void measure_sessions(Recording *recording)
{
    for (size_t i = 0; i < recording->runs.count; i++)
        recording->runs.items[i].begin_ns = UINT64_MAX;
    for (size_t i = 0; i < recording->events.count; i++) {
        const Record *record = &recording->events.items[i];
        Run *run = &recording->runs.items[recording->lanes.items[record->lane].session];
        uint64_t end_ns = record->time_ns + record->duration_ns;
        run->begin_ns = record->time_ns < run->begin_ns ? record->time_ns : run->begin_ns;
        run->end_ns = end_ns > run->end_ns ? end_ns : run->end_ns;
    }
}

void recording_finish(Recording *recording)
{
    merge(recording);
    recording_link(recording);
    clocks_correct(recording);
    progress(recording, "sorting", 0, 1);
    sort_events(recording);
    recording_link(recording);
    group_by_lane(recording);
    order_messages(recording);
    for (uint32_t i = 0; i < recording->events.count; i++)
        recording->events.items[i].order = i;
    sort_events(recording);
    recording_link(recording);
    group_by_lane(recording);
    number_arms(recording);
    group_by_session(recording);
    measure_sessions(recording);
    progress(recording, "sorting", 1, 1);
}

const char *lane_name(const Recording *recording, uint32_t number)
{
    const Lane *lane = &recording->lanes.items[number];
    const char *role = recording_text(recording, lane->role);
    return lane->arm == 0 ? role : arena_printf(recording->arena, "%s (arm %u)", role, (unsigned)lane->arm_number);
}
