// sessions.c: start and end of sessions of two roles, one after the other.

#include "bench/measure.h"

#include <chorex.h>
#include <stdlib.h>

choreography(brief, (Alice, Bob),
    def run(Alice.int x) -> Bob.int {
        Alice.x ~> Bob.y;
        return Bob.(y + 1);
    }
)

#include "brief.Alice.chor.h"
#include "brief.Bob.chor.h"

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : 1000000;
    Measure measure = measure_begin();
    for (long i = 0; i < count; i++) {
        struct brief_run_result result;
        if (brief_run(&result, NULL, (int)i) != CHX_OK || result.Bob != (int)i + 1)
            return 1;
    }
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
