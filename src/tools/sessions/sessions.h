// sessions.h: the parts of chorex-sessions, which `chorex sessions` calls: looks into a store with sessions that have durable blocks.

#ifndef TOOLS_SESSIONS_SESSIONS_H
#define TOOLS_SESSIONS_SESSIONS_H

#include "chorex/store.h"

#include <stdio.h>

enum { EXIT_WRONG = 1, EXIT_USAGE = 2, PLACE_SIZE = 64, AGE_SIZE = 32, HOME_SIZE = 256 };

typedef enum { COMMAND_LIST, COMMAND_SHOW, COMMAND_DROP, COMMAND_EXPORT } Command;

typedef struct {
    Command command;
    const char *store;                // its address
    const char *name, *file;          // of a session; where it is exported to
    const char *choreography, *space; // NULL: any
    bool is_json, is_forced, is_done;
    bool has_command; // by an option, with the name
} Options;

// A store that is open.
typedef struct {
    const chx_store_ops *ops;
    void *store;
} Store;

// 0, or the exit status, after a message.
int options_parse(int argc, char **argv, Options *options);
int store_open(const char *address, Store *store);
int sessions_error(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

int sessions_list(const Store *store, const Options *options);
int sessions_show(const Store *store, const Options *options);
int sessions_drop(const Store *store, const Options *options);
int sessions_export(const Store *store, const Options *options);

// ---- how things are written ----

// The role that has failed, and why.
typedef struct {
    char role[64], why[256];
} Failure;

// Where a session stands: how deep in durable blocks, and in which attempt of the innermost one; or how it ended. True: because of this failure.
bool place_describe(const chx_store_cut *cut, char text[static PLACE_SIZE], Failure *failure);
// The node that decides about it, "process N" for one of this machine, "-": none.
void home_describe(const chx_store_cut *cut, char text[static HOME_SIZE]);
// Does somebody run it, or decide about it? A lease says so, unless it can be seen.
bool home_is_alive(const chx_store_cut *cut, bool has_lease);
// What it waits for: "its roles", "a program" that opens it, "-": it is over.
const char *awaited_describe(const chx_store_cut *cut, bool is_alive);
// "12 s", "3 min", "5 h", "2 d".
void age_describe(const chx_store_cut *cut, char text[static AGE_SIZE]);
// As a string of JSON, with quotation marks.
void json_string(FILE *out, const char *text);
// Without its closing brace, so that more may follow.
void json_session(FILE *out, const chx_store_cut *cut);

#endif
