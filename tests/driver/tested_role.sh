# A role's functions, called from a test in another file: what returns, what fails, what is called again.
set -eu
. "$(dirname "$0")/common.bash"

cat >shop.h <<'END'
#include <chorex.h>
choreography(shop, (Buyer, Seller),
    int Seller.price(int count);
    void Seller.wait(void);
    def order(Buyer.int count) -> Buyer.int {
        Buyer.count ~> Seller.count;
        Seller.wait();
        Seller.price(count) ~> Buyer.price;
        return Buyer.price;
    }
)
END
cat >seller.c <<'END'
#include "shop.h"
#include "shop.Seller.chor.h"
int Seller_price(int count)
{
    if (count < 0)
        chx_fail("no order of %d", count);
    if (count > 1000)
        __builtin_trap();
    return count * *(const int *)chx_context();
}
void Seller_wait(void)
{
    static int calls;
    if (calls++ < 3)
        chx_again_after(1000000);
}
END
cat >seller_test.c <<'END'
#include "shop.h"
#include <chorex/test.h>
#include <stdio.h>
#include <string.h>
#define CHX_PROTOTYPES
#include "shop.Seller.chor.h"
struct question {
    int count, price;
};
static void ask(void *argument)
{
    struct question *question = argument;
    question->price = Seller_price(question->count);
}
static void waits(void *argument)
{
    Seller_wait();
    *(int *)argument = chx_context() == NULL;
}
static void try(int count)
{
    int each = 7;
    struct question question = {count, 0};
    if (chx_test_call(&each, ask, &question) == CHX_OK)
        printf("%d\n", question.price);
    else
        printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
}
int main(void)
{
    int has_waited = 0;
    try(3);
    try(-1);
    try(1001);
    try(4);
    if (chx_test_call(NULL, waits, &has_waited) != CHX_OK || !has_waited)
        puts("it did not wait");
    return 0;
}
END
cat >expected <<'END'
21
Tested: no order of -1
Tested: SIGILL (illegal instruction)
28
END
strict="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wredundant-decls -Wmissing-prototypes -Werror"
"$CHORCC" $strict -DCHX_TESTED seller.c seller_test.c -o seller_test
for settings in CHOREX_LOG=error CHOREX_SIM=seed=3 CHOREX_ISOLATION=process; do
    env CHOREX_LOG=error "$settings" ./seller_test >out
    diff expected out
done

# Without the option they belong to the role's file; a function that is missing is found with it, too.
! "$CHORCC" seller.c seller_test.c -o seller_test 2>err || fail "linked without CHX_TESTED"
contains err "Seller_price"
sed -i '/^void Seller_wait/,$d' seller.c
! "$CHORCC" -DCHX_TESTED seller.c seller_test.c -o seller_test 2>err || fail "compiled without Seller_wait"
contains err "Seller_wait"
