// How arms are written.
#include <chorex.h>

choreography(mistakes, (Alice, Bob, Worker[]),
    def syntax(Alice.int x) {
        and { Alice.x ~> Bob._; } //! error: 'and' without a 'par { ... }' before it
        par (w : Alice) { Alice.x ~> Bob._; } //! error: 'Alice' is one role, not a family: a family is declared 'Alice[]'
        par (w : Worker) { w.(1) ~> Bob._; } and { Alice.x ~> Bob._; } //! error: 'par (...)' has an arm for each member, and no other
        while (Alice.(x > 0)) {
            par { break; } and { Alice.x ~> Bob._; } //! error: 'break' can't leave an arm of 'par'
            par { Bob.(1) ~> Alice._; } and { continue; } //! error: 'continue' can't leave an arm of 'par'
        }
    }
)
