// What can be wrong with arms.
#include <chorex.h>
#include <stdio.h>

choreography(mistakes, (Alice, Bob, Worker[]),
    def variables(Alice.int x, Bob.int y) -> Alice.int {
        Alice.int n = 0;
        par {
            Bob.y ~> Alice.n; //! error: Alice's 'n' is assigned in this arm of 'par' and used in another one
        } and {
            Alice.n ~> Bob.z;
            Bob.z ~> Alice._;
        }
        par {
            Bob.y ~> Alice.x; //! error: Alice's 'x' is assigned in this arm of 'par' and assigned in another one
        } and {
            Alice.x = 2;
        }
        par {
            Alice.(x++); //! error: Alice's 'x' is used in several arms of 'par': none of them can change it
        } and {
            Alice.x ~> Bob._;
        }
        par (w : Worker) {
            w.(1) ~> Alice.n; //! error: Alice's 'n' is assigned in each arm of this 'par'
        }
        return Alice.n;
    }
    def members(Alice.int r[Worker]) {
        Worker[*].int k = 0;
        par (w : Worker) {
            w.k = 1;
            w.k ~> Alice.one;
            Alice.r[w] = one;
        }
        par (w : Worker) {
            w.k ~> Alice.one;
            Alice.r[(int)w] = one; //! error: of Alice's array 'r' only element 'r[w]' belongs to this arm of 'par'
        }
        par (w : Worker) {
            w.k = 2; //! error: Worker's 'k' is assigned in each arm of this 'par'
            Worker[0].k ~> Alice.two;
            Alice.two ~> Bob._;
        }
    }
    def jumps(Alice.int x) -> Alice.int {
        par {
            return Alice.x; //! error: 'return' can't leave an arm of 'par'
        }
        return Alice.x;
    }
)
