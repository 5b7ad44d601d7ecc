# CHOREX_ISOLATION=thread! keeps all roles in the program, whatever the cast says; thread alone does not.
set -eu
. "$(dirname "$0")/common.bash"
cat >where.c <<'END'
#include <chorex.h>
#include <stdio.h>
#include <unistd.h>
choreography(where, (Alice, Bob),
    int Bob.process(void);
    def run() -> Bob.int { Alice.(1) ~> Bob.go; return Bob.(go * process()); }
)
#include "where.Alice.chor.h"
#include "where.Bob.chor.h"
int Bob_process(void) { return (int)getpid(); }
int main(void)
{
    struct where_run_result result;
    chx_sandbox sandbox = {.no_new_privs = true};
    struct where_cast cast = {.Bob = {.isolation = CHX_PROCESS, .sandbox = &sandbox}};
    if (where_run(&result, &cast) != CHX_OK)
        return 1;
    puts(result.Bob == (int)getpid() ? "here" : "elsewhere");
    return 0;
}
END
"$CHORCC" where.c -o where
[ "$(./where)" = elsewhere ]
[ "$(CHOREX_ISOLATION=thread ./where)" = elsewhere ]
[ "$(CHOREX_ISOLATION='thread!' ./where 2>err)" = here ]
contains err "no role has a process of its own, or a sandbox"
! CHOREX_ISOLATION='process!' ./where 2>err || fail "process! was understood"
contains err "it can be thread, thread! or process"
