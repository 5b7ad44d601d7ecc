// A used choreography uses another one, which the program uses itself, too; two choreographies of a file use the same one; recursion.
// expect: 15 25
// expect: 6 3
// expect: 7
#include <chorex.h>
#include <stdio.h>

choreography(add, (One, Other),
    int One.weight(void);

    def sum(One.int x, Other.int y) -> Other.int {
        One.(x * weight()) ~> Other.x;
        return Other.(x + y);
    }

    def down(One.int n) -> Other.int {
        if (One.(n == 0)) {
            return Other.(0);
        }
        Other.int rest = down(One.(n - 1));
        return Other.(rest + 1);
    }
)

choreography(both, (Left, Right),
    use add;

    def sums(Left.int x, Right.int y) -> Left.int, Right.int {
        Right.int r = add.sum[Left, Right](Left.x, Right.y);
        Left.int l = add.sum[Right, Left](Right.y, Left.x);
        return Left.l, Right.r;
    }
)

choreography(first, (Alice, Bob),
    use both, add;

    def run(Alice.int x) -> Alice.int, Bob.int {
        Alice.int a, Bob.int b = both.sums[Alice, Bob](Alice.x, Bob.(5));
        Bob.int depth = add.down[Alice, Bob](Alice.(0));
        return Alice.a, Bob.(b + depth);
    }
)

choreography(second, (Carol, Dave),
    use add;

    def run(Carol.int x) -> Dave.int, Carol.int {
        Carol.int d = add.down[Dave, Carol](Dave.(3));
        Dave.int sum = add.sum[Carol, Dave](Carol.x, Dave.(1));
        return Dave.sum, Carol.d;
    }

    // A function of a used choreography as an argument.
    def twice(Carol.int x, f(Carol.int) -> Dave.int) -> Dave.int {
        return f(Carol.(x * 2));
    }

    def passed(Carol.int x) -> Dave.int {
        return twice(Carol.x, add.down[Carol, Dave]);
    }

    def shown(Carol.int x) -> Dave.int {
        Dave.int n = passed(Carol.x);
        return Dave.(n + 1);
    }
)

#include "first.Alice.chor.h"
#include "first.Bob.chor.h"
#include "second.Carol.chor.h"
#include "second.Dave.chor.h"

// `both.add.weight` of Alice, and `add.weight` of Bob in the same part.
int Alice_both_add_weight(void) { return 2; }
int Bob_weight(void) { return 1; }
int Carol_add_weight(void) { return 5; }

int main(void)
{
    struct first_run_result f;
    if (first_run(&f, NULL, 10) != CHX_OK)
        return 1;
    printf("%d %d\n", f.Alice, f.Bob);
    struct second_run_result s;
    if (second_run(&s, NULL, 1) != CHX_OK)
        return 1;
    printf("%d %d\n", s.Dave, s.Carol);
    struct second_shown_result n;
    if (second_shown(&n, NULL, 3) != CHX_OK)
        return 1;
    printf("%d\n", n.Dave);
    return 0;
}
