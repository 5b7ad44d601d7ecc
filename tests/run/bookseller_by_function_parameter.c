// One purchase, with the way to decide passed as a choreographic function.
// expect: alone: no
// expect: together: 24
#include <chorex.h>
#include <stdio.h>

choreography(shop, (Buyer, Friend, Seller),
    int Seller.price_of(const char *title);
    int Friend.gives(int price);

    def run(Buyer.bool split, Buyer.int budget) -> Buyer.int {
        if (Buyer.split) {
            return purchase(together, Buyer.budget);
        } else {
            return purchase(alone, Buyer.budget);
        }
    }
    def purchase(affordable(Seller.int, Buyer.int) -> Buyer.bool, Buyer.int budget) -> Buyer.int {
        Buyer.("Homo faber") ~> Seller.title;
        Buyer.ok = affordable(Seller.price_of(title), Buyer.budget);
        if (Buyer.ok) {
            Seller.(24) ~> Buyer.day;
            return Buyer.day;
        }
        return Buyer.(0);
    }
    def alone(Seller.int price, Buyer.int budget) -> Buyer.bool {
        Seller.price ~> Buyer.p;
        return Buyer.(p <= budget);
    }
    def together(Seller.int price, Buyer.int budget) -> Buyer.bool {
        Seller.price ~> {Buyer, Friend}.p;
        Friend.gives(p) ~> Buyer.share;
        return Buyer.(p - share <= budget);
    }
)

#include "shop.Buyer.chor.h"
#include "shop.Friend.chor.h"
#include "shop.Seller.chor.h"

int Seller_price_of(const char *title) { return title[0] == 'H' ? 42 : 1000; }
int Friend_gives(int price) { return price / 2; }

int main(void)
{
    struct shop_run_result r;
    if (shop_run(&r, NULL, false, 22) != CHX_OK)
        return 1;
    printf(r.Buyer ? "alone: %d\n" : "alone: no\n", r.Buyer);
    if (shop_run(&r, NULL, true, 22) != CHX_OK)
        return 1;
    printf(r.Buyer ? "together: %d\n" : "together: no\n", r.Buyer);
    return 0;
}
