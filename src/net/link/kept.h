// kept.h: the numbered frames of one direction, encoded, from the oldest that is not acknowledged to the newest.
//
// They lie in segments of memory, one behind the other, none across two segments; a segment is given back when all of its
// frames are acknowledged. So sending a small frame costs no allocation, and what has to be written is a few long
// pieces of memory, straight from here.
//
// A cursor stands before a frame, or inside of one that is half written.

#ifndef NET_LINK_KEPT_H
#define NET_LINK_KEPT_H

#include "net/link/memory.h"
#include "net/wire/wire.h"

typedef struct KeptSegment KeptSegment;
struct KeptSegment {
    KeptSegment *next;
    uint32_t used;
    uint8_t bytes[];
};
enum { KEPT_SEGMENT_BYTES = 4 * WIRE_FRAME_MAX };

typedef struct {
    KeptSegment *segment; // NULL: nothing has been kept yet
    uint32_t at;
    uint32_t left;   // bytes of the frame behind `at`, if the cursor is inside of it; 0: it stands before a frame
    uint64_t number; // of the frame that it stands before or in
} KeptCursor;

typedef struct {
    KeptSegment *first, *last;
    KeptSegment *spare; // an empty one, so that one request at a time does not allocate
    KeptCursor oldest;  // before the first frame that is not acknowledged
    KeptCursor unsent;  // what is to be written next on the current connection
    uint64_t next;      // number of the next frame
    uint64_t written;   // the highest that was written, on any connection
    size_t bytes;       // kept
    size_t unsent_bytes;
} Kept;

void kept_init(Kept *kept);
void kept_fini(Kept *kept, const LinkMemory *memory);
// Room for a frame of this size, which has the number kept->next; kept_commit then appends it. NULL: no memory.
uint8_t *kept_reserve(Kept *kept, const LinkMemory *memory, size_t size);
void kept_commit(Kept *kept, size_t size);
// What was kept since the mark is forgotten: nothing else has happened in between.
typedef struct {
    KeptSegment *last;
    uint32_t used;
    uint64_t next;
    size_t bytes, unsent_bytes;
} KeptMark;
KeptMark kept_mark(const Kept *kept);
void kept_forget(Kept *kept, const LinkMemory *memory, const KeptMark *mark);
// All up to this one, which has been written on some connection, have arrived. What has still to be written on this one stays.
void kept_acknowledge(Kept *kept, const LinkMemory *memory, uint64_t number);
// On another connection: all up to this one have arrived, and everything behind it is to be written again.
void kept_resume(Kept *kept, const LinkMemory *memory, uint64_t number);
// What is to be written, without the next `skip` bytes, which are in the first segment: up to `most` pieces, at most `limit`
// bytes; returns how many.
unsigned kept_unsent(const Kept *kept, uint32_t skip, WireSpan *pieces, unsigned most, size_t limit);
// So many bytes of it have been written.
void kept_wrote(Kept *kept, size_t count);
// Gives back memory that is not needed at the moment.
void kept_trim(Kept *kept, const LinkMemory *memory);

#endif
