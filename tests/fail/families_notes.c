// What the compiler suggests for all members of a family is written with [*], for one member with its name.
#include <chorex.h>

choreography(notes, (Boss, A[], B[]),
    const char *B.label(void);
    def run(Boss.int x, A[*].int y) {
        B[*].(x + 1); //! error: 'x' is Boss's, not B's //! note: 'Boss.x ~> B[*].x;'
        Boss.(y + 1); //! error: 'y' is A's, not Boss's //! note: 'for (w : A) { w.y ~> Boss.y; }'
        {Boss, B[*]}.(x + 1); //! error: 'x' is Boss's, not B's //! note: 'Boss.x ~> {Boss, B[*]}.x;'
        {Boss, A[*]}.(y + 1); //! error: 'y' is A's, not Boss's //! note: 'A[0].y ~> {Boss, A[*]}.y;'
        B[*].const char *name = label();
        B[*].(name[0]);
        B[*].(name = "c"); //! error: B's 'name' is a string: local C can't change it //! note: 'B[*].name = ...;'
        Boss.(1) ~> {Boss, B[*]}.n;
        B[*].(n = 2); //! error: B agrees with others on 'n': its own C can't change it //! note: 'B[*].n = ...;' as a statement ends the agreement; '{B[*], ...}.n = ...;'
        for (b : B) {
            b.(name = "d"); //! error: b's 'name' is a string: local C can't change it //! note: 'b.name = ...;'
            b.(1 + g(n)); //! error: can't be inferred here: add 'TYPE B.g(...);'
        }
        {Boss, B[*]}.k = 1;
        Boss.k = 2;
        if ({Boss, B[*]}.(k == 1)) { //! error: Boss and B do not agree on 'k' here //! note: '{Boss, B[*]}.k'
            Boss.(k + n);
        }
    }
)
