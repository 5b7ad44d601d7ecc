# A simulated machine shows all orders in which roles can do their first steps, and many of those in which they exchange
# messages, within 200 seeds; with delayed messages, too.
set -u
. "$(dirname "$0")/common.bash"

cat > orders.c <<'END'
#include <chorex.h>
#include <stdio.h>
choreography(orders, (A, B, C, D),
    void A.say(int n);
    void B.say(int n);
    void C.say(int n);
    void D.say(int n);
    def run(void) {
        A.say(1);
        B.say(1);
        C.say(1);
        D.say(1);
        A.(1) ~> B._;
        C.(1) ~> D._;
        B.(1) ~> C._;
        A.say(2);
        B.say(2);
        C.say(2);
        D.say(2);
    }
)
#include "orders.A.chor.h"
#include "orders.B.chor.h"
#include "orders.C.chor.h"
#include "orders.D.chor.h"
void A_say(int n) { printf("A%d ", n); }
void B_say(int n) { printf("B%d ", n); }
void C_say(int n) { printf("C%d ", n); }
void D_say(int n) { printf("D%d ", n); }
int main(void)
{
    chx_status status = orders_run(NULL);
    printf("\n");
    return status;
}
END
"$CHORCC" -g orders.c -o orders || fail "chorcc"

for settings in "" ",threads=1" ",delay=0..3ms"; do
    for seed in $(seq 200); do
        CHOREX_SIM=seed=$seed$settings ./orders || fail "seed=$seed$settings: status $?"
    done > out
    first=$(sed 's/[A-D]2 //g' out | sort -u | wc -l)
    [ "$first" -ge 22 ] || fail "seed=1..200$settings: $first of 24 orders of the first steps"
    all=$(sort -u out | wc -l)
    [ "$all" -ge 40 ] || fail "seed=1..200$settings: only $all orders in all"
done
