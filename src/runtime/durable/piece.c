// piece.c: pieces of a store that are not snapshots: the head of a level, and the outcome. docs/wire.md describes them.

#include "runtime/durable/durable.h"

#include "runtime/value/codec.h"

#include <string.h>

enum { PIECE_VERSION = 1, STRING_MAX = 480 };

// ---- writing ----

typedef struct {
    unsigned char *at, *end;
} Writing;

static void put_number(Writing *writing, uint64_t number)
{
    store_number(writing->at, number, 4);
    writing->at += 4;
}

// Cut to what there is room for.
static void put_string(Writing *writing, const char *string)
{
    size_t length = string != NULL ? strlen(string) : 0, room = (size_t)(writing->end - writing->at) - 4;
    length = length < STRING_MAX ? length : STRING_MAX;
    length = length < room ? length : room;
    put_number(writing, length);
    memcpy(writing->at, string != NULL ? string : "", length);
    writing->at += length;
}

size_t head_write(const DurableHead *head, unsigned char bytes[DURABLE_HEAD_BYTES])
{
    Writing writing = {bytes, bytes + DURABLE_HEAD_BYTES};
    put_number(&writing, PIECE_VERSION);
    put_number(&writing, head->block);
    put_number(&writing, head->ordinal);
    put_number(&writing, head->attempt);
    put_number(&writing, (uint32_t)head->fault.kind);
    put_number(&writing, (uint32_t)head->fault.signal);
    put_number(&writing, (uint32_t)head->fault.line);
    put_string(&writing, head->fault.role);
    put_string(&writing, head->fault.why);
    return (size_t)(writing.at - bytes);
}

void outcome_write(chx_buffer *buffer, chx_status status, const chx_report *report)
{
    unsigned char bytes[DURABLE_HEAD_BYTES];
    Writing writing = {bytes, bytes + sizeof bytes};
    put_number(&writing, PIECE_VERSION);
    put_number(&writing, (uint32_t)status);
    put_number(&writing, (uint32_t)report->kind);
    put_number(&writing, (uint32_t)report->signal);
    put_number(&writing, (uint32_t)report->line);
    put_number(&writing, report->restarts);
    put_string(&writing, report->role);
    put_string(&writing, report->why);
    chx_writer writer = {.buffer = buffer};
    chx_write(&writer, bytes, (size_t)(writing.at - bytes));
}

// ---- reading ----

static bool get_number(chx_reader *reader, uint32_t *number)
{
    return codec_read_u32(reader, number);
}

static bool get_int(chx_reader *reader, int *number)
{
    uint32_t read;
    bool is_good = codec_read_u32(reader, &read);
    *number = is_good ? (int)read : 0;
    return is_good;
}

static bool get_string(chx_reader *reader, const char **string, char **text, const char *end)
{
    uint32_t length;
    const char *bytes = codec_read_u32(reader, &length) ? chx_read_view(reader, length) : NULL;
    if (bytes == NULL || length >= (size_t)(end - *text))
        return false;
    memcpy(*text, bytes, length);
    (*text)[length] = '\0';
    *string = *text;
    *text += length + 1;
    return true;
}

bool head_read(const void *data, size_t size, DurableHead *head, char text[DURABLE_HEAD_BYTES])
{
    chx_reader reader = {.at = data, .end = (const unsigned char *)data + size};
    const char *end = text + DURABLE_HEAD_BYTES;
    uint32_t version;
    int kind = CHX_FAULT_NONE;
    *head = (DurableHead){.fault = {.file = ""}};
    bool is_good = get_number(&reader, &version) && version == PIECE_VERSION && get_number(&reader, &head->block) &&
                   get_number(&reader, &head->ordinal) && get_number(&reader, &head->attempt) &&
                   get_int(&reader, &kind) && get_int(&reader, &head->fault.signal) &&
                   get_int(&reader, &head->fault.line) && get_string(&reader, &head->fault.role, &text, end) &&
                   get_string(&reader, &head->fault.why, &text, end) && reader.at == reader.end;
    head->fault.kind = (chx_fault_kind)kind;
    return is_good;
}

bool outcome_read(const void *data, size_t size, chx_status *status, chx_report *report, char text[DURABLE_HEAD_BYTES])
{
    chx_reader reader = {.at = data, .end = (const unsigned char *)data + size};
    const char *end = text + DURABLE_HEAD_BYTES;
    uint32_t version;
    int how = CHX_FAILED, kind = CHX_FAULT_NONE;
    *report = (chx_report){.file = ""};
    bool is_good = get_number(&reader, &version) && version == PIECE_VERSION && get_int(&reader, &how) &&
                   get_int(&reader, &kind) && get_int(&reader, &report->signal) && get_int(&reader, &report->line) &&
                   get_number(&reader, &report->restarts) && get_string(&reader, &report->role, &text, end) &&
                   get_string(&reader, &report->why, &text, end) && reader.at == reader.end;
    *status = (chx_status)how;
    report->kind = (chx_fault_kind)kind;
    return is_good;
}
