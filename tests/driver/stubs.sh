# --stubs prints a skeleton of a role's functions that compiles and can be filled in.
set -eu
. "$(dirname "$0")/common.bash"
cat >shop.h <<'END'
#include <chorex.h>
struct item { int price; char name[8]; };
choreography(shop, (Buyer, Seller),
    struct item Seller.find(const char *title, int budget);
    const char *Seller.motto(void);
    void Seller.init(void);
    def run(Buyer.const char *title) -> Buyer.int {
        Buyer.title ~> Seller.title;
        if (Seller.has(title)) {
            Seller.find(title, 3) ~> Buyer.{.price};
            Seller.motto() ~> Buyer.const char *m;
            Seller.sold();
            return Buyer.(price + m[0]);
        }
        return Buyer.(0);
    }
)
END
"$CHORCC" --stubs shop.Seller shop.h >seller_stubs.c || "$CHORCC" --stubs shop.Seller -x c shop.h >seller_stubs.c
for function in Seller_find Seller_motto Seller_has Seller_sold Seller_init; do
    contains seller_stubs.c $function
done
lacks seller_stubs.c Buyer_
{ echo '#include "shop.h"'; grep -v 'include.*shop\.h"' seller_stubs.c; } >seller.c
"$CHORCC" -Wall -Wextra -c seller.c -o seller.o
status 2 "$CHORCC" --stubs shop seller.c
for name in shop.Nobody nothing.Seller; do
    code=0
    "$CHORCC" --stubs $name seller.c >/dev/null 2>messages || code=$?
    [ $code -eq 1 ] || [ $code -eq 2 ] || fail "--stubs $name has status $code"
    [ -s messages ] || fail "--stubs $name says nothing"
done
