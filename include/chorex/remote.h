/* chorex/remote.h: what libraries beside libchorex use, to let roles run elsewhere. Not for programs. */

#ifndef CHOREX_REMOTE_H
#define CHOREX_REMOTE_H

#include <chorex/generated.h>
#include <chorex/store.h>
#include <pthread.h>

/* A descriptor whose events a worker of the runtime handles. When one of the events (as of poll) has come, it calls the
   function, which handles all there is: until reading would block. The function is called by one thread at a time. `error`: 0, or
   why the descriptor can't be watched any more (errno), and then it is not called again. It must not block. */
typedef struct chx_watcher chx_watcher;
chx_watcher *chx_watcher_open(chx_runtime *, int descriptor, short events, void (*)(void *context, int error),
                              void *context); /* NULL: errno says why */
/* Afterwards the function is not called any more, nor does a call go on, unless it is the function that calls this. */
void chx_watcher_close(chx_watcher *);

/* ---- the machine that a runtime runs on: the system's, or a simulated one (CHOREX_SIM) ----

   A library that waits, or wants to know the time, does it through these functions: otherwise it stands still for ever on a simulated
   machine, whose threads go on one at a time. No lock may be held where a thread waits. */

uint64_t chx_machine_now_ns(const chx_runtime *); /* never goes back */
/* Sleeps while *word == expected, at most timeout_ns (0: no limit). May return early for no reason. */
void chx_machine_sleep(const chx_runtime *, _Atomic uint32_t *word, uint32_t expected, uint64_t timeout_ns);
void chx_machine_wake(const chx_runtime *, _Atomic uint32_t *word); /* one of those who sleep */
/* A thread of the program's begins and ends a call in which it may wait. Calls nest. */
void chx_machine_enter(const chx_runtime *);
void chx_machine_leave(const chx_runtime *);
/* False: no thread to be had. */
bool chx_machine_start(const chx_runtime *, pthread_t *, void *(*run)(void *), void *argument);
void chx_machine_join(const chx_runtime *, pthread_t);

/* Simulated nodes, as CHOREX_SIM asks for them. */
typedef struct {
    uint64_t seed;
    unsigned nodes;
    double cut, kill, silent; /* probabilities: of each piece of bytes that arrives; of each boundary of a role */
    uint64_t delay_min_ns, delay_max_ns; /* of bytes under way */
    uint64_t suspect_ns;                 /* 0: as usual */
} chx_machine_nodes;
/* Is the machine a simulated one? Then random numbers come from it, too. */
bool chx_machine_is_simulated(const chx_runtime *);
void chx_machine_random(const chx_runtime *, void *data, size_t size);
/* False: roles are not to be spread over simulated nodes. Otherwise `is_lost` is asked from now on at each boundary of a part, with
   the context that was given for its role: true: its node is lost, and the role does nothing more. */
bool chx_machine_has_nodes(const chx_runtime *, chx_machine_nodes *, bool (*is_lost)(void *context));

/* ---- parts: roles of a session that is decided elsewhere ----

   A part is an actor of this runtime like any other. What it says to other roles, and at the ends of blocks, goes through these
   functions of the library, each with the context that was given for the role. They are called by the thread that runs the role, one
   at a time for one role, with no lock of the runtime held; none may wait for something to happen. */

typedef enum {
    CHX_PART_GOES_ON,   /* nothing */
    CHX_PART_WAITS,     /* nothing but to wait until chx_part_call */
    CHX_PART_BEGINS,    /* to begin, at the beginning or with what a life before it has saved */
    CHX_PART_GOES_BACK, /* to go back to the start of a block */
    CHX_PART_IS_OVER,   /* nothing: the session is over, and `given` is the role's result */
} chx_part_asks;

/* What a role begins with. Everything in it stays valid until `begun`. */
typedef struct {
    uint64_t token[2]; /* of the session */
    uint64_t fence;    /* for chx_fence: rises with each life */
    uint64_t steps;
    size_t block_count; /* that it is in; 0: it begins at the beginning, or with `base` */
    bool is_durable;    /* the session is kept in a store */
    const void *base; /* in no block of such a session: what the role goes on with; NULL: it begins at the beginning */
    size_t base_size;
    chx_fault fault; /* why the innermost block is in another attempt; kind CHX_FAULT_NONE: it is in its first */
} chx_part_beginning;
typedef struct {
    uint32_t name, attempt;
    const void *snapshot;
    size_t size;
} chx_part_block;

/* Where a role goes back to. */
typedef struct {
    uint64_t number;  /* for went_back */
    size_t depth;     /* of the block: 0 is the outermost */
    uint32_t ordinal; /* may be one more than the role knows: the next round has begun before it has noticed */
    uint32_t attempt, epoch;
    chx_fault fault; /* its strings are copied to `text` of chx_part_ops.back */
} chx_part_back;

enum { CHX_PART_TEXT = 1024 };

/* What may be sent to a role without asking again: so many messages, and no more once they have so many bytes. */
typedef struct {
    size_t messages, bytes;
    size_t value_max; /* of one message */
} chx_part_room;

/* A message among others: this, then its value, then the next one, with nothing in between. Numbers are little-endian. */
typedef struct {
    uint32_t site, size;
} chx_part_message;

/* Results: 0, or an error of errno.h. ENOMEM is a failure of the role. */
typedef struct {
    /* What the role has to do before its next step. */
    chx_part_asks (*asks)(void *context);
    const chx_part_beginning *(*beginning)(void *context);
    chx_part_block (*block)(void *context, size_t depth); /* of the beginning */
    int (*begun)(void *context);
    bool (*back)(void *context, chx_part_back *, char text[CHX_PART_TEXT]); /* false: it need not any more */
    int (*went_back)(void *context, uint64_t number);
    /* The role has entered a block. The attempt to begin in; if that is not the first, why. */
    int (*enter)(void *context, const chx_checkpoint *, uint32_t ordinal, uint64_t steps, const void *snapshot,
                 size_t size, uint32_t *attempt, chx_fault *, char text[CHX_PART_TEXT]);
    /* It has come to the end of the block, or (snapshot not NULL) of a round: what is saved is for the next one. */
    int (*arrive)(void *context, uint32_t next_ordinal, uint64_t steps, const void *snapshot, size_t size);
    bool (*is_through)(void *context); /* after that: all have */
    /* In a durable session. It has entered a durable block, or goes on in another attempt of it: may it begin? */
    bool (*is_let_in)(void *context);
    /* It has come to the end of the outermost durable block, or begins at the beginning: what it goes on with behind that. `is_through`
       afterwards. */
    int (*arrive_outside)(void *context, uint64_t steps, const void *snapshot, size_t size);
    chx_part_room (*room)(void *context, unsigned peer);
    /* Messages that the role has sent, in order: each a chx_part_message and its value. They leave at once. Before that it has consumed
     * so many of those that it got from the same peer. */
    int (*send)(void *context, unsigned peer, size_t consumed, const unsigned char *messages, size_t size);
    /* The same for one message, whose value lies where the role has it. */
    int (*send_one)(void *context, unsigned peer, size_t consumed, uint32_t site, const void *value, size_t size);
    /* The role has consumed so many of the messages that it got. Appends those that follow, as above; none if NULL. How many. */
    size_t (*take)(void *context, unsigned peer, size_t consumed, chx_buffer *messages);
    const char *(*peer)(void *context, unsigned role); /* chx_peer */
    void (*fail)(void *context, const chx_fault *);    /* afterwards it waits */
    int (*end)(void *context, const void *result, size_t size);
    bool (*has_ended)(void *context); /* in a durable session, after that: it need not be played again */
    const chx_buffer *(*given)(
        void *context); /* CHX_PART_IS_OVER: encoded; empty: the session has failed, or the role has none */
    void (*stopped)(void *context, chx_status,
                    const char *why); /* the session is ended by the program, not by chx_part_stop */
    void (*left)(void *context);      /* no role of the session runs any more */
    void (*freed)(void *context);     /* the last call: the session is gone */
} chx_part_ops;

/* Starts these roles. The session ends when all have ended and chx_part_release was called. NULL: the thread's report says why.
   A session may have no roles here: if `contexts` is not NULL, its first is then that of the session, for `stopped`, `left` and
   `freed`. */
chx_session *chx_part_start(chx_runtime *, const chx_choreography *, size_t definition, const chx_actor *cast,
                            const unsigned *roles, size_t count, const void *arguments, const chx_part_ops *,
                            void *const *contexts);
/* What follows may be called until chx_part_release. The peer has sent something to the role, or has room: */
void chx_part_wake(chx_session *, unsigned role, unsigned peer);
/* `is_through` may have changed. */
void chx_part_go(chx_session *, unsigned role);
/* `asks` has changed: the role is called back from what it does, if it can be. */
void chx_part_call(chx_session *, unsigned role);
/* The session has failed, or was cancelled. `restarts`: for the report. */
void chx_part_stop(chx_session *, chx_status, const chx_fault *, unsigned restarts);
/* The result of a role that is played elsewhere, encoded. False: that is no such value, or there is no memory. */
bool chx_part_result(chx_session *, unsigned role, const void *data, size_t size);
/* The context of the first role that was started; NULL: it is no session of this kind, or has no roles
   here. */
void *chx_part_context(const chx_session *);
/* Where the results of its roles lie, until chx_finish. */
void *chx_part_results(chx_session *);
/* What the role waits for, in words. */
void chx_part_describe(chx_session *, unsigned role, char *text, size_t size);
/* As chx_finish, for the result of the only role that was started. */
chx_status chx_part_finish(chx_session *, void *result, size_t size);
/* Nothing more is said to it. `is_detached`: nobody waits for the session, which is freed when it has ended. */
void chx_part_release(chx_session *, bool is_detached);

/* ---- sessions that a library keeps in a store ----

   A keeper is a store that the library uses, a keep one session in it. The functions of chx_keep_ops are called by threads of the keeper,
   one at a time for one keep, with no lock held. */

typedef struct chx_keeper chx_keeper;
typedef struct chx_keep chx_keep;
typedef enum {
    CHX_KEEP_NEW,   /* there is no session of this name */
    CHX_KEEP_OVER,  /* it is over; the cut says how */
    CHX_KEEP_OURS,  /* it was taken over: the term is the new one, and the cut says where it is */
    CHX_KEEP_TAKEN, /* another program runs it; `why` says which */
    CHX_KEEP_WRONG, /* the store does not answer, or has something else; `why` says what */
} chx_keep_found;
typedef struct {
    /* The answer to chx_keep_find. The cut, if there is one, is valid during the call. */
    void (*found)(void *context, chx_keep_found, uint64_t term, const chx_store_cut *, const char *why);
    /* Fills a change, except for key and home; what it points to stays until `done`. 1: it is filled; 0: there is none any more; -1: no
       memory, and it is asked again. */
    int (*build)(void *context, chx_store_change *);
    /* It was applied, or is stale. */
    void (*done)(void *context, bool is_applied);
    /* The store has not taken it for a while. True: it is given up, and nothing more is called for it. */
    bool (*give_up)(void *context, bool is_in_doubt, const char *why);
} chx_keep_ops;

/* `address`: as in CHOREX_STORE. NULL: *status and the thread's report say why. */
chx_keeper *chx_keeper_open(chx_runtime *, const char *address, chx_status *status);
/* How long outcomes of sessions stay in the store, in milliseconds. Without this it is a day. */
void chx_keeper_retain(chx_keeper *, uint64_t kept_ms);
/* Waits for what is under way. Afterwards no function of a keep is called any more; keeps are freed after it or before. */
void chx_keeper_close(chx_keeper *);
chx_keep *chx_keep_new(chx_keeper *, const chx_keep_ops *, void *context); /* NULL: no memory */
/* Not while something was asked for and is not answered. */
void chx_keep_free(chx_keep *);
/* What does the store have under this name? If it can, this program takes the session over. 0, or an error of errno.h, negative. */
int chx_keep_find(chx_keep *, const chx_store_key *);
const chx_store_key *chx_keep_key(const chx_keep *);
/* There is something to commit. */
void chx_keep_ask(chx_keep *);
/* The session is over, and nobody will ask for it. */
void chx_keep_forget(chx_keep *);

/* Pieces that are not of a role: the head of a level, and the outcome. */
enum { CHX_KEEP_HEAD_SIZE = 1024 };
typedef struct {
    uint32_t block, ordinal, attempt;
    chx_fault fault; /* kind CHX_FAULT_NONE: in its first attempt */
} chx_keep_head;
size_t chx_keep_head_write(const chx_keep_head *, unsigned char bytes[CHX_KEEP_HEAD_SIZE]);
bool chx_keep_head_read(const void *data, size_t size, chx_keep_head *, char text[CHX_KEEP_HEAD_SIZE]);
void chx_keep_outcome_write(chx_buffer *, chx_status, const chx_fault *, unsigned restarts);
bool chx_keep_outcome_read(const void *data, size_t size, chx_status *, chx_fault *, unsigned *restarts,
                           char text[CHX_KEEP_HEAD_SIZE]);

/* From now on the library is asked for every session that the program starts. True: it is the library's, which has started it, or
   (NULL) refused to, with this status and the thread's report. */
void chx_part_take_starts(bool (*)(chx_runtime *, const chx_choreography *, size_t definition, const chx_actor *cast,
                                   const void *arguments, chx_session **, chx_status *));
/* During such a start: do the arguments stay where they are until the session is over? */
bool chx_part_arguments_stay(void);
/* This thread begins, or ends, to wait for a lock behind others: nobody else has to be started in its place. */
void chx_part_queues(bool);
/* The runtime that sessions are run by if nobody says otherwise. NULL: no memory. */
chx_runtime *chx_part_runtime(void);
void chx_part_log(chx_runtime *, chx_log_level, const char *text);
/* Sets this thread's last report: something failed with this status, which is returned, before there was a session. The role's
   and the file's name, either of which may be NULL, must stay as long as the report does. */
chx_status chx_refuse(chx_status, const char *role, const char *file, const char *format, ...) CHX_PRINTF(4, 5);

#endif
