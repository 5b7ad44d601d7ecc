// switch: stacked labels, a case that returns, one that continues, default, none at all, a scope per case.
// expect: ab c - d
// expect: 205
#include <chorex.h>
#include <stdio.h>

choreography(ways, (Alice, Bob),
    def run(Alice.int n) -> Bob.const char * {
        Bob.const char *text = "-";
        switch (Alice.n) {
        case 1:
        case 2:
            Alice.(n) ~> Bob.x;
            Bob.text = x > 0 ? "ab" : "?";
            break;
        case 3:
            Bob.const char *x = "c";
            Bob.text = x;
            break;
        case 4:
            return Bob.("d");
        }
        return Bob.text;
    }
    def skip(Alice.int n) -> Bob.int {
        Bob.int sum = 0;
        Bob.int k = 0;
        for (Alice.int i = 0; Alice.(i < n); Alice.i++) {
            switch (Alice.(i % 3)) {
            case 0: continue;
            default: Alice.i ~> Bob.k; break;
            case 2: Bob.k = 100; break;
            }
            Bob.sum += k;
        }
        return Bob.sum;
    }
)

#include "ways.Alice.chor.h"
#include "ways.Bob.chor.h"

static void show(int n, const char *after)
{
    struct ways_run_result r;
    if (ways_run(&r, NULL, n) == CHX_OK) {
        printf("%s%s", r.Bob, after);
        ways_run_result_drop(&r);
    }
}

int main(void)
{
    show(2, " ");
    show(3, " ");
    show(9, " ");
    show(4, "\n");
    struct ways_skip_result s;
    if (ways_skip(&s, NULL, 6) != CHX_OK)
        return 1;
    printf("%d\n", s.Bob);
    return 0;
}
