// play.c: see play.h.

#include "runtime/core/play.h"

#include <stddef.h>
#include <stdio.h>

const chx_variable play_variables[2] = {
    {"text", offsetof(PlayFrame, text), &chx_type_cstring},
    {"string", offsetof(PlayFrame, string), &chx_type_str},
};

static void play_begin(void *frame, const void *arguments)
{
    ((PlayFrame *)frame)->n = *(const int64_t *)arguments;
}

void play_init(Play *play, unsigned role_count)
{
    memset(play, 0, sizeof *play);
    for (unsigned i = 0; i < PLAY_SITES; i++)
        play->sites[i] = (chx_site){i + 1, 100 + (int)i, CHX_SITE_SEND, &chx_type_long_long, 0};
    for (unsigned i = 0; i < role_count; i++) {
        snprintf(play->names[i][0], sizeof play->names[i][0], "R%u", i);
        snprintf(play->names[i][1], sizeof play->names[i][1], "play_R%u", i);
        play->role_names[i] = play->names[i][0];
        play->results[i] = (chx_result_slot){i, i * sizeof(int64_t), &chx_type_long_long};
        play->functions[i] = (chx_function){
            .name = "run",
            .frame_size = sizeof(PlayFrame),
            .result = &chx_type_long_long,
            .variables = play_variables,
            .variable_count = 2,
            .owned_count = 2,
        };
        play->entries[i] = (chx_entry){"run", &play->functions[i], play_begin};
        play->roles[i] = (chx_role){
            .version = CHX_GENERATED_VERSION,
            .name = play->names[i][1],
            .choreography = "play",
            .role = play->role_names[i],
            .index = i,
            .digest = 7,
            .file = "play.c",
            .entries = &play->entries[i],
            .entry_count = 1,
            .sends_to = play->peers[i][0],
            .receives_from = play->peers[i][1],
            .sites = play->sites,
            .site_count = PLAY_SITES,
        };
        play->cast[i].role = &play->roles[i];
    }
    play->definition = (chx_definition){"run", role_count * sizeof(int64_t), play->results, role_count};
    play->choreography = (chx_choreography){
        .version = CHX_GENERATED_VERSION,
        .name = "play",
        .digest = 7,
        .file = "play.c",
        .roles = play->role_names,
        .role_count = role_count,
        .definitions = &play->definition,
        .definition_count = 1,
    };
}

void play_role(Play *play, unsigned role, PlayRun run)
{
    play->functions[role].run = run;
}

void play_channel(Play *play, unsigned from, unsigned to)
{
    chx_role *sender = &play->roles[from], *receiver = &play->roles[to];
    play->peers[from][0][sender->sends_to_count++] = to;
    play->peers[to][1][receiver->receives_from_count++] = from;
}

chx_session *play_start(Play *play, chx_runtime *runtime, int64_t n)
{
    return chx_start(runtime, &play->choreography, 0, play->cast, &n);
}

chx_status play_run(Play *play, int64_t n, int64_t *results)
{
    return chx_run(&play->choreography, 0, play->cast, &n, results);
}
