// In one role's own C an agreed variable is const.
#include <chorex.h>

choreography(agreedconst, (Alice, Bob),
    void Alice.change(int *where);
    def run(Alice.int n) {
        Alice.n ~> {Alice, Bob}.x;
        Alice.(x++); //! error: 'x'
        Alice.y = (x = 4); //! error: 'x'
        Alice.change(&x); //! error: const
        Alice.use(x + y);
        Bob.use(x);
    }
)
