// server.h: the state of the language server: documents, what is known of them, and what the client can do.

#ifndef LSP_SERVER_H
#define LSP_SERVER_H

#include "tools/lsp/document.h"
#include "tools/lsp/transport.h"
#include "tools/lsp/worker.h"

#include <jansson.h>

typedef enum { SERVER_NEW, SERVER_RUNNING, SERVER_SHUT_DOWN } ServerState;

typedef struct Server Server;
struct Server {
    Arena *arena; // for what lives as long as the server
    Transport *transport;
    Worker *worker;
    ServerState state;
    bool has_exited;
    Documents documents;
    FlagList defaults; // for files that no compile_commands.json speaks of
    long delay_ms;     // between a change and its analysis
    // The client:
    bool has_snippets, shows_documents, refreshes_hints, refreshes_tokens, refreshes_lenses;
    long long next_id;  // of our own requests
    const char *folder; // for what is shown as a file; NULL: there is none yet
};

// Writes a message, and lets go of it.
void server_send(Server *server, json_t *message);
void server_notify(Server *server, const char *method, json_t *params);
void server_ask(Server *server, const char *method, json_t *params); // the answer is not needed

// diagnostics.c
void diagnostics_publish(Server *server, const Document *document);
void diagnostics_clear(Server *server, const char *uri);

// dispatch.c: the answer to a message; NULL: there is none to be given.
json_t *dispatch(Server *server, json_t *message);

// lifecycle.c
json_t *lifecycle_initialize(Server *server, const json_t *params);
void lifecycle_end(Server *server); // removes what it has left in folders

#endif
