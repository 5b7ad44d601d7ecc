// cast.c: sessions that one program starts, with roles on other nodes: for tests/net/casts.
//
//   cast serve ROLE...          serves these roles until SIGTERM
//   cast flood CAST COUNT       has a session of `flood`, waits for a file `gate`, then has so many at once
//   cast as                     plays Customer of `once`, in a session that is decided elsewhere
//   cast pair-as NAME           plays Customer of `pair`, in a session of this name, and waits for the end of all of it
//   cast bank-as NAME           plays Bank of it, which has no part
//   cast DEF CAST [COUNT]       starts sessions with this cast: "Worker=pool,Bank=127.0.0.1:7741", so many at once

#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <chorex/net.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    int number;
    const char *text;
} note;

typedef struct {
    int number;
    char bytes[900];
} block;

#ifdef OTHER // another protocol
typedef long amount;
#else
typedef int amount;
#endif

choreography(shop, (Customer, Worker, Bank),
    amount Worker.cost(int n);
    const char *Worker.place();
    bool Bank.pay(amount n);
    const char *Bank.place();

    // Survives the loss of Worker.
    def run(Customer.int n) -> Customer.int, Worker.const char *, Bank.const char * {
        Customer.int paid = 0;
        checkpoint retry 3 {
            Customer.n ~> Worker.n;
            Worker.cost(n) ~> Bank.c;
            Bank.(pay(c) ? (int)c : -1) ~> Customer.paid;
        } rescue {
            Customer.paid = -2;
        }
        return Customer.paid, Worker.place(), Bank.place();
    }

    // Does not.
    def once(Customer.int n) -> Customer.int {
        Customer.n ~> Worker.n;
        Worker.cost(n) ~> Bank.c;
        Bank.(pay(c) ? (int)c : -1) ~> Customer.paid;
        return Customer.paid;
    }

    // Has arguments for all.
    def give(Customer.int n, Bank.note about, Worker.int base[2], {Worker, Bank}.const char *both)
        -> Customer.int, Worker.const char *, Bank.note {
        Customer.n ~> Worker.n;
        Worker.(n + base[0] * base[1]) ~> Bank.c;
        Bank.note more = {about.number + c, both};
        Bank.(more.number) ~> Customer.sum;
        return Customer.sum, Worker.both, Bank.more;
    }

    // Worker sends as soon as it is there.
    block Worker.piece(int n);
    def flood() -> Customer.int {
        Worker.piece(6) ~> Bank.a;
        Bank.(a.number) ~> Customer.sum;
        Customer.sum ~> Worker._;
        return Customer.sum;
    }

    // Has none.
    def near() -> Worker.int, Bank.int {
        Customer.(7) ~> Worker.n;
        Worker.n ~> Bank.m;
        return Worker.n, Bank.(m * 2);
    }

    // Bank has no part.
    def pair(Customer.int n) -> Customer.int {
        Customer.n ~> Worker.n;
        Worker.((int)cost(n)) ~> Customer.paid;
        return Customer.paid;
    }

    // Is to be kept in a store.
    def lasting(Customer.int n) -> Customer.int {
        Customer.int paid = 0;
        checkpoint durable retry 2 {
            Customer.n ~> Worker.n;
            Worker.cost(n) ~> Bank.c;
            Bank.(pay(c) ? (int)c : -1) ~> Customer.paid;
        }
        return Customer.paid;
    }

    // Has one that can't be sent.
    def point(Worker.int *place) -> Customer.int {
        Worker.(place != NULL) ~> Customer.is;
        return Customer.is;
    }
)
#include "shop.Customer.chor.h"
#include "shop.Worker.chor.h"
#include "shop.Bank.chor.h"

static chx_node *node;

static const char *own_name(void)
{
    const char *name = getenv("NAME");
    return name != NULL ? name : "?";
}

// KILL: dies the first time anybody comes here. WAIT: until there is a file `gate`.
amount Worker_cost(int n)
{
    if (getenv("KILL") != NULL && open("killed", O_CREAT | O_EXCL | O_WRONLY, 0600) >= 0)
        kill(getpid(), SIGKILL);
    if (getenv("FAIL") != NULL)
        chx_fail("no more goods");
    if (getenv("WAIT") != NULL && access("gate", F_OK) != 0) {
        printf("waits\n");
        chx_again_after(10000000);
    }
    return n * 2;
}

block Worker_piece(int n)
{
    block piece = {.number = n};
    return piece;
}

const char *Worker_place(void)
{
    return own_name();
}

bool Bank_pay(amount n)
{
    return n < 1000;
}

const char *Bank_place(void)
{
    return own_name();
}

static int refuse(chx_status status)
{
    const chx_report *report = chx_last_report();
    printf("%s: %s: %s (%u restarts)\n", chx_status_text(status), report->role, report->why, report->restarts);
    return 1;
}

// ---- serving ----

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 1000);
}

static bool accept_some(void *context, const chx_visit *visit, void *arguments)
{
    (void)context;
    (void)arguments;
    return getenv("REFUSE") == NULL || visit->peer == NULL || strcmp(visit->peer, getenv("REFUSE")) != 0;
}

static chx_status serve_role(const char *role)
{
    unsigned most = getenv("SESSIONS") != NULL ? (unsigned)atoi(getenv("SESSIONS")) : 0;
    chx_service how = {.sessions_max = most, .accept = accept_some};
    static const int base[2] = {7, 8};
    chx_status status;
    if (strcmp(role, "Customer") == 0)
        return shop_near_serve_Customer(node, &how);
    if (strcmp(role, "Worker") == 0) {
        status = shop_run_serve_Worker(node, &how);
        if (status == CHX_OK)
            status = shop_near_serve_Worker(node, &how);
        if (status == CHX_OK)
            status = shop_pair_serve_Worker(node, &how);
        if (status == CHX_OK)
            status = shop_flood_serve_Worker(node, &how);
        if (status == CHX_OK)
            status = shop_once_serve_Worker(node, &how);
        if (status == CHX_OK)
            status = shop_lasting_serve_Worker(node, &how);
        return status == CHX_OK ? shop_give_serve_Worker(node, &how, base, "own") : status;
    }
    status = shop_run_serve_Bank(node, &how);
    if (status == CHX_OK)
        status = shop_near_serve_Bank(node, &how);
    if (status == CHX_OK)
        status = shop_flood_serve_Bank(node, &how);
    if (status == CHX_OK)
        status = shop_once_serve_Bank(node, &how);
    if (status == CHX_OK)
        status = shop_lasting_serve_Bank(node, &how);
    return status == CHX_OK ? shop_give_serve_Bank(node, &how, (note){5, "five"}, "own") : status;
}

static int serve(int count, char **roles)
{
    signal(SIGTERM, stop);
    for (int i = 0; i < count; i++) {
        chx_status status = serve_role(roles[i]);
        if (status != CHX_OK)
            return refuse(status);
    }
    printf("serves\n");
    chx_node_run(node);
    chx_node_close(node);
    return 0;
}

// ---- starting ----

static char *find_place(char *places, const char *role)
{
    size_t length = strlen(role);
    for (char *at = places; at != NULL && *at != '\0'; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, role, length) == 0 && at[length] == '=')
            return strndup(at + length + 1, strcspn(at + length + 1, ","));
    return NULL;
}

static int finish_run(chx_session *session)
{
    struct shop_run_result result;
    chx_status status = shop_run_wait(session, &result);
    if (status != CHX_OK)
        return refuse(status);
    printf("paid %d, %s, %s\n", result.Customer, result.Worker, result.Bank);
    shop_run_result_drop(&result);
    return 0;
}

static int run_many(struct shop_cast *cast, int count)
{
    int failures = 0;
    chx_session **sessions = calloc((size_t)count, sizeof(chx_session *));
    for (int i = 0; i < count; i++)
        sessions[i] = shop_run_start(NULL, cast, i + 1);
    for (int i = 0; i < count; i++)
        failures += finish_run(sessions[i]);
    free(sessions);
    return failures != 0;
}

static int run_cancelled(struct shop_cast *cast)
{
    chx_session *session = shop_run_start(NULL, cast, 1);
    if (getenv("AT_ONCE") == NULL)
        while (access("gate", F_OK) != 0)
            nanosleep(&(struct timespec){0, 10000000}, NULL);
    chx_session_cancel(session);
    return finish_run(session);
}

static int run_once(struct shop_cast *cast)
{
    int paid;
    struct shop_once_result result;
    chx_status status = shop_once(&result, cast, 21);
    paid = result.Customer;
    if (status != CHX_OK)
        return refuse(status);
    printf("paid %d\n", paid);
    return 0;
}

static int run_give(struct shop_cast *cast)
{
    struct shop_give_result result;
    chx_status status = shop_give(&result, cast, 1, (note){100, "hundred"}, (int[2]){3, 4}, "both");
    if (status != CHX_OK)
        return refuse(status);
    printf("sum %d, %s, %d %s\n", result.Customer, result.Worker, result.Bank.number, result.Bank.text);
    shop_give_result_drop(&result);
    return 0;
}

static int run_near(struct shop_cast *cast)
{
    struct shop_near_result result;
    chx_status status = shop_near(&result, cast);
    if (status != CHX_OK)
        return refuse(status);
    printf("rest %d, %d\n", result.Worker, result.Bank);
    return 0;
}

static int run_flood(struct shop_cast *cast, int count)
{
    int good = 0;
    chx_session **sessions = calloc((size_t)count, sizeof(chx_session *));
    // From now on both nodes are known to serve the roles.
    if (shop_flood(NULL, cast) == CHX_OK)
        printf("one is good\n");
    while (access("gate", F_OK) != 0)
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    for (int i = 0; i < count; i++)
        sessions[i] = shop_flood_start(NULL, cast);
    for (int i = 0; i < count; i++) {
        struct shop_flood_result result;
        chx_status status = shop_flood_wait(sessions[i], &result);
        if (status != CHX_OK)
            refuse(status);
        good += status == CHX_OK && result.Customer == 6;
    }
    free(sessions);
    printf("%d good\n", good);
    return good < count;
}

static int run_as_customer(void)
{
    int paid;
    chx_status status = shop_once_as_Customer(&paid, node, NULL, 21);
    if (status != CHX_OK)
        return refuse(status);
    printf("paid %d\n", paid);
    chx_node_close(node);
    return 0;
}

static int pay_by_name(const char *name)
{
    int paid;
    chx_session *session = shop_pair_as_Customer_start(node, name, 21);
    chx_status whole = session != NULL ? chx_session_await_all(session) : CHX_INVALID;
    chx_status status = shop_pair_as_Customer_wait(session, &paid);
    if (status != CHX_OK || whole != CHX_OK)
        return refuse(status != CHX_OK ? status : whole);
    printf("paid %d\n", paid);
    chx_node_close(node);
    return 0;
}

static int look_on_by_name(const char *name)
{
    chx_status status = shop_pair_as_Bank(node, name);
    if (status != CHX_OK)
        return refuse(status);
    printf("nothing to do\n");
    chx_node_close(node);
    return 0;
}

static int run_pair(struct shop_cast *cast)
{
    struct shop_pair_result result;
    chx_status status = shop_pair(&result, cast, 21);
    if (status != CHX_OK)
        return refuse(status);
    printf("paid %d\n", result.Customer);
    return 0;
}

// NAMED: the session is opened by name.
static int run_lasting(struct shop_cast *cast)
{
    struct shop_lasting_result result;
    chx_session *session = getenv("NAMED") != NULL ? shop_lasting_open(NULL, getenv("NAMED"), cast, 21) : NULL;
    chx_status status = getenv("NAMED") == NULL ? shop_lasting(&result, cast, 21)
                        : session != NULL       ? shop_lasting_wait(session, &result)
                                                : CHX_INVALID;
    if (status != CHX_OK)
        return refuse(status);
    printf("paid %d\n", result.Customer);
    return 0;
}

static int run_point(struct shop_cast *cast)
{
    int place = 0;
    struct shop_point_result result;
    chx_status status = shop_point(&result, cast, &place);
    return status != CHX_OK ? refuse(status) : 0;
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    bool serves = strcmp(argv[1], "serve") == 0;
    // Without OPEN a program that only starts sessions has its node opened for it.
    if ((serves || getenv("OPEN") != NULL) && (node = chx_node_open(NULL)) == NULL)
        return refuse(CHX_INVALID);
    if (serves)
        return serve(argc - 2, argv + 2);
    if (strcmp(argv[1], "as") == 0)
        return run_as_customer();
    if (strcmp(argv[1], "pair-as") == 0)
        return pay_by_name(argv[2]);
    if (strcmp(argv[1], "bank-as") == 0)
        return look_on_by_name(argv[2]);
    struct shop_cast cast = {.Customer = {.at = find_place(argv[2], "Customer")},
                             .Worker = {.at = find_place(argv[2], "Worker")},
                             .Bank = {.at = find_place(argv[2], "Bank")}};
    if (getenv("RESTARTS") != NULL)
        cast.Worker.restarts_max = (unsigned)atoi(getenv("RESTARTS"));
    if (getenv("ISOLATED") != NULL)
        cast.Bank.isolation = CHX_PROCESS;
    int code = strcmp(argv[1], "run") == 0       ? run_many(&cast, argc > 3 ? atoi(argv[3]) : 1)
               : strcmp(argv[1], "cancel") == 0  ? run_cancelled(&cast)
               : strcmp(argv[1], "once") == 0    ? run_once(&cast)
               : strcmp(argv[1], "pair") == 0    ? run_pair(&cast)
               : strcmp(argv[1], "near") == 0    ? run_near(&cast)
               : strcmp(argv[1], "flood") == 0   ? run_flood(&cast, atoi(argv[3]))
               : strcmp(argv[1], "give") == 0    ? run_give(&cast)
               : strcmp(argv[1], "lasting") == 0 ? run_lasting(&cast)
                                                 : run_point(&cast);
    if (node != NULL)
        chx_node_close(node);
    free((char *)cast.Customer.at);
    free((char *)cast.Worker.at);
    free((char *)cast.Bank.at);
    return code;
}
