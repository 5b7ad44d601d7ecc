// dispatch.c: which message is for whom, and whether it may come now.

#include "tools/lsp/features.h"

#include <string.h>
#include <time.h>

// JSON-RPC's and LSP's numbers.
enum {
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    NOT_INITIALIZED = -32002,
};

static json_t *answer(const json_t *id, json_t *result)
{
    return json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result != NULL ? result : json_null());
}

static json_t *refuse(const json_t *id, int code, const char *message)
{
    json_t *error = json_pack("{s:i, s:o}", "code", code, "message", reply_text(message));
    return json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", id != NULL ? json_incref((json_t *)id) : json_null(),
                     "error", error);
}

// ---- documents ----

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void touch(Server *server, Document *document, long delay_ms)
{
    document->due_ms = now_ms() + delay_ms + 1;
    // Other open files may include this one. They can wait a little longer.
    const char *slash = strrchr(document->path, '/'), *base = slash != NULL ? slash + 1 : document->path;
    for (size_t i = 0; i < server->documents.count; i++) {
        Document *other = server->documents.items[i];
        if (other != document && other->latest != NULL && strstr(other->text, base) != NULL)
            other->due_ms = now_ms() + delay_ms * 2 + 1;
    }
}

static void did_open(Server *server, const json_t *params)
{
    const char *uri = reply_string(params, "textDocument.uri");
    json_t *text = reply_member(params, "textDocument.text");
    if (uri == NULL || !json_is_string(text))
        return;
    json_int_t version = json_integer_value(reply_member(params, "textDocument.version"));
    Document *document =
        documents_open(&server->documents, uri, version, json_string_value(text), json_string_length(text));
    if (document != NULL)
        touch(server, document, 0);
}

static void apply_change(Document *document, const json_t *change)
{
    json_t *text = json_object_get(change, "text"), *range = json_object_get(change, "range");
    Place start, end;
    if (!json_is_string(text))
        return;
    if (!json_is_object(range))
        document_replace(document, json_string_value(text), json_string_length(text));
    else if (reply_read_place(json_object_get(range, "start"), &start) &&
             reply_read_place(json_object_get(range, "end"), &end))
        document_edit(document, start, end, json_string_value(text), json_string_length(text));
}

static void did_change(Server *server, const json_t *params)
{
    const char *uri = reply_string(params, "textDocument.uri");
    Document *document = uri != NULL ? documents_find(&server->documents, uri) : NULL;
    if (document == NULL)
        return;
    size_t index;
    json_t *change;
    json_array_foreach(json_object_get(params, "contentChanges"), index, change) apply_change(document, change);
    document->version = json_integer_value(reply_member(params, "textDocument.version"));
    touch(server, document, server->delay_ms);
}

static void did_close(Server *server, const json_t *params)
{
    const char *uri = reply_string(params, "textDocument.uri");
    Document *document = uri != NULL ? documents_find(&server->documents, uri) : NULL;
    if (document == NULL)
        return;
    diagnostics_clear(server, document->uri);
    documents_close(&server->documents, document);
}

// A file that was saved, or changed on disk, may be a header of open ones.
static void look_again(Server *server)
{
    for (size_t i = 0; i < server->documents.count; i++)
        server->documents.items[i]->due_ms = now_ms() + server->delay_ms + 1;
}

static void change_settings(Server *server, const json_t *params)
{
    const json_t *settings = reply_member(params, "settings.chorex");
    json_t *flags = json_object_get(settings, "flags"), *flag;
    size_t index;
    if (!json_is_array(flags))
        return;
    server->defaults.count = 0;
    json_array_foreach(flags, index, flag)
    {
        if (json_is_string(flag))
            vector_push(server->arena, &server->defaults,
                        (const char *)arena_strdup(server->arena, json_string_value(flag)));
    }
    look_again(server);
}

static void notified(Server *server, const char *method, const json_t *params)
{
    if (strcmp(method, "exit") == 0)
        server->has_exited = true;
    if (server->state != SERVER_RUNNING)
        return;
    if (strcmp(method, "textDocument/didOpen") == 0)
        did_open(server, params);
    else if (strcmp(method, "textDocument/didChange") == 0)
        did_change(server, params);
    else if (strcmp(method, "textDocument/didClose") == 0)
        did_close(server, params);
    else if (strcmp(method, "textDocument/didSave") == 0 || strcmp(method, "workspace/didChangeWatchedFiles") == 0)
        look_again(server);
    else if (strcmp(method, "workspace/didChangeConfiguration") == 0)
        change_settings(server, params);
}

// ---- requests ----

typedef struct {
    const char *method;
    Feature *feature;
    bool needs_place;
} Answerer;

static const Answerer ANSWERERS[] = {
    {"textDocument/hover", feature_hover, true},
    {"textDocument/completion", feature_completion, true},
    {"textDocument/definition", feature_definition, true},
    {"textDocument/declaration", feature_definition, true},
    {"textDocument/implementation", feature_definition, true},
    {"textDocument/references", feature_references, true},
    {"textDocument/documentHighlight", feature_highlight, true},
    {"textDocument/signatureHelp", feature_signature, true},
    {"textDocument/prepareRename", feature_prepare_rename, true},
    {"textDocument/prepareCallHierarchy", feature_prepare_calls, true},
    {"textDocument/semanticTokens/full", feature_tokens, false},
    {"textDocument/semanticTokens/range", feature_tokens_range, false},
    {"textDocument/documentSymbol", feature_symbols, false},
    {"textDocument/codeAction", feature_actions, false},
    {"textDocument/inlayHint", feature_hints, false},
    {"textDocument/foldingRange", feature_folding, false},
    {"textDocument/codeLens", feature_lenses, false},
};

// False: the params make no sense.
static bool make_question(Server *server, Arena *arena, const json_t *params, bool needs_place, Question *question)
{
    *question = (Question){.server = server, .arena = arena, .params = params};
    const char *uri = reply_string(params, "textDocument.uri");
    Place place;
    if (uri == NULL)
        return false;
    question->has_place = reply_read_place(json_object_get(params, "position"), &place);
    if (needs_place && !question->has_place)
        return false;
    question->document = documents_find(&server->documents, uri);
    if (question->document == NULL)
        return true;
    question->view = document_view(question->document);
    if (question->has_place) {
        question->offset = lines_offset(&question->view->lines, place);
        question->block = view_block(question->view, question->offset);
    }
    return true;
}

static json_t *answer_question(Server *server, Arena *arena, const json_t *id, const json_t *params, Feature *feature,
                               bool needs_place)
{
    Question question;
    if (!make_question(server, arena, params, needs_place, &question))
        return refuse(id, INVALID_PARAMS, "the request names no document, or no position in it");
    return answer(id, question.document != NULL ? feature(&question) : NULL);
}

static json_t *answer_rename(Server *server, Arena *arena, const json_t *id, const json_t *params)
{
    Question question;
    if (!make_question(server, arena, params, true, &question))
        return refuse(id, INVALID_PARAMS, "the request names no document, or no position in it");
    json_t *result = question.document != NULL ? feature_rename(&question) : NULL;
    if (!json_is_string(result))
        return answer(id, result);
    // What is wrong with the new name.
    json_t *refusal = refuse(id, INVALID_PARAMS, json_string_value(result));
    json_decref(result);
    return refusal;
}

static json_t *answer_command(Server *server, Arena *arena, const json_t *id, const json_t *params)
{
    const char *error = NULL;
    json_t *result = feature_command(server, arena, params, &error);
    return error != NULL ? refuse(id, INVALID_PARAMS, error) : answer(id, result);
}

static json_t *requested(Server *server, Arena *arena, const json_t *id, const char *method, const json_t *params)
{
    if (strcmp(method, "initialize") == 0 && server->state == SERVER_NEW)
        return answer(id, lifecycle_initialize(server, params));
    if (server->state == SERVER_NEW)
        return refuse(id, NOT_INITIALIZED, "the first request must be 'initialize'");
    if (server->state == SERVER_SHUT_DOWN)
        return refuse(id, INVALID_REQUEST, "the server is shut down");
    if (strcmp(method, "initialize") == 0)
        return refuse(id, INVALID_REQUEST, "the server is initialized already");
    if (strcmp(method, "shutdown") == 0) {
        server->state = SERVER_SHUT_DOWN;
        return answer(id, NULL);
    }
    for (size_t i = 0; i < sizeof ANSWERERS / sizeof *ANSWERERS; i++)
        if (strcmp(method, ANSWERERS[i].method) == 0)
            return answer_question(server, arena, id, params, ANSWERERS[i].feature, ANSWERERS[i].needs_place);
    if (strcmp(method, "textDocument/rename") == 0)
        return answer_rename(server, arena, id, params);
    if (strcmp(method, "callHierarchy/incomingCalls") == 0)
        return answer(id, feature_incoming_calls(server, arena, params));
    if (strcmp(method, "callHierarchy/outgoingCalls") == 0)
        return answer(id, feature_outgoing_calls(server, arena, params));
    if (strcmp(method, "workspace/executeCommand") == 0)
        return answer_command(server, arena, id, params);
    return refuse(id, METHOD_NOT_FOUND, "there is no such method");
}

json_t *dispatch(Server *server, json_t *message)
{
    const char *method = reply_string(message, "method");
    json_t *id = json_object_get(message, "id");
    const json_t *params = json_object_get(message, "params");
    if (!json_is_object(message))
        return refuse(NULL, INVALID_REQUEST, "a message is an object");
    bool is_answer = json_object_get(message, "result") != NULL || json_object_get(message, "error") != NULL;
    if (method == NULL)
        return is_answer ? NULL : refuse(id, INVALID_REQUEST, "the message has no method");
    if (id == NULL) {
        notified(server, method, params);
        return NULL;
    }
    if (!json_is_integer(id) && !json_is_string(id))
        return refuse(NULL, INVALID_REQUEST, "an id is a number or a string");
    Arena *arena = arena_new();
    json_t *reply = requested(server, arena, id, method, params);
    arena_free(arena);
    return reply;
}
