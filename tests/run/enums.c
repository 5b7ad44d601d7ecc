// Enums travel, are compared, and are switched over.
// expect: blue is 7
#include <chorex.h>
#include <stdio.h>

enum color { RED, GREEN = 5, BLUE = 7 };
typedef enum { OFF, ON } light;

choreography(colors, (Alice, Bob),
    def run(Alice.enum color c) -> Bob.int {
        Alice.c ~> Bob.c;
        Alice.light l = ON;
        Alice.{l, BLUE} ~> Bob.{light m, enum color other};
        Bob.int n = 0;
        switch (Bob.c) {
        case RED: Bob.n = 1; break;
        case GREEN: Bob.n = 2; break;
        case BLUE: Bob.n = m == ON ? (int)other : 3; break;
        }
        return Bob.n;
    }
)

#include "colors.Alice.chor.h"
#include "colors.Bob.chor.h"

int main(void)
{
    struct colors_run_result r;
    if (colors_run(&r, NULL, BLUE) != CHX_OK)
        return 1;
    printf("blue is %d\n", r.Bob);
    return 0;
}
