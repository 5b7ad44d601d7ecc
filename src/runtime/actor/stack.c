// stack.c: the control stack of an actor: calls and returns of projected code.
//
// A frame never moves and is zeroed when pushed, so an unset variable owns nothing.

#include "runtime/actor/actor.h"
#include "runtime/actor/again.h"
#include "runtime/actor/observe.h"
#include "runtime/recovery/savepoint.h"
#include "runtime/actor/effect.h"
#include "runtime/session/runtime.h"
#include "runtime/session/session.h"
#include "runtime/value/text.h"

#include <string.h>

// From now on frames lie in this chunk.
static void stack_use(Actor *actor, Chunk *chunk)
{
    actor->chunk = chunk;
    actor->self.stack_begin = chunk->data;
    actor->self.stack_next = chunk->data + chunk->used;
    actor->self.stack_end = chunk->data + chunk->capacity;
}

void stack_init(Actor *actor, Chunk *chunk, size_t capacity)
{
    *chunk = (Chunk){.capacity = capacity};
    stack_use(actor, chunk);
}

// Goes to a chunk above the current one, with room for `bytes`.
static void stack_grow(Actor *actor, size_t bytes)
{
    Chunk *chunk = actor->chunk;
    chunk->used = (size_t)(actor->self.stack_next - chunk->data);
    if (actor->stack_below + chunk->used + bytes > STACK_LIMIT_BYTES)
        guard_raise(CHX_FAULT_SYSTEM, 0, actor->self.site, "recursion too deep: the frames of %s need more than %d MiB",
                    actor->role->role, STACK_LIMIT_BYTES >> 20);
    Chunk *grown = chunk_above(actor->session->runtime, chunk, bytes);
    if (grown == NULL)
        guard_no_memory();
    actor->stack_below += chunk->used;
    stack_use(actor, grown);
}

static void stack_pop(Actor *actor)
{
    chx_self *self = &actor->self;
    chx_frame *frame = self->top;
    self->stack_next = (unsigned char *)frame;
    self->top = frame->caller;
    if (actor_is_traced(actor))
        trace_function(actor, EVENT_RETURN, frame->function);
    Chunk *chunk = actor->chunk;
    if (self->stack_next == self->stack_begin && chunk->previous != NULL) {
        // The popped frame's result is still to be read, so this chunk stays; the one above it goes.
        chunk_free_above(actor->session->runtime, chunk);
        stack_use(actor, chunk->previous);
        actor->stack_below -= chunk->previous->used;
    }
}

// The first `count` of them.
static void frame_drop_first(const chx_function *function, size_t count, void *frame)
{
    for (const chx_variable *variable = function->variables; count > 0; count--, variable++) {
        void *value = (char *)frame + variable->offset;
        // Nobody looks at the frame again, so texts need not be zeroed.
        if (!type_is_text(variable->type))
            chx_value_drop(variable->type, value);
        else if (*(const void **)value == NULL)
            continue;
        else if (variable->type->kind == CHX_KIND_CSTRING)
            text_cstring_drop(*(const char **)value);
        else
            text_drop(((const chx_str *)value)->text);
    }
}

static void frame_drop_variables(chx_frame *frame)
{
    const chx_function *function = frame->function;
    size_t borrowed = frame->borrows != 0 ? function->fixed_count : 0;
    frame_drop_first(function, function->owned_count - borrowed, frame);
}

void stack_drop_saved(const chx_function *function, void *frame)
{
    frame_drop_first(function, function->owned_count - function->fixed_count, frame);
}

static void frame_drop_result(chx_frame *frame)
{
    const chx_type *result = frame->function->result;
    if (result != NULL && result->owning)
        chx_value_drop(result, frame + 1);
}

static void stack_drop_frame(chx_frame *frame)
{
    frame_drop_variables(frame);
    frame_drop_result(frame);
}

void stack_drop_changed(chx_frame *frame)
{
    stack_drop_saved(frame->function, frame);
    frame_drop_result(frame);
}

void stack_unwind_to(Actor *actor, chx_frame *frame, bool drops)
{
    while (actor->self.top != frame) {
        if (drops)
            stack_drop_frame(actor->self.top);
        stack_pop(actor);
    }
}

void *chx_call_slow(chx_self *self, const chx_function *function)
{
    Actor *actor = (Actor *)self;
    size_t bytes = CHX_FRAME_BYTES(function->frame_size);
    if ((size_t)(self->stack_end - self->stack_next) < bytes)
        stack_grow(actor, bytes);
    chx_frame *frame = (chx_frame *)(void *)self->stack_next;
    self->stack_next += bytes;
    memset(frame, 0, bytes);
    frame->function = function;
    frame->caller = self->top;
    self->top = frame;
    if (actor_is_traced(actor))
        trace_function(actor, EVENT_CALL, function);
    return frame;
}

void *chx_tail_call(chx_self *self, const chx_function *function)
{
    Actor *actor = (Actor *)self;
    chx_frame *frame = self->top;
    frame_drop_variables(frame);
    if (frame->function != function || self->observed != 0) {
        stack_pop(actor);
        return chx_call(self, function);
    }
    frame->at = frame->borrows = 0;
    memset(frame + 1, 0, CHX_FRAME_BYTES(function->frame_size) - sizeof *frame);
    return frame;
}

chx_step chx_return_slow(chx_self *self)
{
    Actor *actor = (Actor *)self;
    frame_drop_variables(self->top);
    self->returned = self->top;
    stack_pop(actor);
    return CHX_STEP_RETURN;
}

void actor_unwind(Actor *actor)
{
    chx_release(&actor->self);
    stack_unwind_to(actor, NULL, true);
}

void actor_fini(Actor *actor)
{
    chx_runtime *runtime = actor->session->runtime;
    Chunk *chunk = actor->chunk;
    while (chunk->previous != NULL)
        chunk = chunk->previous;
    // The first one is part of the session.
    if (chunk->next != NULL)
        chunk_free_above(runtime, chunk);
    for (Allocation *allocation = actor->allocations, *next; allocation != NULL; allocation = next) {
        next = allocation->next;
        runtime_release(runtime, allocation);
    }
    actor->allocations = NULL;
    if (actor->again != NULL)
        again_fini(actor);
    if (actor->pool_capacity != POOL_FIRST)
        runtime_release(runtime, actor->pool);
    actor->pool = NULL;
    effect_fini(actor);
    savepoints_fini(actor);
}
