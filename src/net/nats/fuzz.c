// fuzz.c: whatever is sent to the subjects of a stream over NATS, its end goes on by the rules or is broken, and keeps no more than
// its window. A libFuzzer target: a text for a subject, then messages, each with its length before it.

#include "base/check.h"
#include "net/nats/flow.h"
#include "net/nats/subject.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char client[] = "0123456789abcdef0123456789abcdef";

static void check_subject(const char *text)
{
    char subject[NATS_SUBJECT_SIZE];
    uint64_t number;
    bool is_pool;
    // A subject that was made of a name has no character in it that means something to NATS.
    if (nats_subject_of_address(text, subject, &is_pool)) {
        CHECK(strpbrk(subject + strlen("chorex.node."), ".*> \t\r\n") == NULL);
        CHECK(!nats_subject_is_stream(subject, &number));
    }
    if (nats_subject_is_own(text, client, &number)) {
        nats_subject_of_stream(client, number, subject);
        CHECK(strcmp(subject, text) == 0);
    }
}

static void check_encoding(const NatsMessage *message, const uint8_t *bytes, size_t size)
{
    uint8_t again[NATS_HEAD_MAX];
    bool is_greeting = message->kind == NATS_OPEN || message->kind == NATS_ACCEPT;
    if (is_greeting && message->version != NATS_VERSION)
        return;
    size_t head = nats_message_encode(message, again);
    CHECK(head + message->size == size && memcmp(again, bytes, head) == 0);
}

static void check_flow(NatsFlow *flow, uint8_t chance)
{
    const uint8_t *kept;
    NatsMessage message;
    size_t count = nats_flow_kept(flow, &kept);
    CHECK(count <= NATS_WINDOW && flow->kept_capacity <= NATS_WINDOW);
    CHECK(flow->out_bytes <= flow->out_limit && flow->in_bytes <= flow->in_limit);
    if (chance % 4 == 1)
        nats_flow_taken(flow, count / 2 + count % 2);
    if (chance % 4 == 2 && nats_flow_room(flow) > 0)
        nats_flow_data(flow, (nats_flow_room(flow) + 1) / 2);
    if (chance % 4 == 3 && nats_flow_credit(flow, &message))
        CHECK(message.limit == flow->in_limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    NatsFlow flow;
    NatsMessage message;
    NatsReason reason = 0;
    const uint8_t *end = memchr(data, '\0', size), *stop = data + size;
    if (end == NULL)
        return 0;
    check_subject((const char *)data);
    nats_flow_init(&flow, NATS_WINDOW);
    for (const uint8_t *at = end + 1; stop - at >= 3 && reason == 0;) {
        uint8_t chance = at[0];
        size_t length = (size_t)at[1] << 8 | at[2], left = (size_t)(stop - at) - 3;
        length = length < left ? length : left;
        // A copy of its own: a sanitizer sees a step beyond it.
        uint8_t *bytes = malloc(length + 1);
        memcpy(bytes, at + 3, length);
        uint8_t *exact = realloc(bytes, length > 0 ? length : 1);
        if (nats_message_decode(exact, length, &message)) {
            check_encoding(&message, exact, length);
            reason = nats_flow_take(&flow, &message);
            if (reason == 0)
                check_flow(&flow, chance);
        }
        free(exact);
        at += 3 + length;
    }
    nats_flow_fini(&flow);
    return 0;
}
