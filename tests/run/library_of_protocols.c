// Choreographies of the library: two-phase commit, a leader by vote, a ring, a heartbeat, values between a role and a family.
// expect: committed 1, then 0
// expect: 1 2 3, sum 6
// expect: leader 2
// expect: 3 1 2
// expect: there 1 0
#include <chorex.h>
#include <chorex/lib/commit.h>
#include <chorex/lib/gather.h>
#include <chorex/lib/heartbeat.h>
#include <chorex/lib/ring.h>
#include <chorex/lib/vote.h>
#include <stdio.h>

choreography(bank, (Teller, Branch[], Guard),
    use commit, gather, ring, vote, heartbeat;

    def transfer(Branch[*].long x) -> Teller.bool {
        Branch[*].set(x);
        return commit.run[Teller, Branch]();
    }

    def round_trip(Teller.long x[Branch]) -> Teller.long r[Branch], Guard.long {
        Branch[*].long y = gather.scatter[Branch, Teller](Teller.x);
        Guard.long g[Branch] = gather.alive[Branch, Guard](Branch[*].y);
        Teller.long r[Branch] = gather.all[Branch, Teller](Branch[*].y);
        return Teller.r, Guard.(g[0] + g[1] + g[2]);
    }

    def elect() -> Guard.long {
        Guard.long leader = vote.leader[Guard, Branch]();
        return Guard.leader;
    }

    def shift(Branch[*].long x) -> Branch[*].long {
        return ring.shift[Branch](Branch[*].x);
    }

    def watch(Guard.bool fails) -> Teller.bool {
        Guard.set(fails);
        return heartbeat.ask[Teller, Guard]();
    }
)

#include "bank.Branch.chor.h"
#include "bank.Guard.chor.h"
#include "bank.Teller.chor.h"

static long *amount(void)
{
    static long amounts[3];
    return &amounts[chx_role_index()];
}

void Branch_set(long x) { *amount() = x; }
bool Branch_prepare(void) { return *amount() >= 0; }
void Branch_commit_perform(void) { }
void Branch_cancel(void) { }

long Branch_choose(void)
{
    if (chx_role_index() == 0)
        chx_fail("no opinion");
    return 2;
}

static bool guard_fails;

void Guard_set(bool fails) { guard_fails = fails; }

bool Guard_heartbeat_alive(void)
{
    if (guard_fails)
        chx_fail("not there");
    return true;
}

int main(void)
{
    struct bank_cast cast = {.Branch = {.count = 3}};
    long good[] = {1, 2, 3}, bad[] = {1, -2, 3};
    struct bank_transfer_result first, second;
    if (bank_transfer(&first, &cast, good) != CHX_OK || bank_transfer(&second, &cast, bad) != CHX_OK)
        return 1;
    printf("committed %d, then %d\n", first.Teller, second.Teller);
    struct bank_round_trip_result trip;
    if (bank_round_trip(&trip, &cast, good) != CHX_OK)
        return 1;
    printf("%ld %ld %ld, sum %ld\n", trip.Teller.item[0], trip.Teller.item[1], trip.Teller.item[2], trip.Guard);
    bank_round_trip_result_drop(&trip);
    struct bank_elect_result elected;
    if (bank_elect(&elected, &cast) != CHX_OK)
        return 1;
    printf("leader %ld\n", elected.Guard);
    struct bank_shift_result shifted;
    if (bank_shift(&shifted, &cast, good) != CHX_OK)
        return 1;
    printf("%ld %ld %ld\n", shifted.Branch.item[0], shifted.Branch.item[1], shifted.Branch.item[2]);
    bank_shift_result_drop(&shifted);
    struct bank_watch_result there, gone;
    if (bank_watch(&there, &cast, false) != CHX_OK || bank_watch(&gone, &cast, true) != CHX_OK)
        return 1;
    printf("there %d %d\n", there.Teller, gone.Teller);
    return 0;
}
