// Lists of roles that can't be given for a family, and what can't be done with one.
#include <chorex.h>

choreography(lists, (A, B, C, Worker[]),
    def collect[W[], Boss](W[*].int x) -> Boss.int {
        Boss.int sum = 0;
        for (w : W) {
            w.x ~> Boss.y;
            Boss.sum += y;
        }
        return Boss.sum;
    }

    def leave[W[]](W[*].int x) {
        for (w : W) {
            w.(x + 1);
            break; //! error: 'break' in a 'for' over a list of roles is not supported yet
        }
    }

    def choose[W[], Boss](W[*].int x, Boss.int i) {
        W[i].x ~> Boss.y;  //! error: only by an index that the compiler knows
        W[W_count].x ~> Boss.z; //! error: there is no role with this index: the list has 2
    }

    def side[W[], Boss](W[*].int x) {
        par (w : W) { //! error: 'par' over a list of roles is not supported yet
            w.x ~> Boss.y;
        }
    }

    def single[One, Other](One.int x) {
        One.x ~> Other.y;
    }

    def twice(A.int x, B.int x) -> C.int {
        return collect[{A, A}, C](A.x); //! error: 'A' is twice in this list of roles
    }
    def overlap(A.int x, B.int x) -> A.int {
        return collect[{A, B}, A]({A, B}.x); //! error: role arguments must be distinct: 'A' is there twice
    }
    def families(A.int x, Worker[*].int x) -> C.int {
        return collect[{A, Worker}, C](A.x); //! error: families, and members of them, can't be there yet
    }
    def members(A.int x, Worker[*].int x) {
        for (w : Worker) {
            C.y = collect[{A, w}, C](A.x); //! error: families, and members of them, can't be there yet
        }
    }
    def parts(Worker[*].int x) -> C.int {
        return collect[Worker[1..], C](Worker[*].x); //! error: a part of a family can't be a role argument yet
    }
    def one(A.int x, B.int x) {
        single[{A, B}, C](A.x); //! error: 'single' takes one role for 'One', not a family
    }
    def others(A.int x, B.int x, C.int x) -> C.int {
        return collect[{A, B}, C](A.x); //! error: wants B's int here, this is A's
    }
    def all(A.int x, B.int x, C.int i) {
        leave[{A, B}]({A, B}.x);
        choose[{A, B}, C]({A, B}.x, C.i);
        side[{A, B}, C]({A, B}.x);
    }
)
