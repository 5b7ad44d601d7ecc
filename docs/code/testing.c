// expect: order of 1: 7
// expect: order of 2: 14
// expect: no price: nothing is packed
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//[choreography]
choreography(stock, (Buyer, Seller),
    int Seller.price(int count);

    def order(Buyer.int count) -> Buyer.int, Seller.int {
        Buyer.int price = -1;
        Seller.int packed = 0;
        checkpoint retry 1 {
            Buyer.count ~> Seller.count;
            Seller.price(count) ~> Buyer.price;
            Seller.packed = count;
        } rescue {
            Buyer.price = -1;
        }
        return Buyer.price, Seller.packed;
    }
)
//[/choreography]

#include "stock.Buyer.chor.h"
#include "stock.Seller.chor.h"

int Seller_price(int count)
{
    return 7 * count;
}

//[stand-in]
#define CHX_ROLE_AS broken_seller
#include "stock.Seller.chor.h"

int broken_seller_price(int count)
{
    (void)count;
    chx_fail("no price today");
}
//[/stand-in]

//[property]
// What is packed has a price, and the other way round: whoever crashes, and whenever. A crash outside of the block ends the session.
static int order(const struct stock_cast *cast, int count)
{
    struct stock_order_result result;
    chx_status status = stock_order(&result, cast, count);
    if (status == CHX_FAILED && chx_last_report()->kind == CHX_FAULT_SIGNAL)
        return -1;
    if (status != CHX_OK || (result.Buyer == -1) != (result.Seller == 0)) {
        fprintf(stderr, "wrong: %d has price %d, packed %d\n", count, result.Buyer, result.Seller);
        exit(1);
    }
    return result.Buyer;
}
//[/property]

int main(void)
{
    if (Seller_price(3) != 21) // a role's function is a function of C
        return 1;
    for (int count = 1; count <= 2; count++)
        printf("order of %d: %d\n", count, order(NULL, count));
    struct stock_cast cast = {.Seller = {.role = &broken_seller}};
    if (order(&cast, 3) == -1)
        printf("no price: nothing is packed\n");
    return 0;
}
