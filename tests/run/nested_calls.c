// A call may be an argument of another one: the inner ones come first, from left to right.
// expect: 1 2 3 = 6 then 12
#include <chorex.h>
#include <stdio.h>

choreography(nested, (Alice, Bob),
    def give(Alice.int n) -> Bob.int {
        Alice.n ~> Bob.n;
        Bob.show(n);
        return Bob.n;
    }

    def add(Bob.int a, Bob.int b, Bob.int c) -> Bob.int {
        return Bob.(a + b + c);
    }

    def back[From, To](From.int n) -> To.int {
        From.(n * 2) ~> To.n;
        return To.n;
    }

    def run() -> Alice.int {
        Bob.int give = 3;                  // a variable of the function's name
        Bob.int sum = add(give(Alice.(1)), give(Alice.(2)), Bob.(give));
        Bob.show(give);
        Bob.end(sum);
        return back[Bob, Alice](add(Bob.sum, Bob.(0), Bob.(0)));
    }
)

#include "nested.Alice.chor.h"
#include "nested.Bob.chor.h"

void Bob_show(int n) { printf("%d ", n); }

void Bob_end(int sum)
{
    printf("= %d ", sum);
    fflush(stdout);
}

int main(void)
{
    struct nested_run_result r;
    if (nested_run(&r, NULL) != CHX_OK)
        return 1;
    printf("then %d\n", r.Alice);
    return 0;
}
