#include <chorex.h>
#include <stdio.h>
#include <string.h>

choreography(shop, (Buyer, Contributor, Seller),
    int  Seller.get_price(const char *title);
    int  Contributor.get_contribution(int price);
    int  Buyer.get_budget(void);

    //[purchase]
    def purchase(Buyer.const char *title, affordable(Seller.int) -> Buyer.bool) -> Buyer.bool {
        Buyer.title ~> Seller.book;
        Buyer.bool yes = affordable(Seller.get_price(book));
        if (Buyer.yes) {
            Seller.send_book(book);
        }
        return Buyer.yes;
    }
    //[/purchase]

    //[deciders]
    def alone(Seller.int price) -> Buyer.bool {
        Seller.price ~> Buyer.p;
        return Buyer.(p <= get_budget());
    }

    def together(Seller.int price) -> Buyer.bool {
        Seller.price ~> {Buyer, Contributor}.p;
        Contributor.get_contribution(p) ~> Buyer.contribution;
        return Buyer.(p - contribution <= get_budget());
    }
    //[/deciders]

    //[run]
    def run(Buyer.const char *title, Buyer.bool has_help) -> Buyer.bool {
        if (Buyer.has_help) {
            return purchase(Buyer.title, together);
        }
        return purchase(Buyer.title, alone);
    }
    //[/run]
)

#include "shop.Buyer.chor.h"
#include "shop.Contributor.chor.h"
#include "shop.Seller.chor.h"

int Buyer_get_budget(void)
{
    return 22;
}

int Contributor_get_contribution(int price)
{
    return price / 2;
}

int Seller_get_price(const char *title)
{
    return strcmp(title, "Das Glasperlenspiel") == 0 ? 42 : 13;
}

void Seller_send_book(const char *title)
{
    printf("%s is on its way\n", title);
}

int main(void)
{
    for (int has_help = 0; has_help <= 1; has_help++) {
        struct shop_run_result result;
        if (shop_run(&result, NULL, "Das Glasperlenspiel", has_help) != CHX_OK)
            return 1;
        printf("%s: %s\n", has_help ? "two buyers" : "one buyer", result.Buyer ? "bought" : "too expensive");
    }
    return 0;
}
