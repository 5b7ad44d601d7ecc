// A role with an address in the cast needs libchorex-net, which this program is not linked with: the report says what to do. Whether
// the role's part is linked in does not matter. Inside of a program nobody is a peer.
//! no-central
// expect: Bank is to run at bank.example.org:7741: link the program with `chorcc --libs=net`
// expect: Bank is to run at pool: link the program with `chorcc --libs=net`
// expect: Store is to run at pool: link the program with `chorcc --libs=net`
// expect: nobody
#include <chorex.h>
#include <stdio.h>

choreography(shop, (Buyer, Bank),
    bool Bank.is_alone(int n);
    def run(Buyer.int n) -> Bank.bool {
        Buyer.n ~> Bank.n;
        return Bank.is_alone(n);
    }
)
#include "shop.Buyer.chor.h"
#include "shop.Bank.chor.h"

choreography(remote, (Buyer, Store),
    def run(Buyer.int n) {
        Buyer.n ~> Store._;
    }
)
#include "remote.Buyer.chor.h"

static bool knows_nobody(void)
{
    return chx_peer("Buyer") == NULL && chx_peer("Bank") == NULL && chx_peer("") == NULL && chx_fence() == 0;
}

static bool Bank_is_alone(int n)
{
    return n == 7 && knows_nobody();
}

static void refused(chx_status status)
{
    if (status == CHX_INVALID && chx_last_report()->kind == CHX_FAULT_SYSTEM)
        puts(chx_last_report()->why);
}

int main(void)
{
    struct shop_run_result result;
    struct shop_cast cast = {.Bank = {.at = "bank.example.org:7741"}};
    refused(shop_run(&result, &cast, 7));
    cast.Bank.at = "pool";
    if (shop_run_start(NULL, &cast, 7) != NULL)
        return 1;
    refused(CHX_INVALID);
    struct remote_cast other = {.Store = {.at = "pool"}};
    refused(remote_run(&other, 7));
    cast.Bank.at = NULL;
    if (shop_run(&result, &cast, 7) != CHX_OK)
        return 1;
    puts(result.Bank && knows_nobody() ? "nobody" : "somebody");
    return 0;
}
