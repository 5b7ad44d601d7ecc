// fixture.h: choreographies by hand, for tests: what the compiler would emit, with the parts left out that a test does not
// need.

#ifndef RUNTIME_SESSION_FIXTURE_H
#define RUNTIME_SESSION_FIXTURE_H

#include <chorex/generated.h>

enum { FIXTURE_ROLES_MAX = 128, FIXTURE_SITES = 16 };

typedef chx_step (*FixtureRun)(chx_self *self, void *frame);

// A frame with what the tests' functions need.
typedef struct {
    chx_frame frame;
    int64_t chx_result;
    int64_t n, i, got;
    uint32_t outcome;
    const char *text;
    chx_str string;
} FixtureFrame;
extern const chx_variable fixture_variables[2]; // text, string

// One choreography "play" with roles R0, R1, ...; every role has a result of type long long; sites 1..15 travel `long
// long`, except those that a test sets. Argument: one int64_t, every role's n.
typedef struct {
    const char *role_names[FIXTURE_ROLES_MAX];
    char names[FIXTURE_ROLES_MAX][2][24];
    chx_function functions[FIXTURE_ROLES_MAX];
    const chx_function *function_tables[FIXTURE_ROLES_MAX];
    chx_entry entries[FIXTURE_ROLES_MAX];
    chx_role roles[FIXTURE_ROLES_MAX];
    unsigned peers[FIXTURE_ROLES_MAX][2][FIXTURE_ROLES_MAX];
    chx_site sites[FIXTURE_SITES];
    const chx_checkpoint *checkpoints[FIXTURE_ROLES_MAX]; // for tests that have blocks
    chx_result_slot results[FIXTURE_ROLES_MAX];
    chx_definition definition;
    chx_choreography choreography;
    chx_actor cast[FIXTURE_ROLES_MAX];
} Fixture;

// `play` must live as long as the program: plans are kept. All roles are in the cast.
void fixture_init(Fixture *fixture, unsigned role_count);
void fixture_role(Fixture *fixture, unsigned role, FixtureRun run);
void fixture_channel(Fixture *fixture, unsigned from, unsigned to);

chx_session *fixture_start(Fixture *fixture, chx_runtime *runtime, int64_t n);
chx_status fixture_run(Fixture *fixture, int64_t n, int64_t *results);

#endif
