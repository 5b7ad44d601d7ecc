// Who is to agree sends a digest to all others before it looks at theirs; a variable that has the value already gets no
// other one.
#include <chorex.h>

choreography(agreeing, (Alice, Bob, Carol),
    def run(Alice.int x, Bob.int k, Carol.int c) -> Carol.int {
        {Alice, Bob}.k = agree(Bob.k, Alice.(x + 1));
        {Alice, Bob, Carol}.long all = agree(Alice.k, Bob.k, Carol.c);
        if ({Alice, Bob, Carol}.(all > 0)) {
            Carol.c++;
        }
        return Carol.c;
    }
)
