// stack.c: the control stack of an actor: calls and returns of projected code.
//
// A frame never moves and is zeroed when pushed, so an unset variable owns nothing.

#include "runtime/core/actor.h"
#include "runtime/core/observe.h"
#include "runtime/core/checkpoint.h"
#include "runtime/core/runtime.h"
#include "runtime/core/session.h"
#include "runtime/core/text.h"

#include <string.h>

static size_t frame_bytes(const chx_function *function)
{
    return (function->frame_size + 15) & ~(size_t)15;
}

static void *frame_result(chx_frame *frame)
{
    return frame + 1;
}

// A chunk above the current one with room for `bytes`. NULL: no memory.
static Chunk *stack_grow(Actor *actor, size_t bytes)
{
    chx_runtime *runtime = actor->session->runtime;
    Chunk *chunk = actor->chunk;
    if (chunk->next != NULL && chunk->next->capacity >= bytes)
        return chunk->next;
    if (chunk->next != NULL) {
        runtime_release(runtime, chunk->next);
        chunk->next = NULL;
    }
    size_t capacity = chunk->capacity * 2;
    if (capacity < STACK_CHUNK_BYTES)
        capacity = STACK_CHUNK_BYTES;
    if (capacity > STACK_CHUNK_MAX_BYTES)
        capacity = STACK_CHUNK_MAX_BYTES;
    if (capacity < bytes)
        capacity = bytes;
    Chunk *grown = runtime_allocate(runtime, sizeof *grown + capacity);
    if (grown == NULL)
        return NULL;
    *grown = (Chunk){.previous = chunk, .capacity = capacity};
    chunk->next = grown;
    return grown;
}

static chx_frame *stack_push(Actor *actor, const chx_function *function, chx_frame *caller)
{
    size_t bytes = frame_bytes(function);
    if (actor->stack_bytes + bytes > STACK_LIMIT_BYTES)
        guard_raise(CHX_FAULT_SYSTEM, 0, actor->self.site, "recursion too deep: the frames of %s need more than %d MiB",
                    actor->role->role, STACK_LIMIT_BYTES >> 20);
    if (actor->chunk->capacity - actor->chunk->used < bytes) {
        Chunk *grown = stack_grow(actor, bytes);
        if (grown == NULL)
            guard_no_memory();
        actor->chunk = grown;
    }
    chx_frame *frame = (chx_frame *)(void *)(actor->chunk->data + actor->chunk->used);
    actor->chunk->used += bytes;
    actor->stack_bytes += bytes;
    memset(frame, 0, bytes);
    frame->function = function;
    frame->caller = caller;
    actor->top = frame;
    if (actor->self.observed != 0)
        observe_call(actor, function);
    return frame;
}

static void stack_pop(Actor *actor)
{
    chx_frame *frame = actor->top;
    size_t bytes = frame_bytes(frame->function);
    Chunk *chunk = actor->chunk;
    chunk->used -= bytes;
    actor->stack_bytes -= bytes;
    actor->top = frame->caller;
    if (actor->self.observed != 0)
        observe_return(actor, frame->function);
    if (chunk->used == 0 && chunk->previous != NULL) {
        // The popped frame's result is still to be read, so this chunk stays; the one above it goes.
        if (chunk->next != NULL) {
            runtime_release(actor->session->runtime, chunk->next);
            chunk->next = NULL;
        }
        actor->chunk = chunk->previous;
    }
}

static void frame_drop_variables(chx_frame *frame)
{
    const chx_function *function = frame->function;
    for (size_t i = 0; i < function->owned_count; i++) {
        const chx_variable *variable = &function->variables[i];
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

void stack_drop_frame(chx_frame *frame)
{
    const chx_type *result = frame->function->result;
    frame_drop_variables(frame);
    if (result != NULL && result->owning)
        chx_value_drop(result, frame_result(frame));
}

void stack_unwind_to(Actor *actor, chx_frame *frame, bool drops)
{
    while (actor->top != frame) {
        if (drops)
            stack_drop_frame(actor->top);
        stack_pop(actor);
    }
}

void *chx_call(chx_self *self, const chx_function *function)
{
    Actor *actor = (Actor *)self;
    return stack_push(actor, function, actor->top);
}

void *chx_tail_call(chx_self *self, const chx_function *function)
{
    Actor *actor = (Actor *)self;
    frame_drop_variables(actor->top);
    stack_pop(actor);
    return stack_push(actor, function, actor->top);
}

void *chx_result(chx_self *self)
{
    Actor *actor = (Actor *)self;
    return frame_result(actor->returned);
}

chx_step chx_return(chx_self *self)
{
    Actor *actor = (Actor *)self;
    frame_drop_variables(actor->top);
    actor->returned = actor->top;
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
    for (Chunk *next = chunk->next; next != NULL; next = chunk) {
        chunk = next->next;
        runtime_release(runtime, next);
    }
    for (Allocation *allocation = actor->allocations, *next; allocation != NULL; allocation = next) {
        next = allocation->next;
        runtime_release(runtime, allocation);
    }
    actor->allocations = NULL;
    if (actor->pool != NULL)
        runtime_release(runtime, actor->pool);
    actor->pool = NULL;
    checkpoint_fini(actor);
}
