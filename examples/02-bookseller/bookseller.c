// A buyer asks a bookseller for a price and, if it is affordable, for a delivery date: first a buyer alone, then a buyer
// with somebody who contributes, then both again as one choreography that is given the way to decide.

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

    // 1. One buyer.
    def one_buyer(Buyer.const char *title) -> Buyer.date {
        Buyer.title ~> Seller.book;
        Seller.get_price(book) ~> Buyer.price;
        if (Buyer.(price <= get_budget())) {
            Buyer.get_address() ~> Seller.const char *address;
            Seller.get_delivery_date(book, address) ~> Buyer.when;
            return Buyer.when;
        }
        return Buyer.((date){0});
    }

    // 2. Two buyers: the same, but for the way to decide.
    def two_buyers(Buyer.const char *title) -> Buyer.date {
        Buyer.title ~> Seller.book;
        Seller.get_price(book) ~> {Buyer, Contributor}.price;
        Contributor.compute_contribution(price) ~> Buyer.contribution;
        if (Buyer.(price - contribution <= get_budget())) {
            Buyer.get_address() ~> Seller.const char *address;
            Seller.get_delivery_date(book, address) ~> Buyer.when;
            return Buyer.when;
        }
        return Buyer.((date){0});
    }

    // 3. Any buyers: the way to decide is a parameter, a choreography from a price at Seller to a yes or no at Buyer.
    def run(Buyer.const char *title, Buyer.bool split) -> Buyer.date {
        if (Buyer.split) {
            return purchase(Buyer.title, together);
        } else {
            return purchase(Buyer.title, alone);
        }
    }

    def purchase(Buyer.const char *title, affordable(Seller.int) -> Buyer.bool) -> Buyer.date {
        Buyer.title ~> Seller.book;
        Buyer.bool decision = affordable(Seller.get_price(book));
        if (Buyer.decision) {
            Buyer.get_address() ~> Seller.const char *address;
            Seller.get_delivery_date(book, address) ~> Buyer.when;
            return Buyer.when;
        }
        return Buyer.((date){0});
    }

    def alone(Seller.int price) -> Buyer.bool {
        Seller.price ~> Buyer.p;
        return Buyer.(p <= get_budget());
    }

    def together(Seller.int price) -> Buyer.bool {
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

static void show(const char *who, date when)
{
    if (when.year != 0)
        printf("%s: %d-%02d-%02d\n", who, when.year, when.month, when.day);
    else
        printf("%s: no\n", who);
}

static int failed(void)
{
    const chx_report *report = chx_last_report();
    fprintf(stderr, "%s failed at line %d: %s\n", report->role, report->line, report->why);
    return 1;
}

int main(void)
{
    const char *cheap = "Siddhartha", *dear = "Das Glasperlenspiel";

    struct bookseller_one_buyer_result one;
    if (bookseller_one_buyer(&one, NULL, cheap) != CHX_OK)
        return failed();
    show("one buyer, a cheap book", one.Buyer);
    if (bookseller_one_buyer(&one, NULL, dear) != CHX_OK)
        return failed();
    show("one buyer, a dear book", one.Buyer);

    struct bookseller_two_buyers_result two;
    if (bookseller_two_buyers(&two, NULL, dear) != CHX_OK)
        return failed();
    show("two buyers, a dear book", two.Buyer);

    struct bookseller_run_result any;
    if (bookseller_run(&any, NULL, dear, false) != CHX_OK)
        return failed();
    show("alone", any.Buyer);
    if (bookseller_run(&any, NULL, dear, true) != CHX_OK)
        return failed();
    show("together", any.Buyer);
    return 0;
}

// expect: one buyer, a cheap book: 2026-12-24
// expect: one buyer, a dear book: no
// expect: two buyers, a dear book: 2026-12-24
// expect: alone: no
// expect: together: 2026-12-24
