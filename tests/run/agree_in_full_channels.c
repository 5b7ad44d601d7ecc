// Roles that agree send before they receive, also where abandoned attempts have left the channels between them full.
//! no-sim
//! no-process
//! no-central
// expect: 1 1

#include <chorex.h>
#include <semaphore.h>
#include <stdio.h>

typedef struct {
    char byte[1 << 20]; // as much as a channel holds
} large;

choreography(full, (Ann, Ben, Cid),
    int Cid.attempt(void);
    int Cid.fail_when_sent(void);
    void Ann.has_sent(void);
    void Ben.has_sent(void);

    def run() -> Ann.int, Ben.int {
        Ann.large value;
        Ben.large value;
        Ann.int k = 0;
        Ben.int k = 0;
        checkpoint retry 1 {
            Cid.attempt() ~> {Ann, Ben, Cid}.n;
            if ({Ann, Ben, Cid}.(n == 0)) {
                Cid.fail_when_sent() ~> Ann._;
                Ben.value ~> Ann.value;
                Ben.has_sent();
            } else {
                Cid.fail_when_sent() ~> Ben._;
                Ann.value ~> Ben.value;
                Ann.has_sent();
            }
        } rescue {
            {Ann, Ben}.k = agree(Ann.(1), Ben.(1));
        }
        return Ann.k, Ben.k;
    }
)

#include "full.Ann.chor.h"
#include "full.Ben.chor.h"
#include "full.Cid.chor.h"

static sem_t sent;
static int attempts;

int Cid_attempt(void)
{
    return attempts++;
}

int Cid_fail_when_sent(void)
{
    sem_wait(&sent);
    chx_fail("as planned");
}

void Ann_has_sent(void)
{
    sem_post(&sent);
}

void Ben_has_sent(void)
{
    sem_post(&sent);
}

int main(void)
{
    struct full_run_result result;
    sem_init(&sent, 0, 0);
    if (full_run(&result, NULL) != CHX_OK)
        return 1;
    printf("%d %d\n", result.Ann, result.Ben);
    return 0;
}
