// Blocks with a deadline: one that is kept, one that is missed; in a process the function that never returns is killed.
#include "inject.h"

#include <time.h>

choreography(deadline, (Boss, Worker),
    int Worker.work(int n);
    def run(Boss.int n) -> Boss.{int, int} {
        Boss.int quick = 0;
        Boss.int slow = 0;
        Boss.n ~> Worker.n;
        checkpoint within 20s {
            Worker.work(0) ~> Boss.quick;
        } rescue {
            Boss.quick = -1;
        }
        checkpoint within 5ms {
            Worker.work(n) ~> Boss.slow;
        } rescue (fault) {
            Boss.slow = fault.kind == CHX_FAULT_DEADLINE ? 2 : 3;
        }
        return Boss.{quick, slow};
    }
)

#include "deadline.Boss.chor.h"
#include "deadline.Worker.chor.h"

int Worker_work(int n)
{
    struct timespec pause = {0, (long)n * 1000000};
    // A process is killed; a thread is not interrupted.
    do
        nanosleep(&pause, NULL);
    while (n > 0 && inject_isolates(1));
    return 1;
}

static chx_status session(void)
{
    struct deadline_cast cast;
    struct deadline_run_result r;
    inject_cast(&cast, sizeof cast);
    chx_status status = deadline_run(&r, &cast, 30);
    // Whatever else has gone wrong in a block is rescued, too. A thread that waits for the deadline may be late itself.
    if (status == CHX_OK)
        must((r.Boss.v0 == 1 || r.Boss.v0 == -1) && (r.Boss.v1 >= 1 && r.Boss.v1 <= 3));
    return status;
}

int main(void)
{
    return inject_main(session);
}
