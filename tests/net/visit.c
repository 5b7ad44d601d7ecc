// visit.c: a service and its clients, for what can go wrong between them.
//
//   visit serve SESSIONS_MAX         the node that decides is Server's
//   visit ask NUMBER [SESSION]       prints the answer; 0: Server answers when there is a file `gate`
//   visit twice NUMBER               asks, then asks again when there is a file `gate`
//   visit late NUMBER                opens its node, and asks a second later
//   visit crowd COUNT                has so many sessions at once

#define _POSIX_C_SOURCE 200809L
#include <chorex.h>
#include <chorex/net.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION 1
#endif

#if VERSION == 3 // survives the loss of a server
choreography(visit, (Client, Server),
    int Server.answer(int number);
    def run(Client.int number) -> Client.int {
        Client.int answer = 0;
        checkpoint retry 5 {
            Client.number ~> Server.number;
            Server.answer(number) ~> Client.answer;
        } rescue {
            Client.answer = -1;
        }
        return Client.answer;
    }
)
#elif VERSION == 1
choreography(visit, (Client, Server),
    int Server.answer(int number);
    def run(Client.int number) -> Client.int {
        Client.number ~> Server.number;
        Server.answer(number) ~> Client.answer;
        return Client.answer;
    }
)
#else
choreography(visit, (Client, Server),
    int Server.answer(int number);
    def run(Client.int number) -> Client.int {
        Client.number ~> Server.number;
        Server.answer(number) ~> Client.answer;
        Client.answer ~> Server.number;
        Server.answer(number) ~> Client.answer;
        return Client.answer;
    }
)
#endif
#include "visit.Client.chor.h"
#include "visit.Server.chor.h"

int Server_answer(int number)
{
    if (number == 0 && access("gate", F_OK) != 0) {
        printf("asked\n");
        chx_again_after(10000000);
    }
    return number * 2;
}

static chx_node *node;

static void stop(int number)
{
    (void)number;
    chx_node_stop(node, 1000);
}

static int refuse(chx_status status)
{
    const chx_report *report = chx_last_report();
    printf("%s: %s: %s\n", chx_status_text(status), report->role, report->why);
    return 1;
}

static int serve(unsigned sessions_max)
{
    signal(SIGTERM, stop);
    chx_status status = visit_run_serve_Server(node, &(chx_service){.sessions_max = sessions_max});
    if (status != CHX_OK)
        return refuse(status);
    printf("serves\n");
    chx_node_run(node);
    return 0;
}

static int ask(int number, const char *session)
{
    int answer;
    chx_status status = visit_run_as_Client(&answer, node, session, number);
    if (status != CHX_OK)
        return refuse(status);
    printf("answer %d\n", answer);
    return 0;
}

static int crowd(int count)
{
    chx_session **sessions = calloc((size_t)count, sizeof(chx_session *));
    int good = 0, answer;
    for (int i = 0; i < count; i++)
        sessions[i] = visit_run_as_Client_start(node, NULL, i + 1);
    for (int i = 0; i < count; i++) {
        chx_status status = visit_run_as_Client_wait(sessions[i], &answer);
        if (status != CHX_OK)
            refuse(status);
        good += status == CHX_OK && answer == 2 * (i + 1);
    }
    free(sessions);
    printf("%d good\n", good);
    return good < count;
}

int main(int argc, char **argv)
{
    static const struct timespec pause = {0, 10000000}, second = {1, 0};
    setvbuf(stdout, NULL, _IOLBF, 0);
    node = chx_node_open(NULL);
    if (node == NULL)
        return refuse(CHX_INVALID);
    int code = 2, number = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(argv[1], "serve") == 0)
        code = serve((unsigned)number);
    else if (strcmp(argv[1], "ask") == 0)
        code = ask(number, argc > 3 ? argv[3] : NULL);
    else if (strcmp(argv[1], "late") == 0)
        code = nanosleep(&second, NULL) | ask(number, NULL);
    else if (strcmp(argv[1], "crowd") == 0)
        code = crowd(number);
    else if (strcmp(argv[1], "twice") == 0) {
        code = ask(number, NULL);
        while (access("gate", F_OK) != 0)
            nanosleep(&pause, NULL);
        code |= ask(number, NULL);
    }
    chx_node_close(node);
    return code;
}
