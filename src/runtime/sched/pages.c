// pages.c: see pages.h.

#include "runtime/sched/pages.h"

#include "runtime/actor/actor.h"
#include "runtime/session/runtime.h"

struct Page {
    Page *next;
};

// Where the calling thread keeps pages of this runtime. NULL: nowhere.
static Pages *pages_here(chx_runtime *runtime)
{
    Worker *worker = current()->worker;
    return PAGES_KEPT != 0 && worker != NULL && worker->scheduler == &runtime->scheduler ? &worker->pages : NULL;
}

void *page_take(chx_runtime *runtime)
{
    Pages *pages = pages_here(runtime);
    if (pages == NULL || pages->first == NULL)
        return runtime_allocate(runtime, PAGE_BYTES);
    Page *page = pages->first;
    pages->first = page->next;
    pages->count--;
    return page;
}

void page_give(chx_runtime *runtime, void *memory)
{
    Pages *pages = pages_here(runtime);
    if (pages == NULL || pages->count == PAGES_KEPT) {
        runtime_release(runtime, memory);
        return;
    }
    Page *page = memory;
    page->next = pages->first;
    pages->first = page;
    pages->count++;
}

void pages_free(chx_runtime *runtime, Pages *pages)
{
    for (Page *page = pages->first, *next; page != NULL; page = next) {
        next = page->next;
        runtime_release(runtime, page);
    }
    *pages = (Pages){NULL, 0};
}

enum { CHUNK_BYTES = PAGE_BYTES - sizeof(Chunk) }; // unless somebody needs more

Chunk *chunk_above(chx_runtime *runtime, Chunk *chunk, size_t bytes)
{
    Chunk *above = chunk != NULL ? chunk->next : NULL;
    if (above != NULL && above->capacity < bytes) {
        chunk_free_above(runtime, chunk);
        above = NULL;
    }
    if (above == NULL) {
        size_t capacity = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        above = capacity == CHUNK_BYTES ? page_take(runtime) : runtime_allocate(runtime, sizeof *above + capacity);
        if (above == NULL)
            return NULL;
        *above = (Chunk){.previous = chunk, .capacity = capacity};
        if (chunk != NULL)
            chunk->next = above;
    }
    above->used = 0;
    return above;
}

void chunk_free_above(chx_runtime *runtime, Chunk *chunk)
{
    for (Chunk *above = chunk->next, *next; above != NULL; above = next) {
        next = above->next;
        if (above->capacity == CHUNK_BYTES)
            page_give(runtime, above);
        else
            runtime_release(runtime, above);
    }
    chunk->next = NULL;
}
