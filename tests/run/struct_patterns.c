// A struct is taken apart by a delivery or by a local step: fields into their names, others, or nothing.
// expect: 3 4 box | 3 40 | 5
#include <chorex.h>
#include <stdio.h>
#include <string.h>

struct box { int width, height; char label[8]; };

choreography(patterns, (Alice, Bob),
    struct box Alice.make(void);
    def run() -> Bob.{int, int, struct box}, Alice.{int, int, int} {
        Alice.make() ~> Bob.{.width, .height = h, .label};
        Alice.struct box b = make();
        Alice.b.height = 40;
        Alice.{.width, .height = tall} = b;
        Bob.struct box copy = {.width = 1, .height = 2};
        Bob.(memcpy(copy.label, label, sizeof copy.label));
        Alice.((struct box){5, 6, "s"}) ~> Bob.{.width = w, .label = _, .height = (6)};
        Bob.w ~> Alice.five;
        return Bob.{width, h, copy}, Alice.{width, tall, five};
    }
)

#include "patterns.Alice.chor.h"
#include "patterns.Bob.chor.h"

struct box Alice_make(void) { return (struct box){3, 4, "box"}; }

int main(void)
{
    struct patterns_run_result r;
    if (patterns_run(&r, NULL) != CHX_OK)
        return 1;
    printf("%d %d %s | %d %d | %d\n", r.Bob.v0, r.Bob.v1, r.Bob.v2.label, r.Alice.v0, r.Alice.v1, r.Alice.v2);
    return 0;
}
