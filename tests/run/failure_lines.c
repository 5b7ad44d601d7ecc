// A report names the line on which the role's own code stands, where a statement takes up several.
// expect: 0: Alice, line 28
// expect: 1: Alice, line 30
// expect: 2: Alice, line 36
// expect: 3: Alice, line 40
// expect: 4: Alice, line 49
// expect: 5: Bob, line 54
// expect: 6: Alice, line 55
// expect: 7: Bob, line 57
#include <chorex.h>
#include <stdio.h>

static int try(int now, int number, int value)
{
    if (now == number)
        chx_fail("now");
    return value;
}

// clang-format off
choreography(lines, (Alice, Bob),
    def run(Alice.int now) {
        Alice.now ~> Bob.now;
        do {
            Alice.(1) ~> Bob._;
        }
        while (
            Alice.(try(now, 0, 0)));
        for (Alice.int i = 0;
             Alice.(try(now, 1, i < 2));
             Alice.i++) {
            Alice.(1) ~> Bob._;
        }
        if (Alice.(now == 100)) {
            Alice.(1) ~> Bob._;
        } else if (Alice.(try(now, 2, 0))) {
            Alice.(1) ~> Bob._;
        }
        switch (
            Alice.(try(now, 3, 1))
        ) {
        case 1:
            Alice.(1) ~> Bob._;
            break;
        default:
            break;
        }
        while (
            Alice.(try(now, 4, 0))
        ) {
            Alice.(1) ~> Bob._;
        }
        Alice.(5) ~>
            Bob.(try(now, 5, 5));
        Alice.{1,
               try(now, 6, 5)} ~>
            Bob.{_, (try(now, 7, 5))};
    }
)
// clang-format on

#include "lines.Alice.chor.h"
#include "lines.Bob.chor.h"

int main(void)
{
    for (int i = 0; i < 8; i++) {
        if (lines_run(NULL, i) != CHX_FAILED)
            return 1;
        const chx_report *report = chx_last_report();
        printf("%d: %s, line %d\n", i, report->role, report->line);
    }
    return 0;
}
