// fixture.c: see fixture.h.

#include "runtime/session/fixture.h"

#include <stddef.h>
#include <stdio.h>

const chx_variable fixture_variables[2] = {
    {"text", offsetof(FixtureFrame, text), &chx_type_cstring},
    {"string", offsetof(FixtureFrame, string), &chx_type_str},
};

static void fixture_begin(void *frame, const void *arguments)
{
    ((FixtureFrame *)frame)->n = *(const int64_t *)arguments;
}

void fixture_init(Fixture *fixture, unsigned role_count)
{
    memset(fixture, 0, sizeof *fixture);
    for (unsigned i = 0; i < FIXTURE_SITES; i++)
        fixture->sites[i] = (chx_site){i + 1, 100 + (int)i, CHX_SITE_SEND, &chx_type_long_long, 0, 0, NULL, NULL};
    for (unsigned i = 0; i < role_count; i++) {
        snprintf(fixture->names[i][0], sizeof fixture->names[i][0], "R%u", i);
        snprintf(fixture->names[i][1], sizeof fixture->names[i][1], "play_R%u", i);
        fixture->role_names[i] = fixture->names[i][0];
        fixture->results[i] = (chx_result_slot){i, i * sizeof(int64_t), &chx_type_long_long};
        fixture->functions[i] = (chx_function){
            .name = "run",
            .frame_size = sizeof(FixtureFrame),
            .result = &chx_type_long_long,
            .variables = fixture_variables,
            .variable_count = 2,
            .owned_count = 2,
        };
        fixture->function_tables[i] = &fixture->functions[i];
        fixture->entries[i] = (chx_entry){"run", &fixture->functions[i], fixture_begin};
        fixture->roles[i] = (chx_role){
            .version = CHX_GENERATED_VERSION,
            .name = fixture->names[i][1],
            .choreography = "play",
            .role = fixture->role_names[i],
            .index = i,
            .digest = 7,
            .file = "fixture.c",
            .entries = &fixture->entries[i],
            .entry_count = 1,
            .sends_to = fixture->peers[i][0],
            .receives_from = fixture->peers[i][1],
            .sites = fixture->sites,
            .site_count = FIXTURE_SITES,
            .functions = &fixture->function_tables[i],
            .function_count = 1,
        };
        fixture->cast[i].role = &fixture->roles[i];
    }
    fixture->definition = (chx_definition){.name = "run",
                                           .result_size = role_count * sizeof(int64_t),
                                           .results = fixture->results,
                                           .result_count = role_count};
    fixture->choreography = (chx_choreography){
        .version = CHX_GENERATED_VERSION,
        .name = "play",
        .digest = 7,
        .file = "fixture.c",
        .roles = fixture->role_names,
        .role_count = role_count,
        .definitions = &fixture->definition,
        .definition_count = 1,
    };
}

void fixture_role(Fixture *fixture, unsigned role, FixtureRun run)
{
    fixture->functions[role].run = run;
}

void fixture_channel(Fixture *fixture, unsigned from, unsigned to)
{
    chx_role *sender = &fixture->roles[from], *receiver = &fixture->roles[to];
    fixture->peers[from][0][sender->sends_to_count++] = to;
    fixture->peers[to][1][receiver->receives_from_count++] = from;
}

chx_session *fixture_start(Fixture *fixture, chx_runtime *runtime, int64_t n)
{
    return chx_start(runtime, &fixture->choreography, 0, fixture->cast, &n);
}

chx_status fixture_run(Fixture *fixture, int64_t n, int64_t *results)
{
    return chx_run(&fixture->choreography, 0, fixture->cast, &n, results);
}
