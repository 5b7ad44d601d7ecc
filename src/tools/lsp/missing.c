// missing.c: see missing.h.

#define _GNU_SOURCE

#include "tools/lsp/missing.h"

#include "tools/lsp/known.h"

#include <stdlib.h>
#include <string.h>

static bool is_defined(const View *view, const char *name)
{
    uint32_t end;
    for (size_t i = 0; i < view->tokens.count; i++) {
        const Token *token = &view->tokens.items[i];
        if (token->kind == TOKEN_IDENTIFIER && strcmp(token->text, name) == 0 && view_is_definition(view, token, &end))
            return true;
    }
    return false;
}

// A function of a used choreography may have another name.
static bool is_there(const Question *question, const Play *play, const RoleFunction *function)
{
    Arena *arena = question->arena;
    if (is_defined(question->view, arena_printf(arena, "%s_%s", play->prefix, function->name)))
        return true;
    const char **others;
    size_t count = function_other_names(arena, function, &others);
    for (size_t i = 0; i < count; i++)
        if (is_defined(question->view, arena_printf(arena, "%s_%s", play->prefix, others[i])))
            return true;
    return false;
}

static const char *stub_of(const Question *question, const Known *known, const Play *play, const RoleFunction *function)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return NULL;
    emit_stub(known->program, function, out);
    fclose(out);
    const char *stub = arena_copy(question->arena, text, size);
    free(text);
    if (strcmp(play->prefix, play->role) == 0)
        return stub;
    // With CHX_ROLE_AS it has another name.
    const char *name = arena_printf(question->arena, "%s_%s(", play->role, function->name), *at = strstr(stub, name);
    if (at == NULL)
        return stub;
    return arena_printf(question->arena, "%.*s%s%s", (int)(at - stub), stub, play->prefix, at + strlen(play->role));
}

void missing_functions(const Question *question, MissingList *list)
{
    for (size_t i = 0; i < question->view->plays.count; i++) {
        const Play *play = &question->view->plays.items[i];
        Known known;
        if (!known_of(question->document, play->choreography, &known))
            continue;
        RoleId role = choreography_role(known.choreography, play->role);
        const LocalProgram *local = role != ROLE_NONE ? known.choreography->locals[role] : NULL;
        for (size_t k = 0; local != NULL && k < local->provides.count; k++) {
            const RoleFunction *function = local->provides.items[k];
            if (function->type == NULL || is_there(question, play, function))
                continue;
            Missing missing = {play, arena_printf(question->arena, "%s_%s", play->prefix, function->name),
                               stub_of(question, &known, play, function)};
            if (missing.stub != NULL)
                vector_push(question->arena, list, missing);
        }
    }
}
