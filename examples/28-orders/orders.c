// An order service with payment, stock and shipping, whose orders survive `kill -9` of the whole program and the loss of power: each is a
// session that is kept in a SQLite database.
//! no-process: hundreds of orders at once would be thousands of processes

#include <chorex.h>
#include <chorex/sqlite.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SHIPPED, SOLD_OUT, NOT_PAID };

choreography(orders, (Desk, Stock, Bank, Shipping),
    int  Stock.reserve(int order);
    void Stock.give_back(int order);
    bool Bank.charge(int order, int amount);
    void Shipping.send(int order);

    def order(Desk.int number) -> Desk.int {
        Desk.number ~> {Stock, Bank, Shipping}.number;
        Desk.price = 0;
        checkpoint durable retry 1000 {
            Stock.reserve(number) ~> Desk.price;
        }
        if (Desk.(price == 0)) {
            return Desk.(SOLD_OUT);
        }
        Desk.bool is_paid = false;
        checkpoint durable retry 1000 {
            Desk.price ~> Bank.price;
            Bank.charge(number, price) ~> Desk.is_paid;
        }
        if (Desk.is_paid) {
            checkpoint durable retry 1000 {
                Shipping.send(number);
            }
            return Desk.(SHIPPED);
        } else {
            checkpoint durable retry 1000 {
                Stock.give_back(number);
            }
            return Desk.(NOT_PAID);
        }
    }
)

#include "orders.Bank.chor.h"
#include "orders.Desk.chor.h"
#include "orders.Shipping.chor.h"
#include "orders.Stock.chor.h"

// ---- the world outside: each effect is a file, named by the identifier of the effect ----

// A step that was lost is done again, with the same identifier: whoever carries out the effect does nothing the second time.
static void do_once(const char *folder, int order)
{
    char path[200], text[32];
    chx_effect id = chx_effect_id();
    snprintf(path, sizeof path, "%s/%016llx%016llx", folder, (unsigned long long)id.high, (unsigned long long)id.low);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file < 0 && errno == EEXIST)
        return;
    int size = snprintf(text, sizeof text, "%d\n", order);
    if (file < 0 || write(file, text, (size_t)size) != size)
        chx_fail("%s can't be written", path);
    close(file);
}

int Stock_reserve(int order)
{
    if (order % 10 == 3)
        return 0; // sold out
    do_once("reserved", order);
    return 10 + order % 90;
}

void Stock_give_back(int order)
{
    do_once("returned", order);
}

bool Bank_charge(int order, int amount)
{
    if (amount % 7 == 0)
        return false; // the card is refused
    do_once("charged", order);
    return true;
}

void Shipping_send(int order)
{
    do_once("sent", order);
}

// ---- orders come in ----

// orders COUNT [PAUSE_MS]: so many, one after the other. Started again after a crash it opens all of them again: those that are over give
// their outcome, the others go on.
int main(int argc, char **argv)
{
    static const char *const folders[] = {"reserved", "returned", "charged", "sent"};
    int count = argc > 1 ? atoi(argv[1]) : 100, ended[3] = {0}, failed = 0;
    long pause_ms = argc > 2 ? atol(argv[2]) : 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        mkdir(folders[i], 0700);
    chx_store *store = chx_store_sqlite("orders.db");
    chx_runtime *runtime = chx_runtime_new(&(chx_runtime_options){.store = store});
    chx_session **sessions = calloc((size_t)count, sizeof *sessions);
    for (int i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "order-%d", i);
        sessions[i] = orders_order_open(runtime, name, NULL, i);
        if (sessions[i] == NULL) {
            fprintf(stderr, "%s\n", chx_last_report()->why);
            return 1;
        }
        if (!chx_session_is_over(sessions[i]))
            nanosleep(&(struct timespec){pause_ms / 1000, pause_ms % 1000 * 1000000}, NULL);
    }
    for (int i = 0; i < count; i++) {
        struct orders_order_result result;
        if (orders_order_wait(sessions[i], &result) == CHX_OK)
            ended[result.Desk]++;
        else
            failed++;
    }
    printf("%d orders: %d shipped, %d sold out, %d not paid, %d failed\n", count, ended[SHIPPED], ended[SOLD_OUT],
           ended[NOT_PAID], failed);
    free(sessions);
    chx_runtime_free(runtime);
    chx_store_close(store);
    return failed != 0;
}
