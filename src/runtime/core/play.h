// play.h: choreographies by hand, for tests: what the compiler would emit, with the parts left out that a test does not
// need.

#ifndef RUNTIME_CORE_PLAY_H
#define RUNTIME_CORE_PLAY_H

#include <chorex/generated.h>

enum { PLAY_ROLES_MAX = 128, PLAY_SITES = 16 };

typedef chx_step (*PlayRun)(chx_self *self, void *frame);

// A frame with what the tests' functions need.
typedef struct {
    chx_frame frame;
    int64_t chx_result;
    int64_t n, i, got;
    uint32_t outcome;
    const char *text;
    chx_str string;
} PlayFrame;
extern const chx_variable play_variables[2]; // text, string

// One choreography "play" with roles R0, R1, ...; every role has a result of type long long; sites 1..15 travel `long
// long`, except those that a test sets. Argument: one int64_t, every role's n.
typedef struct {
    const char *role_names[PLAY_ROLES_MAX];
    char names[PLAY_ROLES_MAX][2][24];
    chx_function functions[PLAY_ROLES_MAX];
    chx_entry entries[PLAY_ROLES_MAX];
    chx_role roles[PLAY_ROLES_MAX];
    unsigned peers[PLAY_ROLES_MAX][2][PLAY_ROLES_MAX];
    chx_site sites[PLAY_SITES];
    const chx_checkpoint *checkpoints[PLAY_ROLES_MAX]; // for tests that have blocks
    chx_result_slot results[PLAY_ROLES_MAX];
    chx_definition definition;
    chx_choreography choreography;
    chx_actor cast[PLAY_ROLES_MAX];
} Play;

// `play` must live as long as the program: plans are kept. All roles are in the cast.
void play_init(Play *play, unsigned role_count);
void play_role(Play *play, unsigned role, PlayRun run);
void play_channel(Play *play, unsigned from, unsigned to);

chx_session *play_start(Play *play, chx_runtime *runtime, int64_t n);
chx_status play_run(Play *play, int64_t n, int64_t *results);

#endif
