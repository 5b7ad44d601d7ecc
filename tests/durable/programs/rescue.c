// A failure in a durable block, and its rescue, which is not begun twice: a loss in it is the end. `fault` says whether a role has failed or
// the program was lost, also in a block inside of the rescue.
// expect: rescued, signal 0
// or: rescued, signal 0, lost
// or: failed: the program was lost in a durable block, which has no attempt left
// phases: try | sorry again | after
// once: sorry
#include "../effect.h"

choreography(helper, (Worker, Watcher),
    int Worker.try(int number);
    int Watcher.sorry(int kind);
    void Watcher.again(int kind);
    void Watcher.after(int kind);

    def run(Worker.int number) -> Watcher.int {
        Watcher.kind = 0;
        Watcher.same = 0;
        checkpoint durable {
            Worker.try(number) ~> Watcher.result;
            Watcher.kind = result;
        } rescue (fault) {
            Watcher.kind = sorry(fault.kind);
            checkpoint durable retry 9 {
                Watcher.again(kind);
                Watcher.kind ~> Worker._;
            }
            // The text is what it was, though the program may have been lost in between.
            Watcher.same = fault.kind == kind && fault.why[0] != '\0';
        }
        Watcher.after(same);
        return Watcher.(same ? kind : -1000);
    }
)

#include "helper.Watcher.chor.h"
#include "helper.Worker.chor.h"

int Worker_try(int number)
{
    effect("try");
    chx_fail("it can't be done: %d", number);
}
int Watcher_sorry(int kind)
{
    effect("sorry");
    return kind;
}
void Watcher_again(int kind)
{
    effect("again");
    (void)kind;
}
void Watcher_after(int kind)
{
    effect("after");
    (void)kind;
}

int main(void)
{
    struct helper_run_result result;
    chx_session *session = helper_run_open(NULL, "job", NULL, 7);
    if (helper_run_wait(session, &result) != CHX_OK) {
        printf("failed: %s\n", chx_last_report()->why);
        return chx_last_report()->kind == CHX_FAULT_LOST ? 0 : 1;
    }
    if (result.Watcher == CHX_FAULT_LOST || result.Watcher == CHX_FAULT_FAIL)
        printf("rescued, signal 0%s\n", result.Watcher == CHX_FAULT_LOST ? ", lost" : "");
    return 0;
}
