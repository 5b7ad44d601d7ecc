// chorex-lsp: the language server for choreographies. It speaks LSP 3.17 on standard input and output.

#define _GNU_SOURCE

#include "chorex.h"
#include "tools/lsp/features.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PARSE_ERROR = -32700 };

// ---- messages ----

void server_send(Server *server, json_t *message)
{
    if (message == NULL)
        return;
    char *text = json_dumps(message, JSON_COMPACT);
    if (text == NULL || !transport_write(server->transport, text, strlen(text)))
        server->has_exited = true;
    free(text);
    json_decref(message);
}

void server_notify(Server *server, const char *method, json_t *params)
{
    server_send(server, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params));
}

void server_ask(Server *server, const char *method, json_t *params)
{
    json_t *message =
        json_pack("{s:s, s:I, s:s}", "jsonrpc", "2.0", "id", (json_int_t)++server->next_id, "method", method);
    if (params != NULL)
        json_object_set_new(message, "params", params);
    server_send(server, message);
}

static void refuse(Server *server, const char *why)
{
    server_send(server, json_pack("{s:s, s:n, s:{s:i, s:s}}", "jsonrpc", "2.0", "id", "error", "code", PARSE_ERROR,
                                  "message", why));
}

static void receive(Server *server, const char *text, size_t size)
{
    json_error_t error;
    json_t *message = json_loadb(text, size, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    if (message == NULL) {
        refuse(server, "the message is not JSON");
        return;
    }
    server_send(server, dispatch(server, message));
    json_decref(message);
}

// ---- analyses ----

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// The document that has waited longest; NULL: there is none. *wait_ms: until then.
static Document *next_due(const Server *server, int *wait_ms)
{
    Document *first = NULL;
    for (size_t i = 0; i < server->documents.count; i++) {
        Document *document = server->documents.items[i];
        if (document->due_ms != 0 && (first == NULL || document->due_ms < first->due_ms))
            first = document;
    }
    if (first == NULL)
        return NULL;
    int64_t wait = first->due_ms - now_ms();
    *wait_ms = wait > 0 ? (int)wait : 0;
    return first;
}

static void give_wish(Server *server, Document *document)
{
    Arena *arena = arena_new();
    Wish *wish = ARENA_NEW(arena, Wish);
    wish->path = arena_strdup(arena, document->path);
    wish->version = document->edits;
    for (size_t i = 0; i < server->documents.count; i++) {
        const Document *open = server->documents.items[i];
        OpenText text = {arena_strdup(arena, open->path), arena_copy(arena, open->text, open->size), open->size};
        vector_push(arena, &wish->texts, text);
    }
    for (size_t i = 0; i < server->defaults.count; i++)
        vector_push(arena, &wish->defaults, (const char *)arena_strdup(arena, server->defaults.items[i]));
    document->due_ms = 0;
    worker_give(server->worker, arena, wish);
}

static void take_analysis(Server *server)
{
    Analysis *analysis = worker_take(server->worker);
    if (analysis == NULL)
        return;
    Document *document = documents_find_path(&server->documents, analysis->path);
    if (document == NULL) {
        analysis_free(analysis);
        return;
    }
    bool is_current = analysis->version == document->edits;
    document_learn(document, analysis);
    // What was said about an older text would stand in the wrong places: the next one is on its way.
    if (!is_current)
        return;
    document->looked_at = document->edits;
    diagnostics_publish(server, document);
    if (server->refreshes_hints)
        server_ask(server, "workspace/inlayHint/refresh", NULL);
    if (server->refreshes_lenses)
        server_ask(server, "workspace/codeLens/refresh", NULL);
}

// ---- the loop ----

static void wait_for_something(Server *server)
{
    int wait_ms = -1;
    bool is_busy = worker_is_busy(server->worker);
    Document *due = next_due(server, &wait_ms);
    if (due != NULL && wait_ms == 0 && !is_busy) {
        give_wish(server, due);
        return;
    }
    struct pollfd descriptors[] = {
        {.fd = transport_descriptor(server->transport), .events = POLLIN},
        {.fd = worker_descriptor(server->worker), .events = POLLIN},
    };
    if (poll(descriptors, 2, is_busy ? -1 : wait_ms) < 0)
        return;
    if (descriptors[0].revents != 0)
        transport_fill(server->transport);
    if (descriptors[1].revents != 0)
        take_analysis(server);
}

// The exit status, as LSP says: 1 without a `shutdown` before the end.
static int serve(Server *server)
{
    while (!server->has_exited) {
        const char *text;
        size_t size;
        switch (transport_next(server->transport, &text, &size)) {
        case TRANSPORT_MESSAGE:
            receive(server, text, size);
            break;
        case TRANSPORT_REFUSED:
            refuse(server, text);
            break;
        case TRANSPORT_NOTHING:
            wait_for_something(server);
            break;
        case TRANSPORT_END:
            server->has_exited = true;
            break;
        }
    }
    return server->state == SERVER_SHUT_DOWN ? 0 : 1;
}

static void print_help(void)
{
    fputs("Usage: chorex lsp\n"
          "\n"
          "The language server for choreographies: it speaks LSP 3.17 on standard input and output. Editors start it; "
          "how they "
          "are told to is said in docs/editors.md.\n"
          "\n"
          "Options of a file's compilation come from compile_commands.json, beside the file or above it (or in 'build' "
          "there), "
          "else from the\n"
          "client's initializationOptions: {\"flags\": [\"-Iinclude\"], \"delayMs\": 120}.\n",
          stdout);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        print_help();
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("chorex-lsp %s\n", CHX_VERSION);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--stdio") != 0) {
        fprintf(stderr, "chorex: error: unknown option '%s' (see 'chorex lsp --help')\n", argv[1]);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    Server server = {
        .arena = arena_new(), .transport = transport_new(STDIN_FILENO, STDOUT_FILENO), .worker = worker_new()};
    if (server.worker == NULL) {
        fputs("chorex: error: the language server can't have a thread\n", stderr);
        return 1;
    }
    int status = serve(&server);
    lifecycle_end(&server);
    // Nobody waits for an analysis that is still being made.
    if (worker_is_busy(server.worker))
        _exit(status);
    worker_free(server.worker);
    documents_fini(&server.documents);
    transport_free(server.transport);
    arena_free(server.arena);
    return status;
}
