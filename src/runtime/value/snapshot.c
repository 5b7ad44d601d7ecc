// snapshot.c: see snapshot.h. The format is described in docs/wire.md.

#include "runtime/value/snapshot.h"

#include "base/check.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/value/codec.h"
#include "runtime/value/sequence.h"
#include "runtime/value/crc32c.h"

#include <stdlib.h>
#include <string.h>

// Where things lie in the head.
enum {
    AT_MAGIC = 0,
    AT_VERSION = 8,
    AT_ROLE = 12,
    AT_DIGEST = 16,
    AT_STATE_DIGEST = 24,
    AT_SIZE = 32,
    AT_MACHINE = 40,
    AT_BLOCK = 44,
    AT_ORDINAL = 48,
    AT_LEVEL = 52,
    HEAD_BYTES = 56,
    FRAME_HEAD_BYTES = 16, // function, label, size
    FRAMES_ON_C_STACK = 32,
    CHECKSUM_BYTES = 4,
};
static const unsigned char magic[8] = {'c', 'h', 'x', '-', 's', 'n', 'a', 'p'};

// What values that are saved as they lie in memory depend on.
static const unsigned char machine[4] = {IS_LITTLE_ENDIAN ? 1 : 2, sizeof(void *), sizeof(long), sizeof(long double)};

static bool is_fault(const chx_type *type)
{
    return type == &chx_type_fault;
}

// ---- saving ----

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

static void fault_save(const Actor *actor, const chx_fault *fault, chx_writer *writer)
{
    unsigned char is_here = fault_is_alive(actor, fault);
    chx_write(writer, &is_here, 1);
    if (!is_here)
        return;
    value_save(&chx_type_cstring, &fault->role, writer);
    value_save(&chx_type_cstring, &fault->why, writer);
    value_save(&chx_type_cstring, &fault->file, writer);
    codec_write_u32(writer, (uint32_t)fault->kind);
    codec_write_u32(writer, (uint32_t)fault->signal);
    codec_write_u32(writer, (uint32_t)fault->line);
}

// `is_whole`: the role is in no block, and its result goes with it.
static void frame_save(const Actor *actor, const chx_frame *frame, bool is_whole, chx_writer *writer)
{
    const chx_function *function = frame->function;
    const chx_role *role = actor->role;
    chx_buffer *buffer = writer->buffer;
    unsigned char head[FRAME_HEAD_BYTES] = {0};
    CHECK(function->number < role->function_count && role->functions[function->number] == function);
    store_number(head, function->number, 4);
    store_number(head + 4, frame->at, 4);
    size_t start = buffer->size;
    chx_write(writer, head, sizeof head);
    // A frame has a result only from its last step until its return, when it enters no more blocks; and savepoints have no
    // part in what it owns (savepoint.h). So what owns something is left out.
    const chx_type *result = function->result;
    if (result != NULL) {
        unsigned char is_here = (is_whole || !result->owning) && !value_is_zero(frame + 1, result->size);
        chx_write(writer, &is_here, 1);
        if (is_here)
            value_save(result, frame + 1, writer);
    }
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        const void *value = (const char *)frame + variable->offset;
        if (is_fault(variable->type))
            fault_save(actor, value, writer);
        else
            value_save(variable->type, value, writer);
    }
    if (!buffer->failed)
        store_number(buffer->data + start + 8, buffer->size - start - FRAME_HEAD_BYTES, 8);
}

// Outermost first.
static void frames_save(const Actor *actor, const chx_frame *first, bool is_whole, chx_writer *writer)
{
    // Recursion of the role may be deep, recursion here must not be: the frames are turned round first.
    const chx_frame *few[FRAMES_ON_C_STACK], **frames = few, *frame = actor->self.top;
    uint32_t count = 0;
    for (const chx_frame *each = frame; each != NULL; each = each != first ? each->caller : NULL)
        count++;
    codec_write_u32(writer, count);
    if (count > FRAMES_ON_C_STACK && (frames = malloc(count * sizeof *frames)) == NULL) {
        writer->buffer->failed = true;
        return;
    }
    for (uint32_t i = count; i > 0; i--, frame = frame->caller)
        frames[i - 1] = frame;
    for (uint32_t i = 0; i < count; i++)
        frame_save(actor, frames[i], is_whole, writer);
    if (frames != few)
        free(frames);
}

// Of the block of this savepoint, the newest; NULL: of no block.
static void head_save(const Actor *actor, const Savepoint *savepoint, chx_writer *writer)
{
    unsigned char head[HEAD_BYTES] = {0};
    memcpy(head + AT_MAGIC, magic, sizeof magic);
    store_number(head + AT_VERSION, SNAPSHOT_VERSION, 4);
    store_number(head + AT_ROLE, actor->role->index, 4);
    store_number(head + AT_DIGEST, actor->role->protocol_digest, 8);
    store_number(head + AT_STATE_DIGEST, actor->role->state_digest, 8);
    memcpy(head + AT_MACHINE, machine, sizeof machine);
    if (savepoint != NULL) {
        store_number(head + AT_BLOCK, savepoint->position.checkpoint->site, 4);
        store_number(head + AT_ORDINAL, savepoint->position.ordinal, 4);
        store_number(head + AT_LEVEL, actor->member.count - 1, 4);
    }
    chx_write(writer, head, sizeof head);
}

static void snapshot_end(chx_writer *writer, size_t start)
{
    chx_buffer *buffer = writer->buffer;
    if (buffer->failed)
        return;
    unsigned char *data = buffer->data + start;
    size_t size = buffer->size - start;
    store_number(data + AT_SIZE, size + CHECKSUM_BYTES, 8);
    codec_write_u32(writer, crc32c(data, size));
}

void snapshot_save(const Actor *actor, const chx_frame *first, chx_buffer *buffer)
{
    chx_writer writer = {buffer, OPAQUE_SAVED};
    size_t start = buffer->size;
    head_save(actor, savepoint_top(actor), &writer);
    effect_save(actor, &writer);
    frames_save(actor, first, false, &writer);
    snapshot_end(&writer, start);
}

void snapshot_save_outside(const Actor *actor, chx_buffer *buffer)
{
    chx_writer writer = {buffer, OPAQUE_SAVED};
    size_t start = buffer->size;
    head_save(actor, NULL, &writer);
    effect_save_outside(actor, &writer);
    frames_save(actor, NULL, true, &writer);
    snapshot_end(&writer, start);
}

// ---- loading ----

// Its strings live as long as the role.
static bool string_load(chx_reader *reader, const char **string)
{
    uint64_t size;
    const char *bytes;
    *string = "";
    if (!chx_read_u64(reader, &size))
        return false;
    if (size == 0)
        return true;
    if (size - 1 > (uint64_t)(reader->end - reader->at) || (bytes = chx_read_view(reader, (size_t)size - 1)) == NULL)
        return false;
    char *copy = chx_alloc((size_t)size);
    memcpy(copy, bytes, (size_t)size - 1);
    copy[size - 1] = '\0';
    *string = copy;
    return true;
}

static bool fault_load(chx_reader *reader, chx_fault *fault)
{
    unsigned char is_here;
    uint32_t kind, signal, line;
    *fault = (chx_fault){.role = "", .why = "", .file = ""};
    if (!chx_read(reader, &is_here, 1) || is_here > 1)
        return false;
    if (!is_here)
        return true;
    if (!string_load(reader, &fault->role) || !string_load(reader, &fault->why) || !string_load(reader, &fault->file))
        return false;
    if (!codec_read_u32(reader, &kind) || !codec_read_u32(reader, &signal) || !codec_read_u32(reader, &line))
        return false;
    fault->kind = (chx_fault_kind)kind;
    fault->signal = (int)signal;
    fault->line = (int)line;
    return true;
}

static bool value_is_loaded(chx_reader *reader, const chx_type *type, void *value)
{
    Fault fault;
    return decode_succeeded(value_load(type, value, reader, &fault), &fault);
}

// Into a frame that has just been pushed. What it holds is its own. A result may own something only where there are no savepoints.
static bool frame_load(chx_reader *reader, chx_frame *frame, bool is_whole)
{
    const chx_function *function = frame->function;
    const chx_type *result = function->result;
    unsigned char is_here = 0;
    if (result != NULL && (!chx_read(reader, &is_here, 1) || is_here > 1))
        return false;
    if (is_here != 0 && ((result->owning && !is_whole) || !value_is_loaded(reader, result, frame + 1)))
        return false;
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        void *value = (char *)frame + variable->offset;
        bool is_good =
            is_fault(variable->type) ? fault_load(reader, value) : value_is_loaded(reader, variable->type, value);
        if (!is_good)
            return false;
    }
    return reader->at == reader->end;
}

// Into the top frame, which has a savepoint, which refers to what the fixed variables hold (savepoint.h): these stay as they
// are, and what was saved of them is read and dropped. It is read into another frame, so that nothing is lost if it ends in
// the guard.
static bool frame_load_again(Actor *actor, chx_reader *reader)
{
    chx_frame *frame = actor->self.top;
    const chx_function *function = frame->function;
    chx_frame *loaded = chx_call(&actor->self, function);
    if (!frame_load(reader, loaded, false))
        return false;
    const chx_variable *fixed = function->variables + function->owned_count - function->fixed_count;
    for (size_t i = 0; i < function->fixed_count; i++) {
        void *value = (char *)loaded + fixed[i].offset;
        chx_value_drop(fixed[i].type, value);
        memcpy(value, (const char *)frame + fixed[i].offset, fixed[i].type->size);
    }
    stack_drop_changed(frame);
    memcpy(frame + 1, loaded + 1, function->frame_size - sizeof *frame);
    stack_unwind_to(actor, frame, false);
    return true;
}

// The next frame, in place of the top one or above it.
static const char *frame_next(Actor *actor, chx_reader *reader, bool replaces, bool is_whole)
{
    const chx_role *role = actor->role;
    uint32_t number, at;
    uint64_t size;
    if (!codec_read_u32(reader, &number) || !codec_read_u32(reader, &at) || !chx_read_u64(reader, &size) ||
        size > (uint64_t)(reader->end - reader->at))
        return "a frame is cut off";
    if (number >= role->function_count)
        return "a frame is of a function that there is not";
    const chx_function *function = role->functions[number];
    if (at > function->label_count)
        return "a frame goes on where its function has no label";
    if (replaces && actor->self.top->function != function)
        return "it does not begin with the enclosing block's frame";
    chx_reader values = {.at = reader->at, .end = reader->at + size, .opaque = reader->opaque};
    reader->at += size;
    bool is_good =
        replaces ? frame_load_again(actor, &values) : frame_load(&values, chx_call(&actor->self, function), is_whole);
    if (!is_good)
        return "the variables of a frame can't be read";
    actor->self.top->at = at;
    return NULL;
}

static const char *frames_load(Actor *actor, const chx_checkpoint *checkpoint, chx_reader *reader)
{
    bool replaces = actor->self.top != NULL;
    uint32_t count;
    if (!codec_read_u32(reader, &count) || count == 0)
        return "it has no frames";
    for (uint32_t i = 0; i < count; i++) {
        const char *why = frame_next(actor, reader, replaces && i == 0, checkpoint == NULL);
        if (why != NULL)
            return why;
    }
    if (reader->at != reader->end)
        return "something follows the last frame";
    uint32_t labels = actor->self.top->function->label_count;
    if (checkpoint != NULL && (checkpoint->body_at > labels || checkpoint->rescue_at > labels))
        return "its last frame has no such block";
    return NULL;
}

// Why a snapshot with this head can't be loaded, in which case nothing else of it is looked at. NULL: nothing speaks against it.
static const char *head_refusal(const Actor *actor, const chx_checkpoint *checkpoint, const unsigned char *head,
                                size_t size)
{
    const chx_role *role = actor->role;
    if (size < HEAD_BYTES + CHECKSUM_BYTES)
        return "it is cut off";
    if (memcmp(head + AT_MAGIC, magic, sizeof magic) != 0)
        return "it is no snapshot";
    if (load_number(head + AT_VERSION, 4) != SNAPSHOT_VERSION)
        return "it has another version of the format";
    if (load_number(head + AT_SIZE, 8) != size)
        return "it is not as long as it says";
    if (load_number(head + size - CHECKSUM_BYTES, 4) != crc32c(head, size - CHECKSUM_BYTES))
        return "its checksum is wrong";
    if (load_number(head + AT_DIGEST, 8) != role->protocol_digest)
        return "it is of another choreography";
    if (load_number(head + AT_ROLE, 4) != role->index)
        return "it is of another role";
    if (load_number(head + AT_STATE_DIGEST, 8) != role->state_digest)
        return "the role had other variables when it was made";
    if (load_number(head + AT_BLOCK, 4) != (checkpoint != NULL ? checkpoint->site : 0) ||
        load_number(head + AT_LEVEL, 4) != actor->member.count)
        return "it is of another block";
    return NULL;
}

const char *snapshot_load(Actor *actor, const chx_checkpoint *checkpoint, const void *data, size_t size,
                          uint32_t *ordinal)
{
    const unsigned char *head = data;
    const char *why = head_refusal(actor, checkpoint, head, size);
    if (why != NULL)
        return why;
    bool is_foreign = memcmp(head + AT_MACHINE, machine, sizeof machine) != 0;
    chx_reader reader = {.at = head + HEAD_BYTES,
                         .end = head + size - CHECKSUM_BYTES,
                         .opaque = is_foreign ? OPAQUE_FOREIGN : OPAQUE_SAVED};
    if (!effect_load(actor, &reader))
        return "its counters can't be read";
    *ordinal = (uint32_t)load_number(head + AT_ORDINAL, 4);
    return frames_load(actor, checkpoint, &reader);
}

bool snapshot_load_counters(Actor *actor, const void *data, size_t size)
{
    const unsigned char *head = data;
    chx_reader reader = {.at = head + HEAD_BYTES, .end = head + size - CHECKSUM_BYTES};
    return size >= HEAD_BYTES + CHECKSUM_BYTES && effect_load(actor, &reader);
}

uint64_t snapshot_state_digest(const void *data, size_t size)
{
    return size >= HEAD_BYTES ? load_number((const unsigned char *)data + AT_STATE_DIGEST, 8) : 0;
}

uint32_t snapshot_site(const void *data, size_t size)
{
    return size >= HEAD_BYTES ? (uint32_t)load_number((const unsigned char *)data + AT_BLOCK, 4) : 0;
}

// ---- what can't go ----

// Has the value a pointer in it that is not NULL, and that is no string?
static bool has_pointer(const chx_type *type, const void *value)
{
    bool found = false;
    switch (type->kind) {
    case CHX_KIND_OPAQUE:
        return type->wire == 0 && !value_is_zero(value, type->size);
    case CHX_KIND_STRUCT:
    case CHX_KIND_ARRAY:
        for (size_t i = 0, offset; i < type->count && !found; i++) {
            const chx_type *part = type_part(type, i, &offset);
            found = has_pointer(part, (const char *)value + offset);
        }
        return found;
    case CHX_KIND_SEQUENCE: {
        const char *elements = *(void *const *)value;
        for (size_t i = 0; i < sequence_count(elements) && !found; i++)
            found = has_pointer(type->element, elements + i * type->element->size);
        return found;
    }
    case CHX_KIND_SHADOW: {
        SHADOW_OF(plain, type);
        type->pack(plain, value);
        return has_pointer(type->element, plain);
    }
    default:
        return false;
    }
}

const char *snapshot_unsendable(const chx_frame *frame)
{
    const chx_function *function = frame->function;
    for (size_t i = 0; i < function->variable_count; i++) {
        const chx_variable *variable = &function->variables[i];
        if (!is_fault(variable->type) && has_pointer(variable->type, (const char *)frame + variable->offset))
            return variable->name;
    }
    return NULL;
}
