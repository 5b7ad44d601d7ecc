#include <chorex.h>
#include <stdio.h>

typedef struct {
    int width, height;
} box;

choreography(statements, (Alice, Bob, Carol),
    int Alice.next(void);
    box Alice.make_box(void);

    def run(Alice.int n) -> Carol.int {
        //[deliveries]
        Alice.n ~> Bob.x;                          // Bob's 'x' gets the type of Alice's 'n'
        Alice.(n + 0.5) ~> Bob.int y;              // 'int' is said: C converts
        Alice.next() ~> Bob._;                     // taken and dropped
        Alice.(n * n) ~> Bob.(x * x);              // must be exactly this, else Bob fails
        Alice.{n, "two"} ~> Bob.{_, word};         // a tuple: two values in one message
        Alice.make_box() ~> Bob.{.width, .height = h};   // a struct taken apart: into 'width' and 'h'
        Alice.n ~> {Bob, Carol}.agreed;            // to both, who agree on it from now on
        //[/deliveries]
        //[choices]
        if (Alice.(n > 3)) {
            Alice.n ~> Bob.x;
        } else if (Bob.(width > h)) {
            Bob.x = width;
        } else {
            Bob.x = h;
        }
        switch (Bob.x) {
        case 1:
        case 2:
            Bob.x ~> Carol._;
            break;
        default:
            break;
        }
        //[/choices]
        //[loops]
        while (Alice.(n > 0)) {
            Alice.n--;
        }
        do {
            Alice.n++;
        } while (Alice.(n < 5));
        for (Bob.int i = 0; Bob.(i < 10); Bob.i++) {
            if (Bob.(i == x)) {
                break;
            }
            Bob.i ~> Carol._;
        }
        //[/loops]
        //[calls]
        Alice.int half, Bob.int rest = divide(Alice.n, Bob.(2));
        Bob.(printf("%d %d %s\n", y, rest, word));
        Alice.half ~> Carol.h;
        //[/calls]
        return Carol.(agreed + h);
    }

    def divide(Alice.int number, Bob.int divisor) -> Alice.int, Bob.int {
        Bob.divisor ~> Alice.d;
        Alice.(number % d) ~> Bob.rest;
        return Alice.(number / d), Bob.rest;
    }
)

#include "statements.Alice.chor.h"
#include "statements.Bob.chor.h"
#include "statements.Carol.chor.h"

int Alice_next(void)
{
    return 7;
}

box Alice_make_box(void)
{
    return (box){3, 4};
}

int main(void)
{
    struct statements_run_result result;
    if (statements_run(&result, NULL, 2) != CHX_OK)
        return 1;
    printf("%d\n", result.Carol);
    return 0;
}
