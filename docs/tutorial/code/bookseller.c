//[choreography]
#include <chorex.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    int year, month, day;
} date;

choreography(bookseller, (Buyer, Seller),
    int  Seller.get_price(const char *title);
    date Seller.get_delivery_date(const char *title, const char *address);
    int  Buyer.get_budget(void);

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

#include "bookseller.Buyer.chor.h"
#include "bookseller.Seller.chor.h"
//[/choreography]

//[functions]
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
    (void)title;
    return strcmp(address, "Maple Street") == 0 ? (date){2026, 12, 24} : (date){2027, 1, 4};
}
//[/functions]

//[main]
static void buy(const char *title)
{
    struct bookseller_run_result result;
    if (bookseller_run(&result, NULL, title) != CHX_OK)
        printf("%s: something went wrong\n", title);
    else if (result.Buyer.year == 0)
        printf("%s: too expensive\n", title);
    else
        printf("%s: comes on %d-%02d-%02d\n", title, result.Buyer.year, result.Buyer.month, result.Buyer.day);
}

int main(void)
{
    buy("Siddhartha");
    buy("Das Glasperlenspiel");
    return 0;
}
//[/main]
