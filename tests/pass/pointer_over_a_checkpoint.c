// A pointer that is live over a checkpoint is warned about; strings and pointers used before only are not.
#include <chorex.h>

choreography(pointers, (Alice, Bob),
    int *Alice.make(void);
    int Alice.f(int n);
    def run(Alice.const char *s) -> Bob.int {
        Alice.int *before = make();
        Alice.int n = *before;
        Alice.int *p = make(); //! warning: 'p'
        Bob.int x = 0;
        checkpoint {
            Alice.f(n) ~> Bob.x;
        } rescue {
            Alice.f(*p + s[0]) ~> Bob.x;
        }
        return Bob.x;
    }
)
