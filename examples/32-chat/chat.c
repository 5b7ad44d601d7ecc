// A chat with any number of clients: whoever says something is heard by all, without waiting for those who are silent.
//! no-process
//! seeds: 50
// expect: 1 client: everybody has heard 3 lines
// expect: 4 clients: everybody has heard 12 lines
// expect: 10 clients: everybody has heard 30 lines
#include <chorex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

choreography(chat, (Server, Client[]),
    bool Client.has_line(void);
    const char *Client.line(void);
    long Server.stamp(void);
    void Client.hear(size_t speaker, long number, const char *line);

    def run() {
        // An arm for each client: the server and those who listen take part in all of them.
        par (c : Client) {
            while (c.has_line()) {
                c.line() ~> Server.line;
                Server.{stamp(), line} ~> Client[*].{number, heard};
                Client[*].hear(c, number, heard);
            }
        }
    }
)

#include "chat.Client.chor.h"
#include "chat.Server.chor.h"

enum { LINES = 3, CLIENTS_MAX = 16 };

// Each member's own: no locks are needed, since a role is in one arm at a time.
typedef struct {
    int said;
    size_t heard;
    long last[CLIENTS_MAX]; // the number of the last line of each speaker
} memory;

static bool Client_has_line(void)
{
    return ((memory *)chx_context())->said < LINES;
}

static const char *Client_line(void)
{
    enum { LINE_SIZE = 64 };
    memory *mine = chx_context();
    char *line = chx_alloc(LINE_SIZE);
    snprintf(line, LINE_SIZE, "line %d of %s", mine->said++, chx_role_name());
    return line;
}

static void Client_hear(size_t speaker, long number, const char *line)
{
    memory *mine = chx_context();
    char expected[64];
    snprintf(expected, sizeof expected, "of Client[%zu]", speaker);
    // What one speaker says is heard in order.
    if (number <= mine->last[speaker] || strstr(line, expected) == NULL)
        chx_fail("heard %s out of order", line);
    mine->last[speaker] = number;
    mine->heard++;
}

static long Server_stamp(void)
{
    return ++*(long *)chx_context();
}

static int run(size_t clients)
{
    static memory memories[CLIENTS_MAX];
    chx_actor member[CLIENTS_MAX] = {{0}};
    long lines = 0;
    memset(memories, 0, sizeof memories);
    for (size_t i = 0; i < clients; i++)
        member[i].context = &memories[i];
    struct chat_cast cast = {.Server = {.context = &lines}, .Client = {.count = clients, .member = member}};
    if (chat_run(&cast) != CHX_OK) {
        fprintf(stderr, "%s: %s\n", chx_last_report()->role, chx_last_report()->why);
        return 1;
    }
    for (size_t i = 0; i < clients; i++)
        if (memories[i].heard != clients * LINES)
            printf("Client[%zu] has heard %zu lines\n", i, memories[i].heard);
    printf("%zu client%s: everybody has heard %ld lines\n", clients, clients == 1 ? "" : "s", lines);
    return 0;
}

int main(void)
{
    return run(1) != 0 || run(4) != 0 || run(10) != 0;
}
