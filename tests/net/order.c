// order.c: orders that three nodes carry out, and that are kept in a store, for nodes that are lost meanwhile.
//
//   order serve                      the roles of this node's certificate: $ROLES, Seller or Stock; the node that decides is Seller's
//   order buy FIRST COUNT            opens the sessions order-FIRST and so on, all at once, and prints what each of them has returned
//
// Each step writes a line with its effect to the file `effects`.

#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <chorex/net.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

choreography(order, (Buyer, Seller, Stock),
    int Seller.price(int number);
    void Buyer.pay(int number, int price);
    void Stock.take(int number);
    void Stock.ship(int number);
    void Seller.note(int number);

    def run(Buyer.int number) -> Buyer.int {
        Buyer.number ~> Seller.number;
        Seller.number ~> Stock.number;
        Seller.price(number) ~> Buyer.price;
        checkpoint durable retry 1000 {
            Buyer.pay(number, price);
            Buyer.price ~> Seller._;
            Stock.take(number);
            Stock.number ~> Seller._;
        }
        Seller.note(number);
        checkpoint durable retry 1000 {
            Seller.number ~> Stock._;
            Stock.ship(number);
            Stock.number ~> Buyer._;
        }
        return Buyer.price;
    }
)

#include "order.Buyer.chor.h"
#include "order.Seller.chor.h"
#include "order.Stock.chor.h"

static void effect(const char *what, int number)
{
    char line[128];
    chx_effect id = chx_effect_id();
    int size = snprintf(line, sizeof line, "%s %d %016" PRIx64 "%016" PRIx64 " %" PRIu64 "\n", what, number, id.high, id.low,
                        chx_fence());
    int file = open("effects", O_WRONLY | O_APPEND | O_CREAT, 0666);
    if (file < 0 || write(file, line, (size_t)size) != size)
        abort();
    close(file);
    const char *pause = getenv("PAUSE_MS");
    if (pause != NULL)
        nanosleep(&(struct timespec){.tv_nsec = atol(pause) * 1000000}, NULL);
}

int Seller_price(int number)
{
    return 10 * number;
}

void Seller_note(int number)
{
    effect("note", number);
}

void Buyer_pay(int number, int price)
{
    (void)price;
    effect("pay", number);
}

void Stock_take(int number)
{
    effect("take", number);
}

void Stock_ship(int number)
{
    effect("ship", number);
}

static chx_node *node;

static void on_signal(int number)
{
    (void)number;
    chx_node_stop(node, 1000);
}

static int serve(void)
{
    const char *roles = getenv("ROLES");
    if (strstr(roles, "Seller") != NULL && order_run_serve_Seller(node, NULL) != CHX_OK)
        return 1;
    if (strstr(roles, "Stock") != NULL && order_run_serve_Stock(node, NULL) != CHX_OK)
        return 1;
    signal(SIGTERM, on_signal);
    puts("serves");
    chx_node_run(node);
    return 0;
}

enum { MOST = 1000 };

static int buy(int first, int count)
{
    static chx_session *sessions[MOST];
    int failed = 0;
    for (int i = 0; i < count && i < MOST; i++) {
        char name[32];
        snprintf(name, sizeof name, "order-%d", first + i);
        sessions[i] = order_run_as_Buyer_start(node, name, first + i);
    }
    for (int i = 0; i < count && i < MOST; i++) {
        int price = 0;
        chx_status status = order_run_as_Buyer_wait(sessions[i], &price);
        printf("order %d: status %d, price %d%s%s\n", first + i, (int)status, price, status != CHX_OK ? ": " : "",
               status != CHX_OK ? chx_last_report()->why : "");
        failed += status != CHX_OK || price != 10 * (first + i);
    }
    return failed;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    node = chx_node_open(NULL);
    if (node == NULL || argc < 2) {
        fprintf(stderr, "%s\n", chx_last_report()->why);
        return 1;
    }
    int failed = strcmp(argv[1], "buy") == 0 && argc == 4 ? buy(atoi(argv[2]), atoi(argv[3])) : serve();
    if (failed != 0 && strcmp(argv[1], "serve") == 0)
        fprintf(stderr, "%s\n", chx_last_report()->why);
    chx_node_close(node);
    return failed != 0;
}
