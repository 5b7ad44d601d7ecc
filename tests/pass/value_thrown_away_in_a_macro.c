// A cast to void in a macro can't be taken off: what the call makes is lost, and the user is warned.
#include <chorex.h>
#include <stdlib.h>

typedef struct { int *number; } box;
static void box_encode(chx_writer *writer, const void *value) { (void)writer; (void)value; }
static bool box_decode(chx_reader *reader, void *value) { (void)reader; (void)value; return false; }
static void box_drop(void *value) { free(((box *)value)->number); }
CHX_CODEC(box, box_encode, box_decode, box_drop);
static box make(void) { return (box){malloc(4)}; }
#define IGNORE(x) ((void)(x))

choreography(ignored, (Alice),
    def run(Alice.box x) {
        Alice.(IGNORE(make())); //! warning: throws away a value that nobody drops
        Alice.(IGNORE(x));
        Alice.((void)make());
    }
)

#include "ignored.Alice.chor.h"
