// chain.c: see chain.h.
//
// A function is known by how far its object lies from the role's: the same in every process that runs this binary.
// Variables travel as their bytes, except those that own something, which are encoded, and pointers, which are left out.

#include "runtime/isolation/chain.h"

#include "runtime/core/codec.h"
#include "runtime/core/text.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t function; // distance from the role's object
    uint32_t at, flags;
    uint64_t frame_size;
} SavedFrame;

static bool is_fault(const chx_type *type)
{
    return type == &chx_type_fault;
}

// What can't be sent may still be bytes that mean the same in every process: a union of numbers.
static bool travels_as_bytes(const chx_type *type)
{
    return !type->owning && (type->kind != CHX_KIND_OPAQUE || type->wire != 0);
}

static void write_string(chx_writer *writer, const char *string)
{
    size_t size = string != NULL ? strlen(string) + 1 : 0;
    chx_write_u64(writer, size);
    chx_write(writer, string, size);
}

// `fault` of a rescue: its strings belong to the block.
static void write_fault(chx_writer *writer, const chx_fault *fault)
{
    write_string(writer, fault->role);
    write_string(writer, fault->why);
    write_string(writer, fault->file);
    chx_write_u64(writer, (uint64_t)(int64_t)fault->kind);
    chx_write_u64(writer, (uint64_t)(int64_t)fault->signal);
    chx_write_u64(writer, (uint64_t)(int64_t)fault->line);
}

static void frame_save(const Actor *actor, const chx_frame *frame, chx_buffer *buffer)
{
    const chx_function *function = frame->function;
    chx_writer writer = {buffer};
    SavedFrame head = {.function = (const char *)function - (const char *)actor->role,
                       .at = frame->at,
                       .flags = frame->flags,
                       .frame_size = function->frame_size};
    chx_write(&writer, &head, sizeof head);
    size_t start = buffer->size;
    chx_write(&writer, frame + 1, function->frame_size - sizeof *frame);
    // Their bytes would be addresses of this process.
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        if (!travels_as_bytes(variable->type))
            memset(buffer->data + start + variable->offset - sizeof *frame, 0, variable->type->size);
    }
    if (function->result != NULL && function->result->owning)
        memset(buffer->data + start, 0, function->result->size);
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        const void *value = (const char *)frame + variable->offset;
        if (is_fault(variable->type))
            write_fault(&writer, value);
        else if (variable->type->owning)
            chx_encode(variable->type, value, buffer);
    }
}

// Outermost first.
static void frames_save(const Actor *actor, const chx_frame *frame, const chx_frame *first, chx_buffer *buffer)
{
    // Recursion of the role may be deep, recursion here must not be: the frames are turned round first.
    size_t count = 0;
    for (const chx_frame *each = frame; each != NULL; each = each != first ? each->caller : NULL)
        count++;
    chx_writer writer = {buffer};
    chx_write_u64(&writer, count);
    const chx_frame **frames = value_scratch(count * sizeof *frames);
    for (size_t i = count; i > 0; i--, frame = frame->caller)
        frames[i - 1] = frame;
    for (size_t i = 0; i < count; i++)
        frame_save(actor, frames[i], buffer);
    free(frames);
}

void chain_save(const Actor *actor, const chx_frame *first, chx_buffer *buffer)
{
    frames_save(actor, actor->top, first, buffer);
}

static const char *read_string(chx_reader *reader, bool *is_good)
{
    uint64_t size;
    const char *bytes = NULL;
    *is_good = *is_good && chx_read_u64(reader, &size) && size <= REPORT_WHY_SIZE;
    if (*is_good && size != 0)
        *is_good = (bytes = chx_read_view(reader, size)) != NULL && bytes[size - 1] == '\0';
    if (!*is_good || bytes == NULL)
        return "";
    char *copy = chx_alloc(size);
    return memcpy(copy, bytes, size);
}

static bool read_fault(chx_reader *reader, chx_fault *fault)
{
    bool is_good = true;
    uint64_t kind, signal, line;
    fault->role = read_string(reader, &is_good);
    fault->why = read_string(reader, &is_good);
    fault->file = read_string(reader, &is_good);
    is_good = is_good && chx_read_u64(reader, &kind) && chx_read_u64(reader, &signal) && chx_read_u64(reader, &line);
    if (is_good) {
        fault->kind = (chx_fault_kind)(int64_t)kind;
        fault->signal = (int)(int64_t)signal;
        fault->line = (int)(int64_t)line;
    }
    return is_good;
}

static bool read_owned(chx_reader *reader, const chx_type *type, void *value)
{
    size_t used;
    if (!chx_decode(type, value, reader->at, (size_t)(reader->end - reader->at), &used))
        return false;
    reader->at += used;
    return true;
}

// Into a frame that owns nothing.
static bool frame_load(chx_frame *frame, const SavedFrame *head, chx_reader *reader)
{
    const chx_function *function = frame->function;
    if (head->frame_size != function->frame_size)
        return false;
    frame->at = head->at;
    frame->flags = head->flags;
    if (!chx_read(reader, frame + 1, function->frame_size - sizeof *frame))
        return false;
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        void *value = (char *)frame + variable->offset;
        bool is_good = true;
        if (is_fault(variable->type))
            is_good = read_fault(reader, value);
        else if (variable->type->owning)
            is_good = read_owned(reader, variable->type, value);
        if (!is_good)
            return false;
    }
    return true;
}

bool chain_load(Actor *actor, const void *data, size_t size)
{
    chx_reader reader = {data, (const unsigned char *)data + size};
    uint64_t count;
    if (!chx_read_u64(&reader, &count) || count == 0)
        return false;
    bool replaces = actor->top != NULL;
    for (uint64_t i = 0; i < count; i++) {
        SavedFrame head;
        if (!chx_read(&reader, &head, sizeof head))
            return false;
        const chx_function *function = (const void *)((const char *)actor->role + head.function);
        chx_frame *frame;
        if (i == 0 && replaces) {
            frame = actor->top;
            if (frame->function != function)
                return false;
            stack_drop_frame(frame);
        } else {
            frame = chx_call(&actor->self, function);
        }
        if (!frame_load(frame, &head, &reader))
            return false;
    }
    return reader.at == reader.end;
}

const char *chain_unsendable(const chx_frame *frame)
{
    const chx_function *function = frame->function;
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        if (!variable->type->owning && !travels_as_bytes(variable->type) && !is_fault(variable->type) &&
            !value_is_zero((const char *)frame + variable->offset, variable->type->size))
            return variable->name;
    }
    return NULL;
}
