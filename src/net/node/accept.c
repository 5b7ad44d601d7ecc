// accept.c: the listener, and connections of callers who have not said who they are.
//
// There are at most CALLS_MAX of them. More wait in the system's queue; then those who take too long have to go earlier than usual, so
// that somebody who calls and says nothing keeps nobody out for long.

#define _GNU_SOURCE

#include "net/node/internal.h"

#include "base/check.h"
#include "net/carrier/carrier.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

// Of the time that a handshake may take, this part is enough when others wait.
enum { HURRY = 5, FIRST_MAX = 1024 };

static uint64_t handshake_ns(const Peers *peers)
{
    return peers->config->limits.handshake_ms * 1000000;
}

// ---- the list of callers ----

// When the first of them has to be looked at.
static void calls_set_timer(Peers *peers)
{
    Calls *calls = &peers->calls;
    uint64_t patience = handshake_ns(peers) / (calls->is_paused ? HURRY : 1);
    timer_set(&peers->timers, &calls->timer, calls->first == NULL ? UINT64_MAX : calls->first->since_ns + patience);
}

void call_begin(Line *line, uint64_t now_ns)
{
    Calls *calls = &line->peers->calls;
    line->since_ns = now_ns;
    line->previous_call = calls->last;
    if (calls->last != NULL)
        calls->last->next_call = line;
    else
        calls->first = line;
    calls->last = line;
    calls->count++;
    if (calls->first == line)
        calls_set_timer(line->peers);
}

static void calls_listen(Peers *peers, bool is_paused)
{
    Calls *calls = &peers->calls;
    if (calls->is_paused == is_paused)
        return;
    calls->is_paused = is_paused;
    if (peers->poller >= 0) {
        struct epoll_event event = {.events = is_paused ? 0 : EPOLLIN, .data.u64 = 0};
        epoll_ctl(peers->poller, EPOLL_CTL_MOD, peers->carrier->listener_descriptor(calls->listener), &event);
    }
    calls_set_timer(peers);
}

static void calls_remove(Line *line)
{
    Calls *calls = &line->peers->calls;
    bool was_first = calls->first == line;
    if (line->previous_call != NULL)
        line->previous_call->next_call = line->next_call;
    else
        calls->first = line->next_call;
    if (line->next_call != NULL)
        line->next_call->previous_call = line->previous_call;
    else
        calls->last = line->previous_call;
    line->next_call = line->previous_call = NULL;
    calls->count--;
    if (was_first)
        calls_set_timer(line->peers);
    if (calls->is_paused && calls->count < CALLS_MAX && calls->listener != NULL)
        calls_listen(line->peers, false);
}

void call_failed(Line *line, const char *why)
{
    Peers *peers = line->peers;
    char address[300];
    secure_address(line->secure, address, sizeof address);
    // Its port says nothing.
    char *port = strrchr(address, ':');
    if (port != NULL)
        *port = '\0';
    say_rarely(peers, &peers->refusals, peers_now(peers), "a connection from %s was refused: %s", address, why);
    calls_remove(line);
    line_close(line);
}

static void calls_timer(Timer *timer, uint64_t now_ns)
{
    Peers *peers = (Peers *)(void *)((char *)timer - offsetof(Peers, calls.timer));
    Calls *calls = &peers->calls;
    while (calls->first != NULL && now_ns - calls->first->since_ns >= handshake_ns(peers)) {
        Line *line = calls->first;
        bool is_in_tls = secure_check_deadline(line->secure, now_ns);
        call_failed(line, is_in_tls ? secure_why(line->secure) : "it did not say HELLO in time");
    }
    calls_set_timer(peers);
    if (calls->is_paused)
        calls_ready(peers, now_ns);
}

// ---- accepting ----

// True: there is a place.
static bool calls_make_room(Peers *peers, uint64_t now_ns)
{
    Calls *calls = &peers->calls;
    if (calls->count < CALLS_MAX)
        return true;
    if (now_ns - calls->first->since_ns < handshake_ns(peers) / HURRY)
        return false;
    call_failed(calls->first, "others wait, and it took too long to say who it is");
    return true;
}

// True: there may be more.
static bool accept_one(Peers *peers, uint64_t now_ns)
{
    void *stream;
    int result = peers->carrier->accept(peers->calls.listener, &stream);
    if (result == -EAGAIN)
        return false;
    if (result != 0) {
        say_rarely(peers, &peers->refusals, now_ns, "a connection could not be accepted: %s", strerror(-result));
        return result == -EMFILE || result == -ENFILE; // these were turned away
    }
    Secure *secure =
        secure_accept(peers->carrier, stream, peers->tls, peers->accepts_anonymous, now_ns + handshake_ns(peers));
    Line *line = secure == NULL ? NULL : line_new(peers, secure, LINE_CALLING);
    if (line == NULL) {
        say_rarely(peers, &peers->refusals, now_ns, "a connection was refused: there is no memory for it");
        return true;
    }
    call_begin(line, now_ns);
    if (!line_watch(line))
        call_failed(line, strerror(errno));
    return true;
}

void calls_ready(Peers *peers, uint64_t now_ns)
{
    if (peers->calls.listener == NULL)
        return;
    // A bound, so that whoever is connected has his turn, too.
    for (int i = 0; i < CALLS_MAX; i++) {
        if (!calls_make_room(peers, now_ns)) {
            calls_listen(peers, true);
            return;
        }
        if (!accept_one(peers, now_ns))
            break;
    }
    calls_listen(peers, false);
}

// ---- who it is ----

static void call_is_named(Line *line, const TlsPeer *identity, uint64_t now_ns)
{
    Peers *peers = line->peers;
    if (strcmp(identity->name, peers->name) == 0) {
        call_failed(line, "it has this node's own name: two nodes must not share one");
        return;
    }
    if (line->relay != NULL && !relay_is_from(line, identity->name)) {
        call_failed(line, "it is not the one that the relay has announced");
        return;
    }
    // TLS has looked, too, but perhaps before the configuration was read again.
    if (config_denies(peers->config, identity->name)) {
        call_failed(line, "the configuration denies it");
        return;
    }
    WireSpan name = wire_text(identity->name);
    Peer *peer = table_named(&peers->table, name);
    if (peer == NULL)
        peer = peer_new_named(peers, name);
    if (peer == NULL || !peer_identify(peer, identity)) {
        call_failed(line, "there is no memory for it");
        return;
    }
    const char *known = carrier_address_of(peers->config, peer->name);
    if (known != NULL)
        peer_set_address(peer, wire_text(known));
    calls_remove(line);
    bond_accept(peer->bond, line, now_ns);
}

void call_established(Line *line, uint64_t now_ns)
{
    const TlsPeer *identity = secure_peer(line->secure);
    if (identity == NULL) {
        call_failed(line, "the connection has ended");
    } else if (identity->name != NULL) {
        call_is_named(line, identity, now_ns);
    } else {
        line->state = LINE_ANONYMOUS;
        line->first = malloc(FIRST_MAX);
        if (line->first == NULL)
            call_failed(line, "there is no memory for it");
        else
            line_try_again(line);
    }
}

// All of the first frame is there.
static void call_is_anonymous(Line *line, const WireRaw *raw, uint64_t now_ns)
{
    Peers *peers = line->peers;
    WireFrame frame;
    bool is_hello = raw->kind == WIRE_HELLO && wire_decode(raw, &frame) == WIRE_GOOD &&
                    frame.hello.magic == WIRE_MAGIC && !wire_id_is_zero(&frame.hello.incarnation);
    if (!is_hello) {
        call_failed(line, "it does not begin with a HELLO of this version");
        return;
    }
    Peer *peer =
        peers_is_broken(PEERS_BROKEN_ANONYMOUS_NEW) ? NULL : table_incarnated(&peers->table, &frame.hello.incarnation);
    if (peer == NULL && peers->anonymous_count >= peers->config->limits.sessions_max) {
        call_failed(line, "there are too many anonymous nodes ('sessions_max')");
        return;
    }
    if (peer == NULL)
        peer = peer_new_anonymous(peers, &frame.hello.incarnation);
    if (peer == NULL) {
        call_failed(line, "there is no memory for it");
        return;
    }
    if (peer->bond->link.state == LINK_NEW)
        peer_watch_absence(peer, now_ns);
    calls_remove(line);
    Bond *bond = peer->bond;
    bond_accept(bond, line, now_ns);
    if (line->state == LINE_CLOSED)
        return;
    uint8_t first[FIRST_MAX];
    size_t size = line->first_size;
    memcpy(first, line->first, size);
    free(line->first);
    line->first = NULL;
    bond_input(line->bond, line, first, size, now_ns);
}

void call_read(Line *line, uint64_t now_ns)
{
    ssize_t count = secure_read(line->secure, line->first + line->first_size, FIRST_MAX - line->first_size);
    if (count == -EAGAIN)
        return;
    if (count <= 0) {
        call_failed(line, count == 0 ? "it has ended before HELLO" : secure_why(line->secure));
        return;
    }
    line->first_size += (size_t)count;
    WireRaw raw;
    WireVerdict verdict;
    WireSplit split = wire_split(line->first, line->first_size, &raw, &verdict);
    if (split == WIRE_WHOLE)
        call_is_anonymous(line, &raw, now_ns);
    else if (split == WIRE_WRONG || raw.size > FIRST_MAX)
        call_failed(line, "it does not begin with HELLO");
    else
        line_try_again(line);
}

// ---- the listener ----

static void explain_listening(const Peers *peers, int error, char *why, size_t why_size)
{
    const char *address = carrier_own_address(peers->config);
    if (error == EADDRINUSE)
        snprintf(why, why_size, "'listen = %s': another program listens there; choose another port, or end it",
                 address);
    else if (error == EADDRNOTAVAIL)
        snprintf(why, why_size, "'listen = %s': this machine has no such address; 0.0.0.0 stands for all that it has",
                 address);
    else if (error == EACCES)
        snprintf(why, why_size, "'listen = %s': not allowed; choose a port above 1023", address);
    else
        snprintf(why, why_size, "'listen = %s': %s", address, strerror(error));
}

bool calls_open(Peers *peers, char *why, size_t why_size)
{
    Calls *calls = &peers->calls;
    const char *address = carrier_own_address(peers->config);
    calls->timer.run = calls_timer;
    if (!timers_promise(&peers->timers)) {
        snprintf(why, why_size, "there is no memory");
        return false;
    }
    if (address == NULL)
        return true;
    if (peers->name[0] == '\0') {
        snprintf(why, why_size, "'listen = %s': a node that listens needs a 'name' and a certificate for it", address);
        return false;
    }
    int result = peers->carrier->listen(peers->net, address, &calls->listener);
    if (result != 0) {
        calls->listener = NULL;
        explain_listening(peers, -result, why, why_size);
        return false;
    }
    peers->carrier->listener_address(calls->listener, calls->address, sizeof calls->address);
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = 0};
    if (peers->poller >= 0 &&
        epoll_ctl(peers->poller, EPOLL_CTL_ADD, peers->carrier->listener_descriptor(calls->listener), &event) != 0) {
        snprintf(why, why_size, "'listen = %s': %s", address, strerror(errno));
        return false;
    }
    return true;
}

void calls_close(Peers *peers)
{
    Calls *calls = &peers->calls;
    while (calls->first != NULL) {
        Line *line = calls->first;
        calls_remove(line);
        line_close(line);
    }
    if (calls->listener != NULL)
        peers->carrier->close_listener(calls->listener);
    calls->listener = NULL;
    timer_set(&peers->timers, &calls->timer, UINT64_MAX);
}
