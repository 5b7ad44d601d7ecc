#include <chorex.h>
#include <stdio.h>

choreography(question, (Client, Server),
    int Server.answer(int question);

    def run(Client.int question) -> Client.int {
        //[checkpoint]
        checkpoint retry 2 within 5s {
            Client.question ~> Server.q;
            Server.answer(q) ~> Client.a;
            return Client.a;
        } rescue (fault) {
            if ({Client, Server}.(fault.kind == CHX_FAULT_DEADLINE)) {
                Client.(puts("too late"));
            } else {
                Client.(printf("%s: %s\n", fault.role, fault.why));
            }
        }
        return Client.(-1);
        //[/checkpoint]
    }
)

#include "question.Client.chor.h"
#include "question.Server.chor.h"

//[server]
int Server_answer(int question)
{
    static int calls;
    if (++calls < question)
        chx_fail("not yet");
    return calls;
}
//[/server]

int main(void)
{
    for (int question = 3; question <= 9; question += 6) {
        struct question_run_result result;
        if (question_run(&result, NULL, question) != CHX_OK)
            return 1;
        printf("%d\n", result.Client);
    }
    return 0;
}

// The count of attempts would begin anew in each process.
//! no-process
