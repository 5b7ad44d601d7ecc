// Each round of a checkpointed loop is a block: who fails is restarted in that round, and the loop goes on.
// expect: 360003 17
// expect: empty 0
// expect: for ever 10
#include <chorex.h>
#include <stdio.h>

choreography(service, (Front, Back),
    int Back.handle(int request);
    def run(Front.int rounds) -> Front.long, Back.int {
        Front.long sum = 0;
        Front.int round = 0;
        Front.int rescues = 0;
        Back.int handled = 0;
        checkpoint while (Front.(round < rounds)) {
            Front.round++;
            Front.round ~> Back.request;
            Back.handle(request) ~> Front.answer;
            Back.handled++;
            Front.sum += answer;
        } rescue (fault) {
            Front.round++;
            Front.rescues++;
            Back.(handled + 0) ~> Front._;
        }
        return Front.(sum * 1000 + rescues), Back.handled;
    }
    def forever() -> Front.int, Back.int {
        Front.int n = 0;
        Back.int m = 0;
        checkpoint for (;;) {
            Front.(n + 1) ~> Back.m;
            Back.m ~> Front.n;
            if (Back.(m == 10)) {
                break;
            }
        } rescue {
            Front.n = -1;
            Back.m = -1;
        }
        return Front.n, Back.m;
    }
)

#include "service.Back.chor.h"
#include "service.Front.chor.h"

int Back_handle(int request)
{
    if (request % 7 == 3)
        chx_fail("no %d", request);
    return 2 * request;
}

int main(void)
{
    struct service_run_result result;
    struct service_forever_result forever;
    if (service_run(&result, NULL, 20) != CHX_OK)
        return 1;
    printf("%ld %d\n", result.Front, result.Back);
    if (service_run(&result, NULL, 0) != CHX_OK)
        return 1;
    printf("empty %ld\n", result.Front);
    if (service_forever(&forever, NULL) != CHX_OK || forever.Front != forever.Back)
        return 1;
    printf("for ever %d\n", forever.Front);
    return 0;
}
