// process_fixture.h: isolated roles without processes, for tests: who asks for a process gets a message in the bin, and the test
// plays the processes, the zygote and the supervisor thread.

#ifndef RUNTIME_ISOLATION_PROCESS_FIXTURE_H
#define RUNTIME_ISOLATION_PROCESS_FIXTURE_H

#include "runtime/session/fixture.h"
#include "runtime/isolation/parent.h"

enum {
    PROCESS_FIXTURE_ROLES = 4,
    PROCESS_FIXTURE_OUTER = 20,
    PROCESS_FIXTURE_INNER,
    PROCESS_FIXTURE_OTHER,
    PROCESS_FIXTURE_TIMED,
    PROCESS_FIXTURE_STRICT
};

// Roles R0 .. R3 with channels between all of them. Blocks: OUTER of R0, R1, R2 with one retry and a rescue, INNER of R0
// and R1 with a rescue, OTHER of R1 and R2 with a rescue; of R0, R1 and R2: TIMED within an hour, with one retry and a rescue,
// STRICT within more time than there is, without a rescue. Sites as in fixture.h: 2 travels a string, 3 is a choice, 4 travels a struct with a codec value in it.
typedef struct {
    Fixture fixture;
    chx_registration registrations[PROCESS_FIXTURE_ROLES];
    const chx_checkpoint *of_role[PROCESS_FIXTURE_ROLES][5];
    chx_runtime *runtime;
    Isolation *isolation;
    int zygote; // its end of the socket
    uint64_t spawned, killed;
    bool is_out_of_memory; // set by a test: the runtime gets none
    SpawnImage image;      // what the process that was asked for last is told
} ProcessFixture;

// `stage` must live as long as the program.
void process_fixture_init(ProcessFixture *process_fixture);
void process_fixture_fini(ProcessFixture *process_fixture);
// A session in which these roles are isolated; the others wait for messages of R0 that they pass on to it.
chx_session *process_fixture_start(ProcessFixture *process_fixture, const bool *isolated);
// Hears what was asked of the zygote.
void process_fixture_hear(ProcessFixture *process_fixture);
// The session is cancelled, if it is not over, and all processes die. `is_there`: the isolated session is. Its status.
chx_status process_fixture_end(ProcessFixture *process_fixture, chx_session *session, bool is_there, int64_t *results);
static inline IsolatedSession *process_fixture_isolated(chx_session *session)
{
    return ((Session *)(void *)session)->isolated;
}

// What a process does: appends bytes to its control messages, as far as there is room; a whole post.
void process_fixture_bytes(RoleProxy *proxy, const void *data, size_t size);
void process_fixture_post(RoleProxy *proxy, ControlHead head, const void *data);
// A view of the channel as the process at either end has it.
Ring process_fixture_view(const RoleProxy *proxy, unsigned from, unsigned to);
Channel *process_fixture_channel(const RoleProxy *proxy, unsigned from, unsigned to);
// What the supervisor thread does. False: the isolated session is gone.
bool process_fixture_serve(IsolatedSession *isolated);
bool process_fixture_die(RoleProxy *proxy, int status);

// A value with a codec: `length` times the byte `fill`. It can't be read if they are the same but not 0, and fails if both are 7.
typedef struct {
    unsigned char length, fill;
    unsigned char *memory;
} ProcessFixtureBlob;
typedef struct {
    bool flag;
    short number;
    const char *text;
    ProcessFixtureBlob blob;
} ProcessFixtureMix;
extern const chx_type process_fixture_blob, process_fixture_mix;
extern long process_fixture_blobs; // that have not been dropped

#endif
