// lifecycle.c: how a session with a client begins and ends.

#define _GNU_SOURCE

#include "chorex.h"
#include "compiler/driver/path.h"
#include "tools/lsp/features.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DELAY_MS = 120, DELAY_MAX_MS = 10000, SYNC_INCREMENTAL = 2 };

static void read_options(Server *server, const json_t *options)
{
    json_t *flags = json_object_get(options, "flags"), *flag;
    size_t index;
    json_array_foreach(flags, index, flag)
    {
        if (json_is_string(flag))
            vector_push(server->arena, &server->defaults,
                        (const char *)arena_strdup(server->arena, json_string_value(flag)));
    }
    json_t *delay = json_object_get(options, "delayMs");
    if (json_is_integer(delay) && json_integer_value(delay) >= 0 && json_integer_value(delay) <= DELAY_MAX_MS)
        server->delay_ms = (long)json_integer_value(delay);
}

static bool can(const json_t *params, const char *what)
{
    return json_is_true(reply_member(reply_member(params, "capabilities"), what));
}

static json_t *capabilities(void)
{
    json_t *all = json_object();
    reply_set(all, "positionEncoding", json_string("utf-16"));
    reply_set(all, "textDocumentSync",
              json_pack("{s:b, s:i, s:b}", "openClose", 1, "change", SYNC_INCREMENTAL, "save", 1));
    static const char *const plain[] = {
        "hoverProvider",          "definitionProvider",    "declarationProvider",  "implementationProvider",
        "referencesProvider",     "inlayHintProvider",     "foldingRangeProvider", "documentHighlightProvider",
        "documentSymbolProvider", "callHierarchyProvider",
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        reply_set(all, plain[i], json_true());
    reply_set(all, "completionProvider", json_pack("{s:[s]}", "triggerCharacters", "."));
    reply_set(all, "signatureHelpProvider", json_pack("{s:[s, s]}", "triggerCharacters", "(", ","));
    reply_set(all, "renameProvider", json_pack("{s:b}", "prepareProvider", 1));
    reply_set(all, "codeActionProvider", json_pack("{s:[s]}", "codeActionKinds", "quickfix"));
    reply_set(all, "codeLensProvider", json_pack("{s:b}", "resolveProvider", 0));
    reply_set(all, "executeCommandProvider",
              json_pack("{s:[s, s]}", "commands", "chorex.showPart", "chorex.showDiagram"));
    reply_set(all, "semanticTokensProvider",
              json_pack("{s:o, s:b, s:b}", "legend", tokens_legend(), "full", 1, "range", 1));
    return all;
}

json_t *lifecycle_initialize(Server *server, const json_t *params)
{
    server->state = SERVER_RUNNING;
    server->delay_ms = DELAY_MS;
    read_options(server, json_object_get(params, "initializationOptions"));
    server->has_snippets = can(params, "textDocument.completion.completionItem.snippetSupport");
    server->shows_documents = can(params, "window.showDocument.support") &&
                              !json_is_false(reply_member(params, "initializationOptions.showResults"));
    server->refreshes_hints = can(params, "workspace.inlayHint.refreshSupport");
    server->refreshes_tokens = can(params, "workspace.semanticTokens.refreshSupport");
    server->refreshes_lenses = can(params, "workspace.codeLens.refreshSupport");
    return json_pack("{s:o, s:{s:s, s:s}}", "capabilities", capabilities(), "serverInfo", "name", "chorex-lsp",
                     "version", CHX_VERSION);
}

void lifecycle_end(Server *server)
{
    if (server->folder == NULL)
        return;
    DIR *folder = opendir(server->folder);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
        if (entry->d_name[0] != '.')
            unlink(path_join(server->arena, server->folder, entry->d_name));
    if (folder != NULL)
        closedir(folder);
    rmdir(server->folder);
}
