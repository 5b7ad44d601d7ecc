// A checkpoint's participants act in it or behave differently after it; the others never notice it.
#include <chorex.h>

choreography(restart, (Alice, Bob, Carol),
    int Alice.f(void);
    def run() -> Bob.int, Carol.int {
        Bob.int x = 0;
        Carol.int c = 1;
        checkpoint {
            Alice.f() ~> Bob.x;
        } rescue (fault) {
            Bob.x = fault.line;
        }
        Bob.x ~> Carol.d;
        return Bob.x, Carol.(c + d);
    }
)
