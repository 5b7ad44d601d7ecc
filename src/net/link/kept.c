// kept.c: see kept.h.

#include "net/link/kept.h"

#include "base/check.h"

void kept_init(Kept *kept)
{
    *kept = (Kept){.next = 1, .oldest = {.number = 1}, .unsent = {.number = 1}};
}

void kept_trim(Kept *kept, const LinkMemory *memory)
{
    memory_release(memory, kept->spare);
    kept->spare = NULL;
    // Without frames the cursors need no segment, either.
    if (kept->bytes == 0 && kept->first != NULL) {
        CHECK(kept->first == kept->last && kept->unsent.left == 0);
        memory_release(memory, kept->first);
        kept->first = kept->last = NULL;
        kept->oldest.segment = kept->unsent.segment = NULL;
        kept->oldest.at = kept->unsent.at = 0;
    }
}

void kept_fini(Kept *kept, const LinkMemory *memory)
{
    while (kept->first != NULL) {
        KeptSegment *segment = kept->first;
        kept->first = segment->next;
        memory_release(memory, segment);
    }
    memory_release(memory, kept->spare);
    kept_init(kept);
}

static bool kept_extend(Kept *kept, const LinkMemory *memory)
{
    KeptSegment *segment = kept->spare;
    kept->spare = NULL;
    if (segment == NULL)
        segment = memory_allocate(memory, sizeof *segment + KEPT_SEGMENT_BYTES);
    if (segment == NULL)
        return false;
    segment->next = NULL;
    segment->used = 0;
    if (kept->last != NULL)
        kept->last->next = segment;
    else
        kept->first = kept->oldest.segment = kept->unsent.segment = segment;
    kept->last = segment;
    return true;
}

uint8_t *kept_reserve(Kept *kept, const LinkMemory *memory, size_t size)
{
    CHECK(size <= WIRE_FRAME_MAX);
    if (kept->last == NULL || KEPT_SEGMENT_BYTES - kept->last->used < size)
        if (!kept_extend(kept, memory))
            return NULL;
    return kept->last->bytes + kept->last->used;
}

void kept_commit(Kept *kept, size_t size)
{
    kept->last->used += (uint32_t)size;
    kept->bytes += size;
    kept->unsent_bytes += size;
    kept->next++;
}

KeptMark kept_mark(const Kept *kept)
{
    return (KeptMark){kept->last, kept->last != NULL ? kept->last->used : 0, kept->next, kept->bytes,
                      kept->unsent_bytes};
}

void kept_forget(Kept *kept, const LinkMemory *memory, const KeptMark *mark)
{
    KeptSegment *segment = mark->last != NULL ? mark->last->next : kept->first;
    while (segment != NULL) {
        KeptSegment *next = segment->next;
        memory_release(memory, segment);
        segment = next;
    }
    kept->last = mark->last;
    if (mark->last != NULL) {
        mark->last->next = NULL;
        mark->last->used = mark->used;
    } else {
        kept->first = kept->oldest.segment = kept->unsent.segment = NULL;
    }
    kept->next = mark->next;
    kept->bytes = mark->bytes;
    kept->unsent_bytes = mark->unsent_bytes;
}

// A cursor at the end of its segment stands at the beginning of the next one, if there is one.
static void cursor_settle(KeptCursor *cursor)
{
    if (cursor->at == cursor->segment->used && cursor->segment->next != NULL) {
        cursor->segment = cursor->segment->next;
        cursor->at = 0;
    }
}

static size_t frame_size(const uint8_t *bytes)
{
    return WIRE_HEAD_NUMBERED + (size_t)wire_get(bytes, 4);
}

static void kept_give_back(Kept *kept, const LinkMemory *memory)
{
    // A segment that was filled up to its end may have no successor yet; it stays until there is one.
    while (kept->first != kept->oldest.segment) {
        KeptSegment *segment = kept->first;
        kept->first = segment->next;
        if (kept->spare == NULL)
            kept->spare = segment;
        else
            memory_release(memory, segment);
    }
    // All is acknowledged: the only segment is used from its beginning.
    if (kept->bytes == 0 && kept->first != NULL && kept->first == kept->last) {
        kept->first->used = 0;
        kept->oldest.at = kept->unsent.at = 0;
        kept->unsent.segment = kept->oldest.segment;
    }
}

// Frames before this number are not needed any more.
static void kept_drop(Kept *kept, uint64_t end)
{
    while (kept->oldest.number < end) {
        cursor_settle(&kept->oldest);
        size_t size = frame_size(kept->oldest.segment->bytes + kept->oldest.at);
        kept->oldest.at += (uint32_t)size;
        kept->oldest.number++;
        kept->bytes -= size;
    }
    if (kept->oldest.segment != NULL)
        cursor_settle(&kept->oldest);
}

void kept_acknowledge(Kept *kept, const LinkMemory *memory, uint64_t number)
{
    // What is being written a second time stays until it is written, even if the peer says, against its own HELLO, that it
    // has it: half of it may be on its way.
    uint64_t end = number < kept->unsent.number ? number + 1 : kept->unsent.number;
    if (kept->oldest.number >= end)
        return;
    kept_drop(kept, end);
    if (kept->unsent.left == 0)
        cursor_settle(&kept->unsent);
    kept_give_back(kept, memory);
}

void kept_resume(Kept *kept, const LinkMemory *memory, uint64_t number)
{
    CHECK(number < kept->next);
    kept_drop(kept, number + 1);
    kept->unsent = kept->oldest;
    kept->unsent_bytes = kept->bytes;
    kept_give_back(kept, memory);
}

unsigned kept_unsent(const Kept *kept, uint32_t skip, WireSpan *pieces, unsigned most, size_t limit)
{
    const KeptSegment *segment = kept->unsent.segment;
    uint32_t at = kept->unsent.at + skip;
    unsigned count = 0;
    for (; segment != NULL && count < most && limit > 0; segment = segment->next, at = 0) {
        size_t size = segment->used - at;
        if (size == 0)
            continue;
        if (size > limit)
            size = limit;
        pieces[count++] = (WireSpan){segment->bytes + at, size};
        limit -= size;
    }
    return count;
}

void kept_wrote(Kept *kept, size_t count)
{
    KeptCursor *cursor = &kept->unsent;
    CHECK(count <= kept->unsent_bytes);
    kept->unsent_bytes -= count;
    while (count > 0) {
        if (cursor->left == 0) {
            cursor_settle(cursor);
            cursor->left = (uint32_t)frame_size(cursor->segment->bytes + cursor->at);
        }
        uint32_t step = count < cursor->left ? (uint32_t)count : cursor->left;
        cursor->at += step;
        cursor->left -= step;
        count -= step;
        if (cursor->left == 0) {
            if (cursor->number > kept->written)
                kept->written = cursor->number;
            cursor->number++;
        }
    }
    if (cursor->left == 0 && cursor->segment != NULL)
        cursor_settle(cursor);
}
