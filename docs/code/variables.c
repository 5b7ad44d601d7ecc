#include <chorex.h>
#include <stdio.h>

typedef struct {
    int x, y;
} point;

choreography(variables, (Alice, Bob),
    def run() -> Bob.int {
        //[declarations]
        Alice.int count = 3;              // declares
        Alice.point origin;               // declares; all zero
        Alice.point corner = {.x = 4};    // a brace initialiser needs a type
        Alice.square = count * count;     // there is no 'square' yet: declares one, an int
        Alice.square += corner.x;         // assigns, as do =, ++, a[i] = e, s.f = e
        Alice.origin.y = square;
        Alice.origin ~> Bob.p;            // declares Bob's 'p', a point
        Alice.(count + 1) ~> Bob.long n;  // declares a long: C's conversions apply
        {
            Bob.char p = 'x';             // another variable, as in C
            Bob.(putchar(p));
        }
        //[/declarations]
        return Bob.(p.y + n);
    }
)

#include "variables.Alice.chor.h"
#include "variables.Bob.chor.h"

int main(void)
{
    struct variables_run_result result;
    if (variables_run(&result, NULL) != CHX_OK)
        return 1;
    printf(" %d\n", result.Bob);
    return 0;
}
