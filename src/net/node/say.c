// say.c: what is logged about peers, once and not too often.

#include "net/node/internal.h"

#include <stdarg.h>
#include <stdio.h>

static const uint64_t sayings_ns = UINT64_C(60) * 1000000000;

void peer_describe(const Peer *peer, char *text, size_t size)
{
    if (peer->name != NULL)
        snprintf(text, size, "node '%s'", peer->name);
    else if (peer->place != NULL)
        snprintf(text, size, "the node at %s", peer->place);
    else
        snprintf(text, size, "an anonymous node");
}

static void say(Peers *peers, const char *text)
{
    if (peers->handlers->log != NULL)
        peers->handlers->log(peers->context, text);
}

void say_problem(Peer *peer, const char *format, ...)
{
    char text[WHY_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool is_new = !peer->has_complained || strcmp(text, peer->why) != 0;
    peer->has_complained = true;
    memcpy(peer->why, text, sizeof text);
    if (is_new)
        say(peer->peers, text);
}

void say_solved(Peer *peer)
{
    if (!peer->has_complained)
        return;
    char text[WHY_SIZE], who[WHY_SIZE / 2];
    peer->has_complained = false;
    peer_describe(peer, who, sizeof who);
    snprintf(text, sizeof text, "%s: there is a connection now", who);
    say(peer->peers, text);
}

void say_always(Peers *peers, const char *format, ...)
{
    char text[WHY_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    say(peers, text);
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001B3);
    return hash;
}

void say_rarely(Peers *peers, Sayings *sayings, uint64_t now_ns, const char *format, ...)
{
    char text[WHY_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (sayings->count > 0 && now_ns - sayings->since_ns >= sayings_ns) {
        if (sayings->left_out > 0)
            say_always(peers, "%u more lines like these were left out", sayings->left_out);
        sayings->count = 0;
    }
    if (sayings->count == 0)
        *sayings = (Sayings){.since_ns = now_ns};
    uint64_t hash = hash_of(text);
    bool is_known = false;
    for (unsigned i = 0; i < sayings->count; i++)
        is_known = is_known || sayings->said[i] == hash;
    if (is_known || sayings->count == SAYINGS_MAX) {
        sayings->left_out++;
        return;
    }
    sayings->said[sayings->count++] = hash;
    say(peers, text);
}
