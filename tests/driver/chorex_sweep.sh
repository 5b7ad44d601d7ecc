# chorex sweep: faults at every place, what survives them, and a command that repeats each run that does not.
set -eu
. "$(dirname "$0")/common.bash"
chorex=$(dirname "$CHORCC")/chorex
export CHOREX_LOG=error

cat >pay.c <<'END'
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(pay, (Shop, Bank),
    def run(Shop.int amount, Shop.bool is_careless) -> Shop.int, Bank.int {
        Shop.int paid = 0;
        Bank.int booked = 0;
        checkpoint retry 1 within 1 s {
            Shop.amount ~> Bank.amount;
            Bank.booked = amount;
            Bank.booked ~> Shop.paid;
        } rescue {
            if (Shop.is_careless) { Shop.paid = amount; }
        }
        return Shop.paid, Bank.booked;
    }
)

#include "pay.Shop.chor.h"
#include "pay.Bank.chor.h"

int main(int argc, char **argv)
{
    struct pay_run_result result;
    if (argc > 1 && strcmp(argv[1], "endless") == 0 && strstr(getenv("CHOREX_SIM"), "crash") != NULL)
        for (;;)
            ;
    if (pay_run(&result, NULL, 7, argc > 1) != CHX_OK)
        return chx_last_report()->kind == CHX_FAULT_SIGNAL ? 0 : 3;
    printf("paid %d\n", result.Shop);
    fprintf(stderr, "booked %d\n", result.Bank);
    return result.Shop != result.Bank;
}
END
"$CHORCC" pay.c -o pay

# A good program survives all; some runs end in the rescue, or with a failed session: another output.
"$chorex" sweep --random 20 ./pay >out 2>err
grep -q '^chorex sweep: without a fault: exit status 0, 2 roles, ' err
grep -Eq '^Bank +crash at each place +[0-9]+ +[0-9]+ +[0-9]+ +0 +0$' out
grep -Eq '^ +hang at each place +[0-9]+ +[0-9]+ +[0-9]+ +0 +0$' out
grep -Eq '^ +kills at random +20 ' out
grep -q '^All [0-9]* runs went well\.$' out
grep -Eq '^all roles +crashes at random +20 ' out
! "$chorex" sweep --random 20 --same-output ./pay >out 2>err || exit 1
grep -q 'another output' out

# Deadlines pass while a role hangs, and the rescue comes.
places=$("$chorex" sweep --random 0 --no-processes --json ./pay 2>err | grep -c '"kind":"hang_at","outcome":"other output"') || true
[ "$places" -gt 0 ]
CHOREX_SIM=seed=1,hang=Bank:1 ./pay >out 2>err
grep -qx 'paid 0' out

# A careless one does not, and the command repeats it.
! "$chorex" sweep --random 200 --no-hangs --no-processes ./pay 'it is' >out 2>err || exit 1
grep -q ' runs failed' out
grep -q '^    exit status 1; booked 0$' out
command=$(sed -n "s/^  \(CHOREX_SIM=.* .\/pay 'it is'\)$/\1/p" out | head -1)
[ -n "$command" ]
! sh -c "$command" >/dev/null 2>&1 || exit 1

# A run without an end is ended.
! "$chorex" sweep --limit 1 --jobs 8 --places 1 --random 0 --no-hangs ./pay endless >out 2>err || exit 1
grep -q '^    no end$' out
grep -Eq '^Shop +crash at each place +1 +0 +0 +0 +1$' out

# What can't be swept.
refused() {
    local wanted=$1
    shift
    status=0
    "$chorex" sweep "$@" >out 2>err || status=$?
    [ $status -eq 2 ] && grep -q -- "$wanted" err || {
        cat err
        exit 1
    }
}
refused 'a program is wanted'
refused "unknown option '--color'" --color ./pay
refused "'--random' needs a value" --random
refused "'x' is not a number" --random x ./pay
refused "'0' is not a number" --jobs 0 ./pay
refused "can't be run: ./nothing: No such file" ./nothing
refused 'starts no session' /bin/true
refused "no setting 'dely'" --sim dely=1ms ./pay
[ -z "$(ls "${TMPDIR:-/tmp}" | grep '^chorex-sweep-' || true)" ] || echo "note: folders of other sweeps are there"
"$chorex" sweep --help | grep -q '^Usage: chorex sweep '
"$chorex" sweep --version | grep -q '^chorex-sweep '
