#include <chorex.h>
#include <stdio.h>

struct account {
    int balance;
};

choreography(payment, (Buyer, Seller),
    int Buyer.pay(int price);

    def run(Seller.int price) -> Seller.int {
        Seller.price ~> Buyer.price;
        Buyer.pay(price) ~> Seller.paid;
        return Seller.paid;
    }
)

#include "payment.Buyer.chor.h"
#include "payment.Seller.chor.h"

//[cast]
int Buyer_pay(int price)
{
    struct account *account = chx_context();
    if (account->balance < price)
        chx_fail("%d is more than %d", price, account->balance);
    account->balance -= price;
    return price;
}

int main(void)
{
    struct account account = {100};
    struct payment_cast cast = {.Buyer = {.context = &account}}; // Seller: as linked into the program
    for (int i = 0; i < 2; i++) {
        chx_session *session = payment_run_start(NULL, &cast, 70);
        struct payment_run_result result;
        if (session != NULL && payment_run_wait(session, &result) == CHX_OK)
            printf("paid %d\n", result.Seller);
        else
            printf("%s: %s\n", chx_last_report()->role, chx_last_report()->why);
    }
    return 0;
}
//[/cast]
