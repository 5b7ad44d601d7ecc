// Customers order from a warehouse whose stock lies outside of every choreography, in an SQLite database. Each order is a
// session of its own; all run at once and race for the same item. A Warehouse may crash between reserving an item and
// confirming the order. The rescue then does everything once more, under the same order number: what was reserved
// before the crash is found again, not lost and not taken twice.
//
//     warehouse [-c HOW]                                       a few races in a temporary database
//     warehouse [-c HOW] DATABASE ITEM COUNT CUSTOMER[!]...    COUNT more of ITEM arrive, the customers want one each;
//                                                              at '!' the Warehouse crashes: HOW is fail, abort or kill
//! no-sim

#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <inttypes.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum crash { NO_CRASH, CRASH_FAIL, CRASH_ABORT, CRASH_KILL };

struct order {
    chx_effect number;
    const char *item, *customer;
};

choreography(warehouse, (Customer, Warehouse),
    const char *Customer.address(const char *name);
    bool Warehouse.reserve(const char *database, struct order order);
    void Warehouse.crash(enum crash how);
    void Warehouse.confirm(const char *database, struct order order, const char *address);

    def run(Customer.const char *name, Customer.const char *item,
            Warehouse.const char *database, Warehouse.enum crash how) -> Customer.bool {
        Customer.{name, item} ~> Warehouse.{const char *customer, const char *item};
        Warehouse.struct order order = {chx_effect_id(), item, customer};  // bound before the block: the rescue has it, too
        Customer.bool got = false;
        checkpoint {
            Customer.got = buy(Customer.name, Warehouse.database, Warehouse.order, Warehouse.how);
        } rescue {
            Customer.got = buy(Customer.name, Warehouse.database, Warehouse.order, Warehouse.(NO_CRASH));
        }
        return Customer.got;
    }

    def buy(Customer.const char *name, Warehouse.const char *database, Warehouse.struct order order,
            Warehouse.enum crash how) -> Customer.bool {
        if (Warehouse.reserve(database, order)) {
            Customer.address(name) ~> Warehouse.const char *address;
            Warehouse.crash(how);
            Warehouse.confirm(database, order, address);
            return Customer.(true);
        }
        return Customer.(false);
    }
)

#include "warehouse.Customer.chor.h"
#include "warehouse.Warehouse.chor.h"

// ---- the database ----

// Runs one statement, a transaction of its own, with texts for ?1, ?2, ...; `number` gets the first column of the first
// row. False: it failed, and `why` says why. Nothing stays open: a connection that a crash left behind would be a lock.
static bool database_run(const char *path, const char *sql, const char *const texts[3], int64_t *number, char why[200])
{
    sqlite3 *connection = NULL;
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_open(path, &connection);
    if (status == SQLITE_OK)
        status = sqlite3_busy_timeout(connection, 60000);
    if (status == SQLITE_OK)
        status = sqlite3_prepare_v2(connection, sql, -1, &statement, NULL);
    for (int i = 0; i < 3 && status == SQLITE_OK && texts[i] != NULL; i++)
        status = sqlite3_bind_text(statement, i + 1, texts[i], -1, SQLITE_STATIC);
    if (status == SQLITE_OK)
        status = sqlite3_step(statement);
    if (status == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    if (status != SQLITE_ROW && status != SQLITE_DONE)
        snprintf(why, 200, "%s: %s", path, sqlite3_errmsg(connection));
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return status == SQLITE_ROW || status == SQLITE_DONE;
}

// The same inside a role, which fails if the database does.
static int64_t role_run(const char *path, const char *sql, const char *a, const char *b, const char *c)
{
    int64_t number = 0;
    char why[200];
    if (!database_run(path, sql, (const char *[]){a, b, c}, &number, why))
        chx_fail("%s", why);
    return number;
}

// ---- the roles ----

static const char *Customer_address(const char *name)
{
    return chx_cstr(chx_strf("%s's house", name));
}

static const char *number_of(struct order order)
{
    return chx_cstr(chx_strf("%016" PRIx64 "%016" PRIx64, order.number.high, order.number.low));
}

// An order that is there already is not made again: it has its item.
static bool Warehouse_reserve(const char *database, struct order order)
{
    role_run(database,
             "INSERT INTO orders (number, item, customer) SELECT ?1, ?2, ?3 WHERE "
             "(SELECT sum(count) FROM deliveries WHERE item = ?2) > (SELECT count(*) FROM orders WHERE item = ?2) "
             "ON CONFLICT DO NOTHING",
             number_of(order), order.item, order.customer);
    return role_run(database, "SELECT count(*) FROM orders WHERE number = ?1", number_of(order), NULL, NULL) == 1;
}

static void Warehouse_crash(enum crash how)
{
    if (how == CRASH_FAIL)
        chx_fail("the warehouse is on fire");
    if (how == CRASH_ABORT)
        abort();
    if (how == CRASH_KILL)
        kill(getpid(), SIGKILL);
}

static void Warehouse_confirm(const char *database, struct order order, const char *address)
{
    role_run(database, "UPDATE orders SET address = ?2 WHERE number = ?1", number_of(order), address, NULL);
}

// ---- the program ----

// For main: what fails here ends the program.
static long run(const char *path, const char *sql, const char *a, const char *b)
{
    int64_t number = 0;
    char why[200];
    if (!database_run(path, sql, (const char *[]){a, b, NULL}, &number, why)) {
        fprintf(stderr, "warehouse: %s\n", why);
        exit(1);
    }
    return (long)number;
}

static void complain(const char *customer)
{
    const chx_report *report = chx_last_report();
    fprintf(stderr, "warehouse: the order of %s: %s failed at %s:%d: %s\n", customer, report->role, report->file,
            report->line, report->why);
}

// `count` of the item arrive, and every customer wants one: a session each, all at the same time. `each` prints what
// becomes of each. False: a session failed.
static bool sell(const char *path, enum crash how, const char *item, const char *count, int customers, char **names,
                 bool each)
{
    run(path, "CREATE TABLE IF NOT EXISTS deliveries (item TEXT, count INTEGER)", NULL, NULL);
    run(path, "CREATE TABLE IF NOT EXISTS orders (number TEXT PRIMARY KEY, item TEXT, customer TEXT, address TEXT)",
        NULL, NULL);
    run(path, "INSERT INTO deliveries VALUES (?1, ?2)", item, count);

    struct warehouse_cast cast = {.Warehouse = {.isolation = how == CRASH_KILL ? CHX_PROCESS : CHX_THREAD}};
    chx_session *sessions[customers];
    int served = 0, failed = 0;
    for (int i = 0; i < customers; i++) {
        size_t size = strcspn(names[i], "!");
        chx_str name = chx_str_new(names[i], size);
        sessions[i] = warehouse_run_start(NULL, &cast, chx_cstr(name), item, path, names[i][size] ? how : NO_CRASH);
        chx_str_drop(name);
        if (sessions[i] == NULL)
            complain(names[i]);
    }
    for (int i = 0; i < customers; i++) {
        struct warehouse_run_result result;
        if (sessions[i] == NULL || warehouse_run_wait(sessions[i], &result) != CHX_OK) {
            if (sessions[i] != NULL)
                complain(names[i]);
            failed++;
            continue;
        }
        served += result.Customer;
        if (each)
            printf("%s: %s\n", names[i], result.Customer ? "gets one" : "sold out");
    }
    long arrived = run(path, "SELECT sum(count) FROM deliveries WHERE item = ?1", item, NULL);
    long ordered = run(path, "SELECT count(*) FROM orders WHERE item = ?1", item, NULL);
    long confirmed = run(path, "SELECT count(address) FROM orders WHERE item = ?1", item, NULL);
    printf("%s: %d of %d served; arrived %ld, ordered %ld, confirmed %ld, left %ld\n", item, served, customers, arrived,
           ordered, confirmed, arrived - ordered);
    return failed == 0;
}

// Races whose outcome is certain, though nobody can say who wins them.
static bool demonstrate(enum crash how)
{
    char folder[] = "/tmp/warehouse-XXXXXX", path[sizeof folder + 10];
    if (mkdtemp(folder) == NULL) {
        perror("warehouse: no temporary folder");
        return false;
    }
    snprintf(path, sizeof path, "%s/stock.db", folder);
    char *crowd[] = {"Ann", "Bob!", "Cyd", "Dan!", "Eve", "Flo!", "Gus", "Hal!"};
    bool good = sell(path, how, "the last lamp", "1", 2, (char *[]){"Ann", "Bob"}, false) &&
                sell(path, how, "a chair, and a crash", "1", 1, (char *[]){"Ann!"}, false) &&
                sell(path, how, "the last table, and crashes", "1", 2, (char *[]){"Ann!", "Bob!"}, false) &&
                sell(path, how, "cups for a crowd", "3", 8, crowd, false);
    unlink(path);
    rmdir(folder);
    return good;
}

static enum crash crash_named(const char *word)
{
    return strcmp(word, "fail") == 0    ? CRASH_FAIL
           : strcmp(word, "abort") == 0 ? CRASH_ABORT
           : strcmp(word, "kill") == 0  ? CRASH_KILL
                                        : NO_CRASH;
}

int main(int argc, char **argv)
{
    enum crash how = CRASH_FAIL;
    for (int option; (option = getopt(argc, argv, "c:")) != -1;)
        how = option == 'c' ? crash_named(optarg) : NO_CRASH;
    argc -= optind;
    argv += optind;
    if (how != NO_CRASH && argc == 0)
        return demonstrate(how) ? 0 : 1;
    if (how == NO_CRASH || argc < 4 || strlen(argv[2]) > 9 || argv[2][strspn(argv[2], "0123456789")] != '\0') {
        fprintf(stderr, "usage: warehouse [-c fail|abort|kill] [DATABASE ITEM COUNT CUSTOMER[!]...]\n");
        return 2;
    }
    return sell(argv[0], how, argv[1], argv[2], argc - 3, argv + 3, true) ? 0 : 1;
}
