# A file formatted by clang-format still parses: with the macro declared white-space sensitive, and without.
set -eu
. "$(dirname "$0")/common.bash"
command -v clang-format >/dev/null || fail "clang-format is not installed"
cat >shop.c <<'END'
#include <chorex.h>
#include <stdio.h>
struct box { int w, h; };
choreography(shop, (Buyer, Helper, Seller),
    int Seller.price(const char *title);
    def run(Buyer.int budget) -> Buyer.int {
        Buyer.("title") ~> Seller.title;
        Seller.price(title) ~> {Buyer, Helper}.p;
        if (Buyer.(p <= budget)) { Buyer.{p, 1} ~> Seller.{int q, (1)}; Seller.(q) ~> Buyer._; }
        else { Helper.((struct box){1, 2}) ~> Buyer.{.w, .h = high}; Buyer.p = w + high; }
        for (Buyer.int i = 0; Buyer.(i < 3); Buyer.i++) { Buyer.i ~> Helper.j; Helper.k = relay[Helper, Seller](Helper.j); Helper.(k) ~> Buyer._; }
        switch (Buyer.p) { case 1: case 2: return Buyer.(0); default: break; }
        return Buyer.p;
    }
    def relay[From, To](From.int x) -> From.int { From.x ~> To.y; To.y ~> From.z; return From.z; }
)
#include "shop.Buyer.chor.h"
#include "shop.Helper.chor.h"
#include "shop.Seller.chor.h"
int Seller_price(const char *title) { return title[0]; }
int main(void)
{
    struct shop_run_result r;
    if (shop_run(&r, NULL, 5) != CHX_OK)
        return 1;
    printf("%d\n", r.Buyer);
    return 0;
}
END
"$CHORCC" shop.c -o plain
prints 3 ./plain
for style in LLVM Google GNU WebKit Mozilla Microsoft; do
    for sensitive in ", WhitespaceSensitiveMacros: [choreography]" ""; do
        mkdir -p formatted
        clang-format --style="{BasedOnStyle: $style, SortIncludes: Never$sensitive}" shop.c >formatted/shop.c
        "$CHORCC" formatted/shop.c -o program || fail "style $style$sensitive"
        prints 3 ./program
    done
done
