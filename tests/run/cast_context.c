// chx_context() is what the cast gives the role; chx_role_name() says which role is running.
// expect: Alice has 1, Bob has 2, Carol has nothing
#include <chorex.h>
#include <stdio.h>

choreography(contexts, (Alice, Bob, Carol),
    chx_str Alice.say(void);
    chx_str Bob.say(void);
    chx_str Carol.say(void);
    def run() -> Carol.chx_str {
        Alice.say() ~> Carol.a;
        Bob.say() ~> Carol.b;
        return Carol.(chx_strf("%s, %s, %s", chx_cstr(a), chx_cstr(b), chx_cstr(say())));
    }
)

#include "contexts.Alice.chor.h"
#include "contexts.Bob.chor.h"
#include "contexts.Carol.chor.h"

static chx_str say(void)
{
    const int *number = chx_context();
    if (number == NULL)
        return chx_strf("%s has nothing", chx_role_name());
    return chx_strf("%s has %d", chx_role_name(), *number);
}

chx_str Alice_say(void) { return say(); }
chx_str Bob_say(void) { return say(); }
chx_str Carol_say(void) { return say(); }

int main(void)
{
    int one = 1, two = 2;
    struct contexts_cast cast = {.Alice = {.context = &one}, .Bob = {.context = &two}};
    struct contexts_run_result r;
    if (contexts_run(&r, &cast) != CHX_OK)
        return 1;
    printf("%s\n", chx_cstr(r.Carol));
    contexts_run_result_drop(&r);
    return 0;
}
