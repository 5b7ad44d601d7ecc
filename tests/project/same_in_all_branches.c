// Who does the same in all branches of a choice is not told of it: it has the first branch in the choice's place, and what it
// sends and receives in the others has the numbers of the first.
#include <chorex.h>

choreography(same, (Alice, Bob, Carol),
    def left(Bob.int k) -> Alice.int {
        Bob.(k + 1) ~> Alice.v;
        return Alice.v;
    }
    def right(Bob.int k) -> Alice.int {
        Alice.int sum = 1;
        Bob.(k + 1) ~> Alice.v;
        return Alice.(sum + v);
    }
    def run(Alice.int n, Bob.int k) -> Alice.int {
        Alice.int x = 0;
        while (Alice.more(n)) {
            // One message to Bob in each round, that of the loop.
            if (Alice.(n % 2)) {
                Bob.(k * 2) ~> Alice.x;
                Alice.(x + 1) ~> Bob.r;
                Bob.k = r;
            } else {
                Bob.(k * 2) ~> Alice.y;
                Alice.(y - 1) ~> Bob.s;
                Bob.k = s;
                Alice.x = y;
            }
            Alice.n--;
        }
        // Two functions that are the same for Bob.
        if (Alice.(n > 1)) {
            Alice.x = left(Bob.k);
        } else {
            Alice.x = right(Bob.k);
        }
        // Alice knows, Bob does not. Carol can't see it from what Bob sends, and is told.
        if (Alice.(n > 2)) {
            checkpoint {
                Bob.ready();
                Bob.k ~> Carol.m;
                Carol.use(m);
            }
        } else {
            checkpoint {
                Bob.ready();
                Bob.k ~> Carol.m;
                Carol.drop(m);
            }
        }
        // Alice's message shows Carol the branch; for Bob it has the same number in both.
        if (Alice.(n > 3)) {
            Bob.ready();
            Alice.x ~> {Bob, Carol}.t;
            Carol.use(t);
        } else {
            Bob.ready();
            Alice.x ~> {Bob, Carol}.u;
            Carol.drop(u);
        }
        return Alice.x;
    }
)
