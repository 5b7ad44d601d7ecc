// probe.c: see probe.h.

#define _GNU_SOURCE
#include "tools/ping/probe.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

enum { FRAMES_MAX = 4096 };

static uint64_t clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

// False: the time is over.
static bool wait_for(const Secure *secure, uint64_t until_ns)
{
    uint64_t now_ns = clock_ns();
    struct pollfd ready = {.fd = secure_descriptor(secure), .events = secure_events(secure)};
    if (now_ns >= until_ns)
        return false;
    poll(&ready, 1, (int)((until_ns - now_ns) / 1000000) + 1);
    return true;
}

static bool establish(Secure *secure, uint64_t until_ns, char *why, size_t why_size)
{
    for (;;) {
        int result = secure_establish(secure);
        if (result == 0)
            return true;
        if (result != -EAGAIN || secure_check_deadline(secure, clock_ns()) || !wait_for(secure, until_ns)) {
            const char *reason = secure_why(secure);
            snprintf(why, why_size, "%s", reason[0] != '\0' ? reason : "it has not answered in time");
            return false;
        }
    }
}

static bool say_hello(Secure *secure, const char *own)
{
    WireHello hello = {.magic = WIRE_MAGIC,
                       .version = WIRE_VERSION,
                       .message_max = WIRE_MESSAGE_DEFAULT,
                       .dialled = 1,
                       .node = wire_text(own != NULL ? own : ""),
                       .build = wire_text("chorex ping")};
    WireBuffer buffer = {0};
    if (getrandom(&hello.incarnation, sizeof hello.incarnation, 0) < 0 ||
        getrandom(&hello.peer, sizeof hello.peer, 0) < 0 || !wire_encode(&buffer, WIRE_HELLO, 0, &hello))
        return false;
    struct iovec part = {buffer.data, buffer.size};
    bool is_sent = secure_write(secure, &part, 1) == (ssize_t)buffer.size;
    int result = is_sent ? secure_flush(secure) : -EIO;
    wire_buffer_fini(&buffer);
    return result == 0 || result == -EAGAIN;
}

static void copy_span(WireSpan span, char *text, size_t size)
{
    snprintf(text, size, "%.*s", (int)span.size, (const char *)span.data);
}

// The first frame that the node sends.
static bool take_answer(const WireRaw *raw, Probe *probe, char *why, size_t why_size)
{
    WireFrame frame;
    if (wire_decode(raw, &frame) != WIRE_GOOD || (raw->kind != WIRE_HELLO && raw->kind != WIRE_ERROR)) {
        snprintf(why, why_size, "it does not speak the protocol of nodes as this version of chorex does");
        return false;
    }
    if (raw->kind == WIRE_ERROR) {
        snprintf(why, why_size, "it refuses HELLO: %.*s", (int)frame.error.text.size,
                 (const char *)frame.error.text.data);
        return false;
    }
    probe->version = frame.hello.version;
    probe->message_max = frame.hello.message_max;
    copy_span(frame.hello.build, probe->build, sizeof probe->build);
    return true;
}

static bool hear_hello(Secure *secure, uint64_t until_ns, Probe *probe, char *why, size_t why_size)
{
    uint8_t bytes[FRAMES_MAX];
    size_t size = 0;
    WireRaw raw;
    WireVerdict verdict;
    for (;;) {
        secure_flush(secure);
        ssize_t count = secure_read(secure, bytes + size, sizeof bytes - size);
        if (count == -EAGAIN) {
            if (wait_for(secure, until_ns))
                continue;
            snprintf(why, why_size, "it accepts connections, but has not answered HELLO in time");
            return false;
        }
        if (count <= 0) {
            const char *reason = secure_why(secure);
            snprintf(why, why_size, "it has ended the connection before it has answered HELLO%s%s",
                     reason[0] != '\0' ? ": " : "", reason);
            return false;
        }
        size += (size_t)count;
        WireSplit split = wire_split(bytes, size, &raw, &verdict);
        if (split == WIRE_WHOLE)
            return take_answer(&raw, probe, why, why_size);
        if (split == WIRE_WRONG || size == sizeof bytes) {
            snprintf(why, why_size, "it does not speak the protocol of nodes");
            return false;
        }
    }
}

static void take_identity(const TlsPeer *peer, Probe *probe)
{
    size_t size;
    snprintf(probe->name, sizeof probe->name, "%s", peer->name != NULL ? peer->name : "");
    memcpy(probe->fingerprint, peer->fingerprint, sizeof probe->fingerprint);
    probe->valid_until = peer->valid_until;
    FILE *out = open_memstream(&probe->roles, &size);
    for (size_t i = 0; out != NULL && i < peer->role_count; i++)
        fprintf(out, "%s%s/%s", i > 0 ? ", " : "", peer->roles[i].choreography, peer->roles[i].role);
    if (out != NULL)
        fclose(out);
}

bool probe_run(const ProbeTarget *target, Probe *probe, char *why, size_t why_size)
{
    int error = 0;
    uint64_t begun_ns = clock_ns(), until_ns = begun_ns + target->patience_ns;
    *probe = (Probe){0};
    Secure *secure = secure_dial(&tcp_carrier, target->net, target->address, target->tls,
                                 &(TlsExpected){.node = target->node}, until_ns, &error);
    if (secure == NULL) {
        snprintf(why, why_size, "it can't be dialled: %s", strerror(error));
        return false;
    }
    bool is_good = establish(secure, until_ns, why, why_size);
    if (is_good) {
        secure_address(secure, probe->address, sizeof probe->address);
        take_identity(secure_peer(secure), probe);
        uint64_t said_ns = clock_ns();
        probe->connect_ns = said_ns - begun_ns;
        is_good = say_hello(secure, target->own) && hear_hello(secure, until_ns, probe, why, why_size);
        probe->round_ns = clock_ns() - said_ns;
    }
    secure_close(secure);
    return is_good;
}
