//! no-process
// expect: 2 attempts, balance 70
#include <chorex.h>
#include <stdio.h>

choreography(payment, (Shop, Bank),
    void Bank.transfer(int amount);
    void Bank.confirm(void);

    def run(Shop.int amount) -> Bank.int {
        checkpoint retry 2 {
            Shop.amount ~> Bank.amount;
            Bank.transfer(amount);
            Bank.confirm();
        } rescue {
        }
        return Bank.balance();
    }
)

#include "payment.Bank.chor.h"
#include "payment.Shop.chor.h"

static int balance = 100, attempts;

//[once]
static chx_effect done[16]; // in a real bank: a table of its database, in the same transaction as the balance
static size_t done_count;

void Bank_transfer(int amount)
{
    chx_effect id = chx_effect_id(); // the same in each attempt of this block, and nowhere else
    attempts++;
    for (size_t i = 0; i < done_count; i++)
        if (done[i].high == id.high && done[i].low == id.low)
            return;
    done[done_count++] = id;
    balance -= amount;
}
//[/once]

void Bank_confirm(void)
{
    if (attempts == 1)
        chx_fail("the connection broke behind the transfer");
}

int Bank_balance(void)
{
    return balance;
}

int main(void)
{
    struct payment_run_result result;
    if (payment_run(&result, NULL, 30) != CHX_OK)
        return 1;
    printf("%d attempts, balance %d\n", attempts, result.Bank);
    return 0;
}
