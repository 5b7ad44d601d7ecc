// One role of a choreography is started or served by its name: here by functions that stand in for libchorex-net's and run all roles in
// this program. Arguments are copied when the role is served, a visitor's change holds for one session, and results are the role's own.
//! no-central
//! no-process
// expect: refused: Server: not today
// expect: 1 Ada@ 1+2 x9 "pens"=3 7
// expect: 2 Bob@ 1+5 x9 "pens"=3 7
// expect: 3 Ada@ 1+2 x9 "pens"=3 7
// expect: Server: 1 Client@ 1+2 x9 "pens"=3 7
// expect: Client: 42, pens
// expect: failed: nothing is there
// expect: no arguments
#include <chorex.h>
#include <chorex/net.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct database {
    int visits;
};
struct ware {
    const char *name;
    int count;
};
typedef struct {
    int *cell;
} box;
static void box_encode(chx_writer *writer, const void *value)
{
    chx_write_u64(writer, (uint64_t) * ((const box *)value)->cell);
}
static bool box_decode(chx_reader *reader, void *value)
{
    uint64_t number;
    if (!chx_read_u64(reader, &number))
        return false;
    box *made = value;
    made->cell = malloc(sizeof *made->cell);
    *made->cell = (int)number;
    return true;
}
static void box_drop(void *value)
{
    free(((box *)value)->cell);
}
CHX_CODEC(box, box_encode, box_decode, box_drop);

choreography(store, (Client, Server),
    const char *Server.line(struct database *database, const char *name, const int *numbers, box box, struct ware ware,
                            int extra);
    def run(Server.struct database *database, Server.const char *name, Server.int numbers[2], Server.box box,
            Server.struct ware ware, {Client, Server}.int extra) -> Client.{int, const char *}, Server.const char * {
        Server.ware ~> Client.ware;
        return Client.{35 + extra, ware.name}, Server.line(database, name, numbers, box, ware, extra);
    }
    def nothing() {
        Client.(1) ~> Server._;
    }
)
#include "store.Client.chor.h"
#include "store.Server.chor.h"

const char *Server_line(struct database *database, const char *name, const int *numbers, box box, struct ware ware,
                        int extra)
{
    if (database == NULL)
        chx_fail("nothing is there");
    return chx_cstr(chx_strf("%d %s@ %d+%d x%d \"%s\"=%d %d", ++database->visits, name, numbers[0], numbers[1],
                             *box.cell, ware.name, ware.count, extra));
}

// ---- in place of libchorex-net ----

static struct {
    void *owned;
    const chx_role_arguments *given;
    const chx_choreography *choreography;
    size_t definition;
    chx_service service;
} served;

// Client is started with its own arguments; Server's are those that were served.
static struct store_run_args with_server(unsigned role, const void *arguments)
{
    const struct store_run_args *given = arguments;
    struct store_run_args all = *given;
    if (role == 0) {
        served.given->spread(&all, served.owned);
        all.chx_Client_extra = given->chx_Client_extra;
    }
    return all;
}

// The result of one role, moved out of those of all.
static void take(const chx_definition *definition, unsigned role, void *results, void *result, size_t size)
{
    for (size_t i = 0; i < definition->result_count; i++) {
        const chx_result_slot *slot = &definition->results[i];
        unsigned char *value = (unsigned char *)results + slot->offset;
        if (slot->role == role && result != NULL && slot->type->size == size)
            memcpy(result, value, size);
        else
            chx_value_drop(slot->type, value);
    }
}

chx_status chx_node_play(chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role,
                         const char *session, const void *arguments, void *result, size_t result_size)
{
    (void)node, (void)session;
    max_align_t results[32];
    struct store_run_args all = with_server(role, arguments);
    chx_status status = chx_run(choreography, definition, NULL, &all, results);
    if (status == CHX_OK)
        take(&choreography->definitions[definition], role, results, result, result_size);
    else if (result != NULL)
        memset(result, 0, result_size);
    return status;
}

chx_session *chx_node_start(chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role,
                            const char *session, const void *arguments)
{
    (void)node, (void)session;
    struct store_run_args all = with_server(role, arguments);
    return chx_start(NULL, choreography, definition, NULL, &all);
}

chx_status chx_node_finish(chx_session *session, void *result, size_t result_size)
{
    if (result != NULL)
        memset(result, 0, result_size);
    return chx_finish(session, NULL);
}

chx_status chx_node_serve(chx_node *node, const chx_choreography *choreography, size_t definition, unsigned role,
                          const chx_service *service, const void *arguments, const chx_role_arguments *given)
{
    (void)node, (void)role;
    if (arguments == NULL && given == NULL) {
        puts("no arguments");
        return CHX_OK;
    }
    served.owned = calloc(1, given->type->size);
    chx_value_copy(given->type, served.owned, arguments);
    served.given = given;
    served.choreography = choreography;
    served.definition = definition;
    served.service = *service;
    return CHX_OK;
}

static void visit(const char *peer)
{
    max_align_t own[32], all[32] = {0}, results[32];
    memcpy(own, served.owned, served.given->type->size);
    chx_visit who = {.peer = peer};
    if (!served.service.accept(served.service.context, &who, own)) {
        puts("refused: Server: not today");
        return;
    }
    served.given->spread(all, own);
    if (chx_run(served.choreography, served.definition, NULL, all, results) != CHX_OK)
        return;
    const char *line = NULL;
    take(&served.choreography->definitions[served.definition], 1, results, &line, sizeof line);
    puts(line);
    chx_value_drop(&chx_type_cstring, &line);
}

// ---- the program ----

static bool welcome(void *context, const chx_visit *visit, void *arguments)
{
    struct store_Server_arguments *mine = arguments;
    char name[16];
    snprintf(name, sizeof name, "%s", visit->peer);
    mine->database = context;
    if (strcmp(name, "Eve") == 0)
        return false;
    if (strcmp(name, "Bob") == 0) {
        static char other[16];
        mine->name = strcpy(other, name);
        mine->numbers[1] += 3;
    }
    return true;
}

static void serve(struct database *database)
{
    int numbers[2] = {1, 2}, nine = 9;
    char name[] = "Ada", ware[] = "pens";
    chx_service service = {.accept = welcome, .context = database};
    store_run_serve_Server(NULL, &service, NULL, name, numbers, (box){&nine}, (struct ware){ware, 3}, 7);
    // What was given can be used for something else.
    memset(name, 'x', sizeof name);
    memset(ware, 'y', sizeof ware);
    numbers[0] = numbers[1] = nine = -1;
}

int main(void)
{
    struct database database = {0};
    serve(&database);
    static const char *const visitors[] = {"Eve", "Ada", "Bob", "Ada"};
    for (size_t i = 0; i < sizeof visitors / sizeof visitors[0]; i++)
        visit(visitors[i]);

    int numbers[2] = {1, 2}, nine = 9;
    const char *line = "";
    database.visits = 0;
    if (store_run_as_Server(&line, NULL, NULL, &database, "Client", numbers, (box){&nine}, (struct ware){"pens", 3},
                            7) == CHX_OK)
        printf("Server: %s\n", line);
    store_run_as_Server_drop(&line);

    struct store_tuple_int_const_char_p result = {0};
    ((struct store_Server_arguments *)served.owned)->database = &database;
    if (store_run_as_Client(&result, NULL, NULL, 7) == CHX_OK)
        printf("Client: %d, %s\n", result.v0, result.v1);
    store_run_as_Client_drop(&result);
    ((struct store_Server_arguments *)served.owned)->database = NULL;
    result.v0 = 1;
    if (store_run_as_Client_wait(store_run_as_Client_start(NULL, NULL, 7), &result) == CHX_FAILED && result.v0 == 0)
        printf("failed: %s\n", chx_last_report()->why);

    chx_value_drop(served.given->type, served.owned);
    free(served.owned);
    return store_nothing_serve_Client(NULL, NULL) != CHX_OK;
}
