#include <chorex.h>
#include <stdio.h>

choreography(shop, (Buyer, Seller),
    //[prototypes]
    int  Seller.get_price(const char *title);
    bool Buyer.affordable(int price);
    void Seller.init(void);
    //[/prototypes]

    def run(Buyer.const char *title) -> Buyer.bool {
        Buyer.title ~> Seller.title;
        Seller.get_price(title) ~> Buyer.price;
        return Buyer.affordable(price);
    }
)

#include "shop.Buyer.chor.h"

bool Buyer_affordable(int price)
{
    return price < 20;
}

//[implementations]
#define CHX_ROLE_AS cheap_seller
#include "shop.Seller.chor.h"

void cheap_seller_init(void)
{
    puts("a cheap seller");
}

int cheap_seller_get_price(const char *title)
{
    (void)title;
    return 5;
}

#define CHX_ROLE_AS noble_seller
#include "shop.Seller.chor.h"

void noble_seller_init(void)
{
    puts("a noble seller");
}

int noble_seller_get_price(const char *title)
{
    (void)title;
    return 500;
}

int main(void)
{
    const chx_role *sellers[] = {&cheap_seller, &noble_seller};
    for (int i = 0; i < 2; i++) {
        struct shop_cast cast = {.Seller = {.role = sellers[i]}};
        struct shop_run_result result;
        if (shop_run(&result, &cast, "Siddhartha") != CHX_OK)
            return 1;
        puts(result.Buyer ? "affordable" : "too expensive");
    }
    return 0;
}
//[/implementations]
