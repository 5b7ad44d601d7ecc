// CHX_ROLE_AS makes further implementations of a role; the cast chooses.
// expect: default 10, careful 5, generous 100
#include <chorex.h>
#include <stdio.h>

choreography(market, (Buyer, Seller),
    int Seller.price(int base);
    def run(Buyer.int base) -> Buyer.int {
        Buyer.base ~> Seller.base;
        Seller.price(base) ~> Buyer.price;
        return Buyer.price;
    }
)

#include "market.Buyer.chor.h"
#include "market.Seller.chor.h"

int Seller_price(int base) { return base; }

#define CHX_ROLE_AS careful_seller
#include "market.Seller.chor.h"

int careful_seller_price(int base) { return base / 2; }

#define CHX_ROLE_AS generous_seller
#include "market.Seller.chor.h"

int generous_seller_price(int base) { return base * 10; }

static int price(const chx_role *role)
{
    struct market_cast cast = {.Seller = {.role = role}};
    struct market_run_result r;
    return market_run(&r, &cast, 10) == CHX_OK ? r.Buyer : -1;
}

int main(void)
{
    printf("default %d, careful %d, generous %d\n", price(NULL), price(&careful_seller), price(&generous_seller));
    return price(&market_Seller) == 10 ? 0 : 1;
}
