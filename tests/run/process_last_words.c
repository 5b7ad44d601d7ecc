// What a role in a process of its own prints last is out when the session is over, also if it then fails.
// expect: the last thing that it does
// expect: main 1
// expect: and then it fails
// expect: main: a role failed
#include <chorex.h>
#include <stdio.h>

choreography(words, (Alice, Bob),
    void Alice.say(const char *what);
    void Alice.fail(void);
    def run() -> Bob.int {
        Alice.(1) ~> Bob.x;
        Alice.say("the last thing that it does");
        return Bob.x;
    }
    def failing() {
        Alice.say("and then it fails");
        Alice.fail();
    }
)

#include "words.Alice.chor.h"
#include "words.Bob.chor.h"

void Alice_say(const char *what) { printf("%s\n", what); }
void Alice_fail(void) { chx_fail("as it should"); }

int main(void)
{
    struct words_cast cast = {.Alice = {.isolation = CHX_PROCESS}};
    struct words_run_result r;
    if (words_run(&r, &cast) != CHX_OK)
        return 1;
    printf("main %d\n", r.Bob);
    printf("main: %s\n", chx_status_text(words_failing(&cast)));
    return 0;
}
