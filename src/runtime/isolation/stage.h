// stage.h: isolated roles without processes, for tests: who asks for a process gets a message in the bin, and the test
// plays the processes, the nursery and the postman.

#ifndef RUNTIME_ISOLATION_STAGE_H
#define RUNTIME_ISOLATION_STAGE_H

#include "runtime/core/play.h"
#include "runtime/isolation/parent.h"

enum { STAGE_ROLES = 4, STAGE_OUTER = 20, STAGE_INNER, STAGE_OTHER, STAGE_TIMED, STAGE_STRICT };

// Roles R0 .. R3 with channels between all of them. Blocks: OUTER of R0, R1, R2 with one retry and a rescue, INNER of R0
// and R1 with a rescue, OTHER of R1 and R2 with a rescue; of R0, R1 and R2: TIMED within an hour, with one retry and a rescue,
// STRICT within more time than there is, without a rescue. Sites as in play.h: 2 travels a string, 3 is a choice, 4 travels a struct with a codec value in it.
typedef struct {
    Play play;
    chx_registration registrations[STAGE_ROLES];
    const chx_checkpoint *of_role[STAGE_ROLES][5];
    chx_runtime *runtime;
    Isolation *isolation;
    int nursery; // its end of the socket
    uint64_t spawned, killed;
    bool is_out_of_memory; // set by a test: the runtime gets none
    Restore restore;       // what the process that was asked for last is told
} Stage;

// `stage` must live as long as the program.
void stage_init(Stage *stage);
void stage_fini(Stage *stage);
// A session in which these roles are isolated; the others wait for messages of R0 that they pass on to it.
chx_session *stage_start(Stage *stage, const bool *isolated);
// Hears what was asked of the nursery.
void stage_hear(Stage *stage);
// The session is cancelled, if it is not over, and all processes die. `is_there`: the house is. Its status.
chx_status stage_end(Stage *stage, chx_session *session, bool is_there, int64_t *results);
static inline House *stage_house(chx_session *session)
{
    return ((Session *)(void *)session)->house;
}

// What a process does: appends bytes to its posts, as far as there is room; a whole post.
void stage_bytes(Link *link, const void *data, size_t size);
void stage_post(Link *link, uint32_t kind, const void *data, size_t size);
// A view of the channel as the process at either end has it.
Ring stage_view(const Link *link, unsigned from, unsigned to);
Channel *stage_channel(const Link *link, unsigned from, unsigned to);
// What the postman does. False: the house is gone.
bool stage_serve(House *house);
bool stage_die(Link *link, int status);

// A value with a codec: `length` times the byte `fill`. It can't be read if they are the same but not 0, and fails if both are 7.
typedef struct {
    unsigned char length, fill;
    unsigned char *memory;
} StageBlob;
typedef struct {
    bool flag;
    short number;
    const char *text;
    StageBlob blob;
} StageMix;
extern const chx_type stage_blob, stage_mix;
extern long stage_blobs; // that have not been dropped

#endif
