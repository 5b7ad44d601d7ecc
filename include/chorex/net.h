// chorex/net.h: choreographies whose roles are on several hosts. What users include besides chorex.h.
//
// A node is a process that takes part in sessions with others, over links that are encrypted and authenticated by certificates
// (`chorex certs`). Programs that include this are linked with `chorcc --libs=net`.

#ifndef CHOREX_NET_H
#define CHOREX_NET_H

#include <chorex.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct chx_node chx_node;

typedef struct {
    const char *config; // the configuration file; NULL: $CHOREX_NODE, else chorex.conf
    const char *set;    // settings that go before those of the file: "suspect=2s,listen=127.0.0.1:0"
} chx_node_options;

// Somebody who wants to take part in a session of a role that this node serves.
typedef struct {
    const char *peer;    // the name in the certificate; NULL: anonymous
    const char *session; // the name of the session; NULL: it has none
} chx_visit;

// How a role is served. A member left zero means its default.
typedef struct {
    unsigned sessions_max; // at once; 0: as many as the configuration says
    // May refuse a visitor (false), and may change the role's arguments for this session. NULL: everybody is welcome who has the
    // right to take part.
    bool (*accept)(void *chx_context, const chx_visit *, void *chx_arguments);
    void *context;
} chx_service;

// NULL options: the defaults. NULL: chx_last_report says why.
chx_node *chx_node_open(const chx_node_options *);
// After its sessions have ended. NULL is no node, and nothing is done.
void chx_node_close(chx_node *);
// Until chx_node_stop was called, and sessions have ended, or the time that they are given is over.
void chx_node_run(chx_node *);
// Nothing new is offered or accepted; sessions that there are have so long to end. A signal handler may call this.
void chx_node_stop(chx_node *, unsigned chx_linger_ms);

// In a program with a loop of its own, in place of chx_node_run: the work is done by the runtime's threads, and the descriptor becomes
// readable when there is something to hear from chx_node_step, which returns false when the node was stopped and has nothing to do any
// more. -1: no descriptor could be had.
int chx_node_fd(chx_node *);
bool chx_node_step(chx_node *);
// Reads the configuration again: certificates, addresses, limits, deny lines. What is wrong in it is logged, and then all stays as it
// was. A signal handler may call this.
void chx_node_reload(chx_node *);

// Before NAME_DEF_as_ROLE_wait, which waits for this node's role only: waits for the outcome of the whole session.
chx_status chx_session_await_all(chx_session *);

// ---- what carries bytes between nodes ----
//
// A stream carries bytes in both directions, in order until it breaks. Encryption and the protocol between nodes are above it. No
// function waits. Results below 0 are errors of errno.h, negated; -EAGAIN: wait for the descriptor, then try again.

typedef struct chx_net chx_net; // the surroundings of a node's carriers

typedef struct {
    const char *scheme; // "tcp"
    int (*listen)(chx_net *, const char *chx_address, void **chx_listener);
    int (*accept)(void *chx_listener, void **chx_stream); // -EAGAIN: nobody has called
    int (*dial)(chx_net *, const char *chx_address, void **chx_stream);
    // Until this has returned 0 a stream that was dialled can neither be read nor written, and its descriptor may change with each
    // call; it becomes readable when the next call is worth while. 0 at once for a stream that was accepted.
    int (*establish)(void *chx_stream);
    ssize_t (*read)(void *chx_stream, void *chx_data, size_t chx_size); // 0: the other side has closed it
    ssize_t (*write)(void *chx_stream, const struct iovec *chx_parts, int chx_count);
    int (*descriptor)(void *chx_stream); // -1: the simulated machine says when
    // Who is at the other end, and why the last call failed; both in words, NUL-terminated, cut if there is no room.
    void (*peer)(void *chx_stream, char *chx_text, size_t chx_size);
    void (*explain)(void *chx_stream, int chx_error, char *chx_text, size_t chx_size);
    void (*close)(void *chx_stream);
    int (*listener_descriptor)(void *chx_listener);
    // Where it can be dialled: with port 0 the system has chosen one.
    int (*listener_address)(void *chx_listener, char *chx_text, size_t chx_size);
    void (*close_listener)(void *chx_listener);
} chx_carrier_ops;

// ---- what emitted code calls ----
//
// Not for users: names here change with the version. What a choreography's interface has for roles on several hosts
// (NAME_DEF_as_ROLE, NAME_DEF_serve_ROLE, ...) is made of these.

struct chx_choreography;
struct chx_type;

// Members and parameters have plain names, which may be those of macros of the user's.
#include <chorex/names_begin.h>

// The arguments of one role, as a service has them: struct NAME_DEF_ROLE_arguments.
typedef struct {
    const struct chx_type *type;                // to copy and drop them
    size_t all_size;                            // of struct NAME_DEF_args, with the arguments of all roles
    void (*spread)(void *all, const void *own); // puts them there, where all other members are 0; nothing is copied
} chx_role_arguments;

// `arguments`: struct NAME_DEF_args, in which only the role's own are set; NULL: it has none. They are copied before this returns.
// `session`: its name; NULL: a new one. NULL is returned on failure, and chx_last_report says why.
chx_session *chx_node_start(chx_node *node, const struct chx_choreography *choreography, size_t definition,
                            unsigned role, const char *session, const void *arguments);
// Waits, then frees the session. `result` (may be NULL) is the role's own: set on CHX_OK, else zeroed. Without a session (NULL)
// it returns CHX_INVALID.
chx_status chx_node_finish(chx_session *session, void *result, size_t result_size);
// Both in one.
chx_status chx_node_play(chx_node *node, const struct chx_choreography *choreography, size_t definition, unsigned role,
                         const char *session, const void *arguments, void *result, size_t result_size);
// `arguments`: struct NAME_DEF_ROLE_arguments, which `given` describes; both NULL: it has none. They are copied before this returns;
// for each session `accept` gets a copy that owns nothing, and what it has made of it is copied into the role.
chx_status chx_node_serve(chx_node *node, const struct chx_choreography *choreography, size_t definition, unsigned role,
                          const chx_service *service, const void *arguments, const chx_role_arguments *given);

#include <chorex/names_end.h>

#ifdef __cplusplus
}
#endif

#endif
