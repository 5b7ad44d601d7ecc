#include <chorex.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    int year, month, day;
} date;

//[bookseller]
choreography(bookseller, (Buyer, Seller),
    int  Buyer.get_budget(void);
    int  Seller.get_price(const char *title);
    date Seller.get_delivery_date(const char *title, const char *address);

    def run(Buyer.const char *title) -> Buyer.date {
        Buyer.title ~> Seller.book;
        Seller.get_price(book) ~> Buyer.price;
        if (Buyer.(price <= get_budget())) {
            Buyer.get_address() ~> Seller.const char *address;
            Seller.get_delivery_date(book, address) ~> Buyer.when;
            return Buyer.when;
        }
        return Buyer.((date){0});
    }
)
//[/bookseller]

choreography(shared, (Buyer, Contributor, Seller),
    int  Buyer.get_budget(void);
    int  Contributor.compute_contribution(int price);
    int  Seller.get_price(const char *title);

    //[shared]
    def run(Buyer.const char *title) -> Buyer.bool {
        Buyer.int extra = 0;
        Buyer.title ~> Seller.book;
        Seller.get_price(book) ~> {Buyer, Contributor}.price;
        checkpoint {
            Contributor.compute_contribution(price) ~> Buyer.extra;    // might crash
        } rescue {
            Buyer.("thanks anyway") ~> Contributor.note;
            Contributor.keep(note);
        }
        return Buyer.(price - extra <= get_budget());
    }
    //[/shared]
)

#include "bookseller.Buyer.chor.h"
#include "bookseller.Seller.chor.h"

int Buyer_get_budget(void)
{
    return 22;
}

const char *Buyer_get_address(void)
{
    return "Maple Street";
}

int Seller_get_price(const char *title)
{
    return strcmp(title, "Das Glasperlenspiel") == 0 ? 42 : 13;
}

date Seller_get_delivery_date(const char *title, const char *address)
{
    (void)title, (void)address;
    return (date){2026, 12, 24};
}

#define CHX_ROLE_AS sharing_buyer
#include "shared.Buyer.chor.h"
#include "shared.Contributor.chor.h"
#define CHX_ROLE_AS sharing_seller
#include "shared.Seller.chor.h"

int sharing_buyer_get_budget(void)
{
    return Buyer_get_budget();
}

int sharing_seller_get_price(const char *title)
{
    return Seller_get_price(title);
}

int Contributor_compute_contribution(int price)
{
    if (price < 20)
        chx_fail("not for paperbacks");
    return price / 2;
}

void Contributor_keep(const char *note)
{
    printf("%s\n", note);
}

int main(void)
{
    struct bookseller_run_result first;
    struct shared_cast cast = {.Buyer = {.role = &sharing_buyer}, .Seller = {.role = &sharing_seller}};
    struct shared_run_result second, third;
    if (bookseller_run(&first, NULL, "Siddhartha") != CHX_OK || shared_run(&second, &cast, "Siddhartha") != CHX_OK ||
        shared_run(&third, &cast, "Das Glasperlenspiel") != CHX_OK)
        return 1;
    printf("%d-%d-%d %d %d\n", first.Buyer.year, first.Buyer.month, first.Buyer.day, second.Buyer, third.Buyer);
    return 0;
}
