// The rounds of a durable loop: the end of one and the entry of the next are one commit.
// expect: sum 55
// phases: next-1 add-1 | next-2 add-2 | next-3 add-3 | next-4 add-4 | next-5 add-5 | next-6 add-6 | next-7 add-7 | next-8 add-8 | next-9 add-9 | next-10 add-10
#include "../effect.h"

choreography(rounds, (Source, Sink),
    int Source.next(int after);
    int Sink.add(int sum, int number);

    def run(Source.int last) -> Sink.int {
        Source.number = 0;
        Sink.sum = 0;
        checkpoint durable retry 9 while (Source.(number < last)) {
            Source.number = next(number);
            Source.number ~> Sink.got;
            Sink.sum = add(sum, got);
        }
        return Sink.sum;
    }
)

#include "rounds.Sink.chor.h"
#include "rounds.Source.chor.h"

int Source_next(int after)
{
    effect("next-%d", after + 1);
    return after + 1;
}
int Sink_add(int sum, int number)
{
    effect("add-%d", number);
    return sum + number;
}

int main(void)
{
    struct rounds_run_result result;
    chx_session *session = rounds_run_open(NULL, "sum", NULL, 10);
    if (rounds_run_wait(session, &result) != CHX_OK) {
        printf("failed: %s\n", chx_last_report()->why);
        return 1;
    }
    printf("sum %d\n", result.Sink);
    return 0;
}
