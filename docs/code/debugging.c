//! exit: 1
// expect: Seller failed in line 10: nothing for 0
#include <chorex.h>
#include <stdio.h>

choreography(shelf, (Buyer, Seller),
    int Seller.price(int count);
    def order(Buyer.int count) -> Buyer.int {
        Buyer.count ~> Seller.count;
        Seller.price(count) ~> Buyer.price;
        return Buyer.price;
    }
)

#include "shelf.Buyer.chor.h"
#include "shelf.Seller.chor.h"

int Seller_price(int count)
{
    if (count == 0)
        chx_fail("nothing for %d", count);
    return 7 * count;
}

//[report]
int main(void)
{
    struct shelf_order_result result;
    if (shelf_order(&result, NULL, 0) != CHX_OK) {
        const chx_report *report = chx_last_report();
        printf("%s failed in line %d: %s\n", report->role, report->line, report->why);
        return 1;
    }
    return 0;
}
//[/report]
