// A buyer asks a bookseller for a price and, if it is affordable, for a delivery date. Who pays is decided by a
// choreographic function that is passed to `purchase`: the buyer alone, or the buyer and somebody who contributes.

#include <chorex.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    int year, month, day;
} date;

choreography(bookseller, (Buyer, Contributor, Seller),

    int  Seller.get_price(const char *title);
    date Seller.get_delivery_date(const char *title, const char *address);
    int  Contributor.compute_contribution(int price);
    int  Buyer.get_budget(void);

    def run(Buyer.const char *title, Buyer.bool together) -> Buyer.date {
        if (Buyer.together) {
            return purchase(Buyer.title, two_buyers);
        } else {
            return purchase(Buyer.title, one_buyer);
        }
    }

    def purchase(Buyer.const char *title, affordable(Seller.int) -> Buyer.bool) -> Buyer.date {
        Buyer.title ~> Seller.const char *book;
        Buyer.bool decision = affordable(Seller.get_price(book));
        if (Buyer.decision) {
            Buyer.get_address() ~> Seller.const char *address;
            Seller.get_delivery_date(book, address) ~> Buyer.when;
            return Buyer.when;
        }
        return Buyer.((date){0});
    }

    def one_buyer(Seller.int price) -> Buyer.bool {
        Seller.price ~> Buyer.p;
        return Buyer.(p <= get_budget());
    }

    def two_buyers(Seller.int price) -> Buyer.bool {
        Seller.price ~> {Buyer, Contributor}.p;
        Contributor.compute_contribution(p) ~> Buyer.contribution;
        return Buyer.(p - contribution <= get_budget());
    }
)

#include "bookseller.Buyer.chor.h"
#include "bookseller.Contributor.chor.h"
#include "bookseller.Seller.chor.h"

int Buyer_get_budget(void)
{
    return 22;
}

const char *Buyer_get_address(void)
{
    return "Maple Street";
}

int Contributor_compute_contribution(int price)
{
    return price / 2;
}

int Seller_get_price(const char *title)
{
    return strcmp(title, "Das Glasperlenspiel") == 0 ? 42 : 13;
}

date Seller_get_delivery_date(const char *title, const char *address)
{
    (void)title;
    return strcmp(address, "Maple Street") == 0 ? (date){2026, 12, 24} : (date){2027, 1, 4};
}

static bool buy(const char *title, bool together)
{
    struct bookseller_run_result result;
    if (bookseller_run(&result, NULL, title, together) != CHX_OK)
        return false;
    printf("%s, %s: ", title, together ? "two buyers" : "one buyer");
    if (result.Buyer.year != 0)
        printf("comes on %d-%02d-%02d\n", result.Buyer.year, result.Buyer.month, result.Buyer.day);
    else
        printf("too expensive\n");
    return true;
}

int main(void)
{
    bool good = buy("Siddhartha", false) && buy("Das Glasperlenspiel", false) && buy("Das Glasperlenspiel", true);
    return good ? 0 : 1;
}

// expect: Siddhartha, one buyer: comes on 2026-12-24
// expect: Das Glasperlenspiel, one buyer: too expensive
// expect: Das Glasperlenspiel, two buyers: comes on 2026-12-24
