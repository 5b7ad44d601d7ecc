// snapshot.c: see snapshot.h.
//
// A function is known by how far its object lies from the role's: the same in every process that runs this binary.
// Variables travel as their bytes, except those that own something, which are encoded, and pointers, which are left out.

#define _GNU_SOURCE
#include "runtime/value/snapshot.h"

#include "runtime/value/codec.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/value/text.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t function; // distance from the role's object
    uint32_t at, reserved;
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

// Is the variable `fault` of a rescue that the role is still in? Its strings belong to that block, or, if another process
// was in it before, were made when the frame was loaded.
static bool fault_is_alive(const Actor *actor, const chx_fault *fault)
{
    for (size_t i = 0; i < actor->member.count; i++)
        if (savepoint_at(actor, i)->fault != NULL && savepoint_at(actor, i)->fault->why == fault->why)
            return true;
    for (const Allocation *allocation = actor->allocations; allocation != NULL; allocation = allocation->next)
        if ((const char *)allocation->data == fault->why)
            return true;
    return false;
}

static void write_fault(const Actor *actor, chx_writer *writer, const chx_fault *fault)
{
    static const chx_fault none;
    if (!fault_is_alive(actor, fault))
        fault = &none;
    write_string(writer, fault->role);
    write_string(writer, fault->why);
    write_string(writer, fault->file);
    chx_write_u64(writer, (uint64_t)(int64_t)fault->kind);
    chx_write_u64(writer, (uint64_t)(int64_t)fault->signal);
    chx_write_u64(writer, (uint64_t)(int64_t)fault->line);
}

// What would be addresses of another process in a frame, of which `bytes` is the part behind its head: none.
static void frame_clear(const chx_function *function, unsigned char *bytes)
{
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        if (!travels_as_bytes(variable->type))
            memset(bytes + (variable->offset - sizeof(chx_frame)), 0, variable->type->size);
    }
    if (function->result != NULL && function->result->owning)
        memset(bytes, 0, function->result->size);
}

static void frame_save(const Actor *actor, const chx_frame *frame, chx_buffer *buffer)
{
    const chx_function *function = frame->function;
    chx_writer writer = {buffer};
    SavedFrame head = {.function = (const char *)function - (const char *)actor->role,
                       .at = frame->at,
                       .frame_size = function->frame_size};
    chx_write(&writer, &head, sizeof head);
    size_t start = buffer->size;
    chx_write(&writer, frame + 1, function->frame_size - sizeof *frame);
    if (!buffer->failed && buffer->size > start)
        frame_clear(function, buffer->data + start);
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        const void *value = (const char *)frame + variable->offset;
        if (is_fault(variable->type))
            write_fault(actor, &writer, value);
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
    const chx_frame **frames = malloc(count * sizeof *frames + 1);
    if (frames == NULL) {
        buffer->failed = true;
        return;
    }
    for (size_t i = count; i > 0; i--, frame = frame->caller)
        frames[i - 1] = frame;
    for (size_t i = 0; i < count; i++)
        frame_save(actor, frames[i], buffer);
    free(frames);
}

void snapshot_save(const Actor *actor, const chx_frame *first, chx_buffer *buffer)
{
    frames_save(actor, actor->self.top, first, buffer);
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
    frame->at = head->at;
    frame->borrows = 0;
    if (!chx_read(reader, frame + 1, function->frame_size - sizeof *frame))
        return false;
    frame_clear(function, (unsigned char *)(frame + 1));
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

// Into a frame that has a savepoint, which refers to what the fixed variables hold (savepoint.h): these stay as they are, and
// what was saved of them is read and dropped.
static bool frame_load_again(chx_frame *frame, const SavedFrame *head, chx_reader *reader)
{
    const chx_function *function = frame->function;
    chx_frame *loaded = calloc(1, function->frame_size);
    if (loaded == NULL)
        guard_no_memory();
    loaded->function = function;
    bool is_good = frame_load(loaded, head, reader);
    if (is_good) {
        const chx_variable *fixed = function->variables + function->owned_count - function->fixed_count;
        for (size_t i = 0; i < function->fixed_count; i++) {
            void *value = (char *)loaded + fixed[i].offset;
            chx_value_drop(fixed[i].type, value);
            memcpy(value, (const char *)frame + fixed[i].offset, fixed[i].type->size);
        }
        stack_drop_changed(frame);
        frame->at = loaded->at;
        memcpy(frame + 1, loaded + 1, function->frame_size - sizeof *frame);
    } else {
        stack_drop_frame(loaded);
    }
    free(loaded);
    return is_good;
}

typedef struct {
    uintptr_t known, from, to;
    bool is_there;
} ImageSearch;

static bool image_holds(const struct dl_phdr_info *image, uintptr_t from, uintptr_t to)
{
    for (size_t i = 0; i < image->dlpi_phnum; i++) {
        uintptr_t begin = image->dlpi_addr + image->dlpi_phdr[i].p_vaddr;
        if (image->dlpi_phdr[i].p_type == PT_LOAD && from >= begin && to <= begin + image->dlpi_phdr[i].p_memsz)
            return true;
    }
    return false;
}

static int image_look(struct dl_phdr_info *image, size_t size, void *context)
{
    ImageSearch *search = context;
    (void)size;
    if (!image_holds(image, search->known, search->known + 1))
        return 0;
    search->is_there = image_holds(image, search->from, search->to);
    return 1;
}

// Can that be a function of the role? At least it lies in the same program or library.
static bool function_can_be(const chx_role *role, const chx_function *function)
{
    uintptr_t from = (uintptr_t)function;
    ImageSearch search = {(uintptr_t)role, from, from + sizeof *function, false};
    if (from % _Alignof(chx_function) != 0 || from > UINTPTR_MAX - sizeof(chx_function))
        return false;
    dl_iterate_phdr(image_look, &search);
    return search.is_there && function->frame_size >= sizeof(chx_frame) && function->frame_size <= STACK_LIMIT_BYTES;
}

bool snapshot_load(Actor *actor, const void *data, size_t size)
{
    chx_reader reader = {.at = data, .end = (const unsigned char *)data + size};
    uint64_t count;
    if (!chx_read_u64(&reader, &count) || count == 0)
        return false;
    bool replaces = actor->self.top != NULL;
    const chx_function *known = NULL; // a recursion has many frames of it
    for (uint64_t i = 0; i < count; i++) {
        SavedFrame head;
        if (!chx_read(&reader, &head, sizeof head))
            return false;
        const chx_function *function = (const void *)((uintptr_t)actor->role + (uintptr_t)head.function);
        if (function != known && !function_can_be(actor->role, function))
            return false;
        known = function;
        if (head.frame_size != function->frame_size)
            return false;
        bool is_again = i == 0 && replaces;
        chx_frame *frame = is_again ? actor->self.top : chx_call(&actor->self, function);
        if (frame->function != function)
            return false;
        if (!(is_again ? frame_load_again : frame_load)(frame, &head, &reader))
            return false;
    }
    return reader.at == reader.end;
}

const char *snapshot_unsendable(const chx_frame *frame)
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
