// message.c: see message.h.

#include "net/nats/message.h"

#include "base/check.h"
#include "net/wire/wire.h"

static bool decode_greeting(const uint8_t *bytes, size_t size, NatsMessage *message)
{
    if (size < 2)
        return false;
    message->version = bytes[1];
    if (message->version != NATS_VERSION)
        return true;
    if (size != 6)
        return false;
    message->window = (uint32_t)wire_get(bytes + 2, 4);
    return message->window >= NATS_WINDOW_MIN && message->window <= NATS_WINDOW_MAX;
}

bool nats_message_decode(const uint8_t *bytes, size_t size, NatsMessage *message)
{
    *message = (NatsMessage){0};
    if (size == 0)
        return false;
    message->kind = bytes[0];
    if (message->kind == NATS_OPEN || message->kind == NATS_ACCEPT)
        return decode_greeting(bytes, size, message);
    if (message->kind == NATS_RESET) {
        message->reason = size == 2 ? bytes[1] : 0;
        return message->reason > 0 && message->reason < NATS_BECAUSE_REASONS;
    }
    if (size < NATS_DATA_HEAD)
        return false;
    message->number = wire_get(bytes + 1, 8);
    switch (message->kind) {
    case NATS_DATA:
        message->data = bytes + NATS_DATA_HEAD;
        message->size = size - NATS_DATA_HEAD;
        return message->size > 0 && message->size <= NATS_DATA_MAX;
    case NATS_CREDIT:
        message->limit = size == NATS_HEAD_MAX ? wire_get(bytes + NATS_DATA_HEAD, 8) : 0;
        return size == NATS_HEAD_MAX;
    case NATS_FIN:
        return size == NATS_DATA_HEAD;
    default:
        return false;
    }
}

size_t nats_message_encode(const NatsMessage *message, uint8_t bytes[static NATS_HEAD_MAX])
{
    uint8_t *at = wire_put(bytes, message->kind, 1);
    switch (message->kind) {
    case NATS_OPEN:
    case NATS_ACCEPT:
        at = wire_put(at, message->version, 1);
        at = wire_put(at, message->window, 4);
        break;
    case NATS_RESET:
        at = wire_put(at, message->reason, 1);
        break;
    case NATS_CREDIT:
        at = wire_put(at, message->number, 8);
        at = wire_put(at, message->limit, 8);
        break;
    case NATS_DATA:
    case NATS_FIN:
        at = wire_put(at, message->number, 8);
        break;
    default:
        CHECK(false);
    }
    return (size_t)(at - bytes);
}
