# -I, -D, -U, -std and -include hold for local C as for the C compiler.
set -eu
. "$(dirname "$0")/common.bash"
mkdir inc
echo 'typedef short amount;' >inc/amount.h
echo '#define ONE 1' >one.h
cat >flags.c <<'END'
#include <amount.h>
#include <chorex.h>
#include <stdio.h>
#ifdef SECRET
#error SECRET is defined
#endif
choreography(flags, (Alice, Bob),
    def run(Alice.amount a) -> Bob.amount {
        Alice.((amount)(a + EXTRA + ONE)) ~> Bob.b;
        return Bob.b;
    }
)
#include "flags.Alice.chor.h"
#include "flags.Bob.chor.h"
int main(void)
{
    struct flags_run_result r;
    if (flags_run(&r, NULL, 1) != CHX_OK)
        return 1;
    printf("%d %d\n", r.Bob, (int)sizeof r.Bob);
    return 0;
}
END
"$CHORCC" -Iinc -DEXTRA=40 -DSECRET -USECRET -std=c11 -include one.h flags.c -o flags
prints "42 2" ./flags
"$CHORCC" -I inc -D EXTRA=40 -include one.h -std=gnu17 -fanalyzer -O2 -pthread flags.c -o flags
prints "42 2" ./flags
status 1 "$CHORCC" -Iinc -include one.h flags.c -o flags
contains messages "flags.c:9"
contains messages "EXTRA"
