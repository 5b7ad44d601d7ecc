// run.h: chorex run: starts a program as several processes, one for each node, which play its choreographies together.
//
//   main.c      the command line
//   program.c   which roles the program has, which it is asked for (runtime/isolation/describe.h)
//   plan.c      which nodes there are, and where; certificates and configurations for them
//   hosts.c     the same from a configuration for all nodes (--hosts)
//   children.c  the processes: starting, ending, what they write
//   stream.c    lines of a process's output
//   chaos.c     a proxy between the nodes that disturbs their connections (--chaos), also a program of its own
//
// Everything is allocated for as long as the program runs; without memory it ends.

#ifndef TOOLS_RUN_RUN_H
#define TOOLS_RUN_RUN_H

#include "tools/run/chaos.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2 };

typedef struct {
    const char *hosts;     // a configuration for all nodes; NULL: every role is a node here
    const char *chaos;     // NULL: no proxies
    const char *keep;      // where configurations and certificates stay; NULL: nowhere
    const char *limits;    // "suspect=2s,keepalive=200ms"; NULL: the defaults
    const char *input;     // the role whose process has the standard input; NULL: none has
    const char *directory; // of the program on other hosts
    bool has_ssh, has_prefix, restarts, is_verbose;
    double grace_s; // for the others when one has failed
    char **program; // with its arguments; ends with NULL
} RunOptions;

// ---- messages and memory ----

// "chorex run: error: ..."; the result is EXIT_WRONG.
int run_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void run_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
// As asprintf and reallocarray; end the program if there is no memory.
char *run_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *run_grow(void *items, size_t count, size_t size);

// ---- program.c ----

typedef struct {
    char *choreography, *role;
    unsigned index;
} ProgramRole;

typedef struct {
    ProgramRole *roles; // by choreography, in role order; each once
    size_t count;
} Program;

// 0, or an exit status; a message was written.
int program_ask(const char *path, Program *program);

// ---- plan.c ----

typedef struct {
    char *name;    // of the node
    char *roles;   // "Buyer,Seller": CHOREX_ROLES
    char *address; // where it is
    char *dialled; // where others dial it: the same, or a proxy
    char *listen;
    char *host;   // for ssh; NULL: it is started here
    char *config; // the path of its configuration; NULL: it is not started
    char *text;   // which says this
    bool is_started;
    int held; // a socket that keeps its port from being given to others; -1: none
} PlanNode;

typedef struct {
    PlanNode *nodes;
    size_t count;
    char *certs;    // the directory
    char *own;      // settings of [node] that all have; NULL: none
    char *sections; // of all configurations: choreographies, limits
    char *folder;   // where configurations are written
    bool is_kept;   // the folder stays
    Chaos *chaos;   // NULL: none
} Plan;

// 0, or an exit status; a message was written. plan_end is called in either case.
int plan_make(Plan *plan, const RunOptions *options, const Program *program);
void plan_end(Plan *plan);
PlanNode *plan_add(Plan *plan, const char *name);

// ---- hosts.c ----

// Nodes and sections from the file.
int hosts_plan(Plan *plan, const RunOptions *options, const Program *program);

// ---- children.c ----

// Starts the program for all nodes that are started here, and waits for their ends. An exit status.
int children_run(const Plan *plan, const RunOptions *options);

// ---- stream.c ----

// The output of a process, in whole lines.
typedef struct {
    int descriptor; // -1: closed
    int to;         // where it goes
    const char *prefix;
    char *line;
    size_t size, capacity;
} Stream;

void stream_open(Stream *stream, int descriptor, int to, const char *prefix);
// Reads and passes on what is there. False: nothing more comes, and it is closed.
bool stream_step(Stream *stream);
// Nothing more is waited for.
void stream_end(Stream *stream);
// Something could not be written.
bool stream_has_failed(void);

#endif
