// tested.c: a choreography of one role with one step, which calls what a test wants to be called. It is what chorcc makes of
//
//     choreography(chx_test, (Tested),
//         def call(Tested.Call call) { Tested.(call.function(call.argument)); }
//     )

#include "runtime/session/tested.h"

#include "chorex/generated.h"
#include "chorex/test.h"

#include <stddef.h>

enum { SITE = 1, LABEL = 1, COUNTER = 1, DIGEST = 1 };

typedef struct {
    void (*function)(void *argument);
    void *argument;
} Call;

typedef struct {
    chx_frame head;
    Call call;
} Frame;

static chx_step run(chx_self *self, void *variables);

static const chx_function function = {
    .name = "call",
    .run = run,
    .frame_size = sizeof(Frame),
    .label_count = LABEL,
};

static chx_step run(chx_self *self, void *variables)
{
    const Frame *frame = variables;
    chx_step_begin_again(self, SITE, COUNTER);
    frame->call.function(frame->call.argument);
    chx_step_end(self);
    return chx_return(self, &function);
}

static void begin(void *variables, const void *arguments)
{
    ((Frame *)variables)->call = *(const Call *)arguments;
}

static const chx_function *const functions[] = {&function};
static const chx_entry entries[] = {{"call", &function, begin}};
static const chx_site sites[] = {
    {.number = SITE, .kind = CHX_SITE_STEP, .counter = COUNTER, .restart_at = LABEL},
};

const chx_role tested_role = {
    .version = CHX_GENERATED_VERSION,
    .name = "chx_test_Tested",
    .choreography = "chx_test",
    .role = "Tested",
    .digest = DIGEST,
    .file = "",
    .entries = entries,
    .entry_count = 1,
    .sites = sites,
    .site_count = 1,
    .counter_count = 1,
    .functions = functions,
    .function_count = 1,
    .state_digest = DIGEST,
    .protocol_digest = DIGEST,
};

static const char *const roles[] = {"Tested"};
static const chx_definition definitions[] = {{.name = "call"}};
static const chx_choreography choreography = {
    .version = CHX_GENERATED_VERSION,
    .name = "chx_test",
    .digest = DIGEST,
    .file = "",
    .roles = roles,
    .role_count = 1,
    .definitions = definitions,
    .definition_count = 1,
    .protocol_digest = DIGEST,
    .built = "",
    .site_limit = SITE + 1,
};

chx_status chx_test_call(void *context, void (*call)(void *argument), void *argument)
{
    chx_actor cast = {.role = &tested_role, .context = context};
    return chx_run(&choreography, 0, &cast, &(Call){call, argument}, NULL);
}
