// read.c: trace files into a recording.
//
// A file has one event per line. Lines that can't be read are left out and counted: a program that was killed leaves half a line
// at the end, and a disk that was full leaves one anywhere.

#define _GNU_SOURCE
#include "tools/trace/index.h"
#include "tools/trace/json.h"
#include "tools/trace/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Members of one line. Texts are pieces of the line.
typedef struct {
    JsonPiece kind, phase, name, args;
    JsonPiece role, peer, value, why, file, arm, token, choreography, definition, status, session_name;
    uint64_t time_ns, duration_ns, session, thread;
    uint64_t line, site, sequence, epoch, attempt, round, depth, clock_ns;
    bool is_rescue, is_resumed;
} Line;

enum { TOKEN_DIGITS = 16, LANE_INDEX_MAX = 1 << 20, TEXT_MAX = 4096 };

// Times beyond are nonsense, and are cut so that sums of them are numbers.
#define TIME_MAX_NS ((uint64_t)1 << 58)
#define CLOCK_MAX_NS ((uint64_t)1 << 61)

static const char *const kind_names[RECORD_KINDS] = {
    "start", "end",  "call",  "return", "step",  "send",    "receive", "tell",
    "told",  "fail", "enter", "arrive", "leave", "recover", "restart",
};

const char *record_kind_name(uint8_t kind)
{
    return kind_names[kind];
}

Recording *recording_new(Arena *arena)
{
    Recording *recording = ARENA_NEW(arena, Recording);
    recording->arena = arena;
    recording->text_index = index_new();
    recording->lane_index = index_new();
    recording->run_index = index_new();
    recording->place_index = index_new();
    recording_intern(recording, "", 0);
    vector_push(arena, &recording->places, ((Place){0, 0}));
    return recording;
}

void recording_free(Recording *recording)
{
    index_free(recording->text_index);
    index_free(recording->lane_index);
    index_free(recording->run_index);
    index_free(recording->place_index);
}

uint32_t recording_intern(Recording *recording, const char *text, size_t size)
{
    if (size == 0 && recording->texts.count > 0)
        return 0;
    uint64_t hash = hash_bytes(text, size);
    for (IndexCursor cursor = index_find(recording->text_index, hash); index_next(&cursor);) {
        const char *known = recording->texts.items[cursor.item];
        if (strncmp(known, text, size) == 0 && known[size] == '\0')
            return cursor.item;
    }
    vector_push(recording->arena, &recording->texts, arena_copy(recording->arena, text, size));
    index_add(recording->text_index, hash, (uint32_t)recording->texts.count - 1);
    return (uint32_t)recording->texts.count - 1;
}

static uint32_t intern_piece(Recording *recording, JsonPiece piece)
{
    char text[TEXT_MAX];
    if (piece.size > TEXT_MAX)
        piece.size = TEXT_MAX;
    return piece.size == 0 ? 0 : recording_intern(recording, text, json_unescape(piece, text));
}

static uint32_t find_place(Recording *recording, uint32_t file, uint64_t line)
{
    if (line == 0 || line > INT32_MAX)
        return 0;
    uint64_t hash = hash_numbers(file, line);
    for (IndexCursor cursor = index_find(recording->place_index, hash); index_next(&cursor);)
        if (recording->places.items[cursor.item].file == file && recording->places.items[cursor.item].line == line)
            return cursor.item;
    vector_push(recording->arena, &recording->places, ((Place){file, (uint32_t)line}));
    index_add(recording->place_index, hash, (uint32_t)recording->places.count - 1);
    return (uint32_t)recording->places.count - 1;
}

// The session with this number in the file that is being read.
static uint32_t find_run(Recording *recording, uint64_t number)
{
    uint32_t file = (uint32_t)recording->files.count - 1;
    uint64_t hash = hash_numbers(file, number);
    for (IndexCursor cursor = index_find(recording->run_index, hash); index_next(&cursor);) {
        const Run *run = &recording->runs.items[cursor.item];
        if (run->file == file && run->number == number)
            return cursor.item;
    }
    vector_push(recording->arena, &recording->runs, ((Run){.file = file, .number = number}));
    index_add(recording->run_index, hash, (uint32_t)recording->runs.count - 1);
    return (uint32_t)recording->runs.count - 1;
}

static uint32_t find_lane(Recording *recording, uint32_t session, uint32_t role, uint64_t role_index, uint64_t arm)
{
    uint64_t hash = hash_numbers(hash_numbers(session, role), arm);
    for (IndexCursor cursor = index_find(recording->lane_index, hash); index_next(&cursor);) {
        const Lane *lane = &recording->lanes.items[cursor.item];
        if (lane->session == session && lane->role == role && lane->arm == arm)
            return cursor.item;
    }
    Lane lane = {.session = session, .role = role, .role_index = (uint32_t)role_index, .arm = arm};
    vector_push(recording->arena, &recording->lanes, lane);
    index_add(recording->lane_index, hash, (uint32_t)recording->lanes.count - 1);
    return (uint32_t)recording->lanes.count - 1;
}

// ---- one line ----

static void read_argument(Line *line, JsonPiece name, JsonPiece value)
{
    struct {
        const char *name;
        JsonPiece *piece;
        uint64_t *number;
    } known[] = {
        {"role", &line->role, NULL},
        {"line", NULL, &line->line},
        {"site", NULL, &line->site},
        {"peer", &line->peer, NULL},
        {"sequence", NULL, &line->sequence},
        {"epoch", NULL, &line->epoch},
        {"value", &line->value, NULL},
        {"attempt", NULL, &line->attempt},
        {"round", NULL, &line->round},
        {"depth", NULL, &line->depth},
        {"why", &line->why, NULL},
        {"file", &line->file, NULL},
        {"arm", &line->arm, NULL},
        {"token", &line->token, NULL},
        {"choreography", &line->choreography, NULL},
        {"definition", &line->definition, NULL},
        {"status", &line->status, NULL},
        {"session", &line->session_name, NULL},
        {"name", &line->session_name, NULL},
        {"clock_ns", NULL, &line->clock_ns},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (!json_is(name, known[i].name))
            continue;
        if (known[i].piece != NULL)
            *known[i].piece = value;
        else
            *known[i].number = json_number(value);
        return;
    }
    if (json_is(name, "rescue"))
        line->is_rescue = json_is(value, "true");
    else if (json_is(name, "resumed"))
        line->is_resumed = json_is(value, "true");
}

static bool read_line(const char *data, size_t size, Line *line)
{
    JsonReader reader, inner;
    JsonPiece name, value;
    memset(line, 0, sizeof *line);
    if (!json_begin(&reader, data, size))
        return false;
    while (json_next(&reader, &name, &value)) {
        if (json_is(name, "ts"))
            line->time_ns = json_thousandths(value);
        else if (json_is(name, "dur"))
            line->duration_ns = json_thousandths(value);
        else if (json_is(name, "ph"))
            line->phase = value;
        else if (json_is(name, "pid"))
            line->session = json_number(value);
        else if (json_is(name, "tid"))
            line->thread = json_number(value);
        else if (json_is(name, "cat"))
            line->kind = value;
        else if (json_is(name, "name"))
            line->name = value;
        else if (json_is(name, "args") && json_begin(&inner, value.data, value.size))
            while (json_next(&inner, &name, &value))
                read_argument(line, name, value);
    }
    line->time_ns = line->time_ns < TIME_MAX_NS ? line->time_ns : TIME_MAX_NS;
    line->duration_ns = line->duration_ns < TIME_MAX_NS ? line->duration_ns : TIME_MAX_NS;
    line->clock_ns = line->clock_ns < CLOCK_MAX_NS ? line->clock_ns : 0;
    return !reader.is_broken;
}

// ---- what a line says ----

static void add_metadata(Recording *recording, const Line *line)
{
    if (json_is(line->name, "thread_name") && line->thread > 0 && line->thread < LANE_INDEX_MAX)
        find_lane(recording, find_run(recording, line->session), intern_piece(recording, line->session_name),
                  line->thread - 1, 0);
    if (json_is(line->name, "clock"))
        recording->files.items[recording->files.count - 1].clock_ns = line->clock_ns;
}

static void add_session_event(Recording *recording, Run *run, const Line *line, Record *record)
{
    if (record->kind == RECORD_START) {
        run->token[0] = json_hexadecimal(line->token);
        if (line->token.size > TOKEN_DIGITS)
            run->token[1] = json_hexadecimal(
                (JsonPiece){line->token.data + TOKEN_DIGITS, line->token.size - TOKEN_DIGITS, true});
        run->choreography = intern_piece(recording, line->choreography);
        run->definition = intern_piece(recording, line->definition);
        run->source = intern_piece(recording, line->file);
        run->name = intern_piece(recording, line->session_name);
        run->is_resumed = line->is_resumed;
        run->begin_ns = line->time_ns;
        run->has_started = true;
    } else {
        run->status = intern_piece(recording, line->status);
        run->why = record->text = intern_piece(recording, line->why);
        run->end_ns = line->time_ns;
        run->has_ended = true;
    }
}

static void add_event(Recording *recording, const Line *line, uint8_t kind)
{
    uint32_t session = find_run(recording, line->session);
    Run *run = &recording->runs.items[session];
    Record record = {
        .kind = kind,
        .time_ns = line->time_ns,
        .duration_ns = line->duration_ns,
        .sequence = line->sequence,
        .epoch = (uint32_t)line->epoch,
        .site = (uint32_t)line->site,
        .attempt = (uint32_t)line->attempt,
        .round = (uint32_t)line->round,
        .depth = (uint32_t)line->depth,
        .is_rescue = line->is_rescue,
        .order = (uint32_t)recording->events.count,
    };
    if (kind == RECORD_START || kind == RECORD_END) {
        add_session_event(recording, run, line, &record);
    } else {
        uint32_t file = line->file.size > 0 ? intern_piece(recording, line->file) : run->source;
        record.place = find_place(recording, file, line->line);
        record.peer = intern_piece(recording, line->peer);
        record.value = intern_piece(recording, line->value);
        bool has_name = kind == RECORD_CALL || kind == RECORD_RETURN ||
                        (kind == RECORD_STEP && !(line->name.size > 5 && memcmp(line->name.data, "line ", 5) == 0));
        record.text = intern_piece(recording, has_name ? line->name : line->why);
        run->has_failures |= kind == RECORD_FAIL;
    }
    record.lane = find_lane(recording, session, intern_piece(recording, line->role),
                            line->thread > 0 && line->thread < LANE_INDEX_MAX ? line->thread - 1 : 0,
                            json_hexadecimal(line->arm));
    vector_push(recording->arena, &recording->events, record);
    recording->files.items[recording->files.count - 1].events++;
}

// False: the line is nothing that a trace has.
static bool add_line(Recording *recording, const char *data, size_t size)
{
    Line line;
    if (size == 0 || data[0] == '[' || data[0] == ']')
        return true;
    if (!read_line(data, size, &line))
        return false;
    if (json_is(line.phase, "M")) {
        add_metadata(recording, &line);
        return true;
    }
    for (uint8_t kind = 0; kind < RECORD_KINDS; kind++)
        if (json_is(line.kind, kind_names[kind])) {
            add_event(recording, &line, kind);
            return true;
        }
    return false;
}

// ---- a file ----

static void read_lines(Recording *recording, TraceFile *file, const char *data, size_t size)
{
    size_t number = 1, at = 0;
    bool has_end = false;
    for (; at < size && recording->events.count < UINT32_MAX - 1; number++) {
        const char *end = memchr(data + at, '\n', size - at);
        size_t length = end != NULL ? (size_t)(end - data) - at : size - at;
        has_end |= length > 0 && data[at] == ']';
        // Half a line at the end is what a killed program leaves.
        if (!add_line(recording, data + at, length) && end != NULL && file->lines_left_out++ == 0)
            file->first_left_out = number;
        at += length + 1;
        if (number % 65536 == 0)
            progress(recording, "reading", at, size);
    }
    file->is_cut_off = !has_end;
}

static const char *failure(Recording *recording, const char *path, const char *what)
{
    return arena_printf(recording->arena, "'%s' %s", path, what);
}

const char *recording_read_memory(Recording *recording, const char *path, const char *data, size_t size)
{
    vector_push(recording->arena, &recording->files, ((TraceFile){.path = path}));
    TraceFile *file = &recording->files.items[recording->files.count - 1];
    read_lines(recording, file, data, size);
    if (file->events == 0)
        return failure(recording, path,
                       "has no event of a Chorex trace in it: CHOREX_TRACE=FILE makes a program write one");
    return NULL;
}

const char *recording_read(Recording *recording, const char *path)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) != 0) {
        const char *why = strerror(errno);
        if (fd >= 0)
            close(fd);
        return failure(recording, path, arena_printf(recording->arena, "can't be read: %s", why));
    }
    if (!S_ISREG(about.st_mode) || about.st_size == 0) {
        close(fd);
        return failure(recording, path, S_ISREG(about.st_mode) ? "is empty" : "is no file");
    }
    size_t size = (size_t)about.st_size;
    char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (data == MAP_FAILED)
        return failure(recording, path, arena_printf(recording->arena, "can't be read: %s", strerror(errno)));
    const char *wrong = recording_read_memory(recording, path, data, size);
    munmap(data, size);
    return wrong;
}
