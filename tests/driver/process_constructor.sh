# The program is started once more for its roles: what its constructors print is printed once, and what was printed
# before a session comes before what the roles print.
set -eu
. "$(dirname "$0")/common.bash"
cat >constructor.c <<'END'
#include <chorex.h>
#include <stdio.h>

__attribute__((constructor)) static void begin(void)
{
    printf("constructed\n");
}

choreography(printing, (A, B),
    void A.say(int n);
    void B.say(int n);
    def run() {
        A.say(1);
        A.(2) ~> B.n;
        B.say(n);
        B.(3) ~> A.m;
        A.say(m);
    }
)
#include "printing.A.chor.h"
#include "printing.B.chor.h"
void A_say(int n)
{
    printf("A %d\n", n);
}
void B_say(int n)
{
    printf("B %d\n", n);
}
int main(void)
{
    struct printing_cast cast = {.A = {.isolation = CHX_PROCESS}, .B = {.isolation = CHX_PROCESS}};
    printf("before\n");
    if (printing_run(&cast) != CHX_OK)
        return 1;
    printf("after\n");
    return 0;
}
END
"$CHORCC" -Wall -Wextra constructor.c -o constructor
for i in 1 2 3 4 5; do
    ./constructor >out
    [ "$(tr '\n' ' ' <out)" = "constructed before A 1 B 2 A 3 after " ] || { cat out >&2; fail "another order"; }
done
