// chorex.h: restartable choreographies in C. What users include.
//
// A choreography stands in a C file as the arguments of the macro `choreography`, which is empty for the C compiler;
// `chorcc` reads it and writes the companion headers. See docs/language.md and docs/runtime.md.

#ifndef CHOREX_H
#define CHOREX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHX_VERSION "0.1.0"

#define choreography(...)

#if defined(__GNUC__)
#define CHX_PRINTF(text, first) __attribute__((__format__(__printf__, text, first)))
#define CHX_UNUSED __attribute__((__unused__))
#define CHX_PURE __attribute__((__pure__))
#else
#define CHX_PRINTF(text, first)
#define CHX_UNUSED
#define CHX_PURE
#endif

// `noreturn` may be a macro: <stdnoreturn.h> makes it one.
#if defined(__GNUC__)
#define CHX_NORETURN __attribute__((__noreturn__))
#elif !defined(__cplusplus)
#define CHX_NORETURN _Noreturn
#else
#define CHX_NORETURN
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    CHX_OK,
    CHX_FAILED,    // a role failed outside of every checkpoint: the report says which, why and where
    CHX_UNCAST,    // a role has no implementation
    CHX_NO_MEMORY, // also: no threads, no processes, no stack
    CHX_INVALID,   // the caller's mistake: a cast for another choreography, an unsupported mode, no session, ...
    CHX_CANCELLED, // chx_session_cancel
    CHX_REFUSED,   // another host refused it: its version, its rights, its limits
} chx_status;
const char *chx_status_text(chx_status);

typedef struct chx_role chx_role;
typedef struct chx_session chx_session;
typedef struct chx_runtime chx_runtime;

typedef enum { CHX_THREAD, CHX_PROCESS } chx_isolation;

// What a role in a process of its own may do; see docs/security.md. A member left zero takes nothing away.
typedef enum {
    CHX_FILTER_NONE,
    CHX_FILTER_STRICT, // computing, memory, time, and descriptors that its init hook has opened; anything else kills it
    CHX_FILTER_CUSTOM, // `program`
} chx_filter;
typedef struct {
    int resource;        // RLIMIT_...
    uint64_t soft, hard; // UINT64_MAX: no limit
} chx_limit;
enum {
    CHX_NAMESPACE_USER = 1,
    CHX_NAMESPACE_MOUNT = 2,
    CHX_NAMESPACE_NET = 4,
    CHX_NAMESPACE_IPC = 8,
    CHX_NAMESPACE_UTS = 16,
};
struct sock_filter;
typedef struct {
    bool set_user; // to `user` and `group`, without other groups
    uint32_t user, group;
    unsigned namespaces;     // new ones of its own: CHX_NAMESPACE_...
    const char *root;        // a directory that becomes its root; NULL: the program's
    const chx_limit *limits; // limit_count of them
    size_t limit_count;
    bool no_new_privs; // with a filter always
    chx_filter filter; // in force after the role's init hook
    const struct sock_filter *program;
    size_t program_length;
} chx_sandbox;
extern const chx_sandbox chx_sandbox_strict; // no_new_privs and the strict filter

typedef struct {
    const chx_role *role; // NULL: the implementation linked into the program
    chx_isolation isolation;
    void *context;         // chx_context() in the role's functions (thread mode)
    unsigned restarts_max; // 0: unlimited
    unsigned restarts_period_ms;
    const chx_sandbox *sandbox; // of a role with CHX_PROCESS; copied when the session starts. NULL: no restrictions
    const char *at; // on another host: "bank.example.org:7741", or "pool" (chorex/net.h); NULL: in this program
} chx_actor;

// The members of a family of roles: `Worker[]`.
typedef struct {
    size_t count;
    chx_actor each;          // all of them
    const chx_actor *member; // or each by itself: `count` of them; NULL: `each`
} chx_family;

typedef enum {
    CHX_FAULT_NONE = -1,
    CHX_FAULT_FAIL,     // chx_fail
    CHX_FAULT_SIGNAL,   // a fatal signal
    CHX_FAULT_PATTERN,  // a received value that is not the expected one
    CHX_FAULT_EXIT,     // the role's process ended, or its thread (pthread_exit)
    CHX_FAULT_DEADLINE, // checkpoint within ...
    CHX_FAULT_SYSTEM,   // no implementation, no memory, cancelled, a mistake in the call
    CHX_FAULT_AGREE,    // {A, B}.k = agree(...): the values differ
    CHX_FAULT_LOST,     // no contact with the host of the role
} chx_fault_kind;

// Why a session or a step failed. Strings are never NULL.
typedef struct {
    const char *role;
    chx_fault_kind kind;
    int signal;
    const char *why;  // chx_fail's text, a signal's name, ...
    const char *file; // the step, in the choreography
    int line;         // 0: no step is to blame; the session could not begin, or the role had not begun its first step
    unsigned restarts;
} chx_report;
const chx_report *chx_session_report(const chx_session *); // NULL: it has not failed
const chx_report *chx_last_report(void);                   // of this thread's last NAME_DEF, _start or _wait

// Writes down what roles do, to this file, until chx_trace_stop: of all sessions of the process that begin meanwhile. A name that ends in
// ",values" (which is not part of it) has the values of messages recorded, too. CHX_INVALID: it can't be written, and errno says why;
// EBUSY: there is one already. docs/trace.md
chx_status chx_trace_start(const char *chx_path);
void chx_trace_stop(void);

// `fault` in a rescue.
typedef struct {
    const char *role;
    chx_fault_kind kind;
    int signal;
    const char *why;
    const char *file;
    int line;
} chx_fault;

typedef enum { CHX_LOG_DEBUG, CHX_LOG_INFO, CHX_LOG_WARN, CHX_LOG_ERROR, CHX_LOG_OFF } chx_log_level;

typedef struct {
    unsigned workers; // 0: one per core
    bool signals;     // install handlers so that a fatal signal in a role is a failure, not the program's end
    void (*log)(void *chx_context, chx_log_level, const char *chx_text); // NULL: standard error
    void *log_context;
    void *(*allocate)(void *chx_context, void *chx_old,
                      size_t chx_size); // realloc; size 0 frees. NULL: the C library's
    void *allocate_context;
    uint32_t channel_messages; // bound of each channel; 0: 1024
    size_t channel_bytes;      // 0: 1 MiB; a larger message passes when the channel is empty
    struct chx_store *store; // where sessions with durable blocks are kept (chorex/store.h); NULL: CHOREX_STORE says it
    bool abort_ends_program; // with `signals`: SIGABRT (abort, a failed assert) in a role ends the program all the same
} chx_runtime_options;
chx_runtime *chx_runtime_new(const chx_runtime_options *); // NULL options: all defaults; NULL on failure
void chx_runtime_free(chx_runtime *);                      // after its sessions

// NULL is no session: these do nothing, and NAME_DEF_wait returns CHX_INVALID.
int chx_session_fd(chx_session *);       // readable when the session has ended; -1: no descriptor to be had
bool chx_session_is_over(chx_session *); // NAME_DEF_wait returns at once
void chx_session_cancel(chx_session *);  // it ends with CHX_CANCELLED

// ---- inside a role's functions ----

CHX_NORETURN void chx_fail(const char *chx_format, ...) CHX_PRINTF(1, 2);
void *chx_context(void);
const char *chx_role_name(void);
size_t chx_role_index(void);      // which member of its family the role is, from 0 on; 0 for a role that is none
void *chx_alloc(size_t chx_size); // zeroed; lives until this role's session ends
typedef struct {
    uint64_t high, low;
} chx_effect;
chx_effect chx_effect_id(void);                                  // of this step; the same when it is tried again
chx_effect chx_effect_for(const void *chx_key, size_t chx_size); // of one of several effects of this step
// With roles on several hosts (chorex/net.h): who plays that role, by the name in the certificate of its host; NULL if it has
// none, is played in this program, or there is no such role. The string stays until the session ends.
const char *chx_peer(const char *chx_role_);
// Greater for each instance of this role in this session that takes the place of a lost one, which may go on without knowing it:
// whoever gets it with an effect can refuse what comes with a smaller one. In a session that is kept in a store, greater for each
// program that goes on with it. 0 for others.
uint64_t chx_fence(void);

// Waiting for the outside without a thread: the step ends without a result, nothing that it has made is kept, and it is called
// again, from its beginning and with the same arguments, when the descriptor is ready (`events` as for poll), the time has
// passed, or the session is over. If the role is called back or its session ends meanwhile, it is not called again.
CHX_NORETURN void chx_again_when(int chx_fd, short chx_events);
CHX_NORETURN void chx_again_after(uint64_t chx_ns);
CHX_NORETURN void chx_again_when_over(chx_session *);
// For a function that has to wait by itself: readable as soon as this role is called back or its session ends. It belongs to the
// role: don't read or close it. -1: no descriptor to be had.
int chx_recall_fd(void);

// ---- counted immutable strings and bytes ----
//
// Made inside a role's function or local step they belong to the step and are released at its end unless bound, sent or
// returned; made elsewhere the caller drops them. {0} is the empty one. Without memory a role fails; elsewhere .text of what
// chx_strf or, for a size above 0, chx_str_new and chx_bytes_new return is NULL.

// Users don't name the members of these.
#include <chorex/names_begin.h>
typedef struct {
    const struct chx_text *text;
} chx_str;
typedef struct {
    const struct chx_text *text;
} chx_bytes;
typedef struct chx_writer chx_writer;
typedef struct chx_reader chx_reader;
typedef struct {
    void (*encode)(chx_writer *, const void *chx_value);
    bool (*decode)(chx_reader *, void *chx_value); // false: malformed
    void (*drop)(void *chx_value);
} chx_codec;
#include <chorex/names_end.h>

chx_str chx_str_new(const void *chx_data, size_t chx_size);
chx_str chx_strf(const char *chx_format, ...) CHX_PRINTF(1, 2);
const char *chx_cstr(chx_str) CHX_PURE; // always NUL-terminated
size_t chx_str_len(chx_str) CHX_PURE;
bool chx_str_equal(chx_str, chx_str) CHX_PURE;               // by text
bool chx_cstring_equal(const char *, const char *) CHX_PURE; // the same for C strings; NULL equals only NULL
chx_str chx_str_keep(chx_str);
void chx_str_drop(chx_str);

chx_bytes chx_bytes_new(const void *chx_data, size_t chx_size);
const void *chx_bytes_data(chx_bytes) CHX_PURE;
size_t chx_bytes_len(chx_bytes) CHX_PURE;
bool chx_bytes_equal(chx_bytes, chx_bytes) CHX_PURE;
chx_bytes chx_bytes_keep(chx_bytes);
void chx_bytes_drop(chx_bytes);

// ---- codecs of the user's own types ----
//
// CHX_CODEC(type, encode, decode, drop), at file scope before the choreography, makes `type` sendable. A copy is made
// by encoding and decoding; a variable owns its value and drops it. A function that returns such a value gives it away.

void chx_write(chx_writer *, const void *chx_data, size_t chx_size);
void chx_write_u64(chx_writer *, uint64_t chx_number);
bool chx_read(chx_reader *, void *chx_data, size_t chx_size); // false: there is not so much
bool chx_read_u64(chx_reader *, uint64_t *chx_number);
const void *chx_read_view(chx_reader *, size_t chx_size); // NULL: there is not so much

#define CHX_PASTE_(a, b) a##b
#define CHX_PASTE(a, b) CHX_PASTE_(a, b)

// Nobody but chorcc looks at the names that this makes: companions name the functions. The functions take `const type *` and `type *` as void pointers: encode(chx_writer *, const void *), ...
#define CHX_CODEC(type, encode, decode, drop) CHX_CODEC_(type, encode, decode, drop, __COUNTER__)
#define CHX_CODEC_(type, encode, decode, drop, number)                                                                 \
    typedef type CHX_PASTE(chx_codec_type_, number) CHX_UNUSED;                                                        \
    static const chx_codec CHX_PASTE(chx_codec_object_, number) CHX_UNUSED = {encode, decode, drop}

#ifdef __cplusplus
}
#endif

#endif
