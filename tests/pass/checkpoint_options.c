// within and retry in either order, all units, with and without rescue, nested, in loops, with return and break.
#include <chorex.h>

choreography(options, (Boss, Worker),
    int Worker.work(int n);
    def run(Boss.int n) -> Boss.int {
        Boss.n ~> Worker.n;
        Boss.int r = 0;
        checkpoint within 500ms retry 3 {
            checkpoint retry 2 within 2s {
                Worker.work(n) ~> Boss.r;
            }
        } rescue {
            Boss.r = 1;
        }
        while (Boss.(r > 0)) {
            checkpoint within 1min {
                Worker.work(n) ~> Boss.r;
                if (Boss.(r == 3)) {
                    break;
                }
            } rescue {
                checkpoint within 10 us {
                    Worker.work(2) ~> Boss.r;
                } rescue {
                    return Boss.(-1);
                }
            }
        }
        return Boss.r;
    }
)
