// nats.c: the same messages between two clients of a NATS server, over TLS. See pair.h. Round trips are requests and replies.
// NATS_URL is the server's address; DIRECTORY has the authority's certificate. Core NATS has no flow control from end to end: in a stream
// the receiver says after each 1,000 messages that it has them, and the sender is never more than 4,000 ahead.

#include "bench/links/pair.h"

#include <nats/nats.h>

enum { SAID_EVERY = 1000, AHEAD_MAX = 4000 };

static void check(natsStatus status, const char *what)
{
    if (status == NATS_OK)
        return;
    fprintf(stderr, "links/nats: %s: %s\n", what, natsStatus_GetText(status));
    exit(1);
}

static natsConnection *open_connection(const PairTask *task)
{
    char path[300];
    natsOptions *options;
    natsConnection *connection;
    snprintf(path, sizeof path, "%s/ca.pem", task->directory);
    check(natsOptions_Create(&options), "options");
    check(natsOptions_SetURL(options, getenv("NATS_URL")), "NATS_URL");
    check(natsOptions_SetSecure(options, true), "TLS");
    check(natsOptions_LoadCATrustedCertificates(options, path), "ca.pem");
    check(natsOptions_SetExpectedHostname(options, "localhost"), "the name of the server");
    // What is sent leaves at once, not by another thread.
    check(natsOptions_SetSendAsap(options, !task->is_stream), "sending at once");
    check(natsConnection_Connect(&connection, options), "connecting");
    return connection;
}

static void run_far(const PairTask *task, natsConnection *connection, int ready, const void *bytes)
{
    natsSubscription *subscription;
    natsMsg *message;
    check(natsConnection_SubscribeSync(&subscription, connection, "bench"), "subscribing");
    check(natsSubscription_SetPendingLimits(subscription, -1, -1), "limits");
    check(natsConnection_Flush(connection), "subscribing");
    if (write(ready, "", 1) != 1)
        exit(1);
    for (long i = 1;; i++) {
        check(natsSubscription_NextMsg(&message, subscription, 60000), "receiving");
        if (!task->is_stream)
            check(natsConnection_Publish(connection, natsMsg_GetReply(message), bytes, (int)task->size), "answering");
        else if (i % SAID_EVERY == 0 || i == task->count)
            check(natsConnection_PublishString(connection, "said", ""), "answering");
        natsMsg_Destroy(message);
    }
}

static void stream(const PairTask *task, natsConnection *connection, natsSubscription *said, const void *bytes)
{
    natsMsg *message;
    long known = 0;
    for (long i = 0; i < task->count; i++) {
        check(natsConnection_Publish(connection, "bench", bytes, (int)task->size), "sending");
        if (i + 1 - known < AHEAD_MAX && i + 1 < task->count)
            continue;
        check(natsConnection_Flush(connection), "sending");
        do {
            check(natsSubscription_NextMsg(&message, said, 60000), "an answer");
            natsMsg_Destroy(message);
            known = known + SAID_EVERY < task->count ? known + SAID_EVERY : task->count;
        } while (i + 1 == task->count && known < task->count);
    }
}

int main(int argc, char **argv)
{
    PairTask task = pair_task(argc, argv);
    int ends[2];
    char *bytes = calloc(1, task.size + 1), byte;
    bool is_far = pair_fork(ends);
    natsConnection *connection = open_connection(&task);
    natsSubscription *said;
    natsMsg *reply;
    if (is_far)
        run_far(&task, connection, ends[1], bytes);
    check(natsConnection_SubscribeSync(&said, connection, "said"), "subscribing");
    check(natsConnection_Flush(connection), "subscribing");
    if (read(ends[0], &byte, 1) != 1)
        return 1;
    Measure measure = measure_begin();
    if (task.is_stream)
        stream(&task, connection, said, bytes);
    for (long i = 0; !task.is_stream && i < task.count; i++) {
        check(natsConnection_Request(&reply, connection, "bench", bytes, (int)task.size, 60000), "a request");
        natsMsg_Destroy(reply);
    }
    measure_end(&measure);
    measure_print(&measure);
    return 0;
}
