// path.h: the critical path of a session: going back from its end, at each moment what everything else waited for.

#ifndef TOOLS_TRACE_PATH_H
#define TOOLS_TRACE_PATH_H

#include "tools/trace/recording.h"

typedef enum {
    SPENT_STEP,     // in local work: `event` is the step
    SPENT_BETWEEN,  // the role was about to go on, and the runtime at work: `event` is what followed
    SPENT_MESSAGE,  // a message was under way: `event` has received it
    SPENT_BLOCK,    // participants were let out of a block: `event` is the last one's arrival
    SPENT_RECOVERY, // from the failure, `event`, to going on
    SPENT_KINDS,
} SpentKind;

typedef struct {
    SpentKind kind;
    uint32_t event;
    uint64_t time_ns;
} Spent;

typedef VECTOR(Spent) Path;

// What is looked up on the way, of a whole recording.
typedef struct PathIndex PathIndex;
PathIndex *path_index_new(const Recording *recording);
void path_index_free(PathIndex *index);
// The path of one session, from its end to its beginning.
void path_find(const PathIndex *index, uint32_t session, Path *path);

#endif
