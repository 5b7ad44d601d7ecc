// cursor.c: see cursor.h.

#include "tools/lsp/cursor.h"

#include <string.h>

// The roles of the reference that ends right before the token `dot`: `Alice`, `{A, B}`, `Worker[i]`. The index of its first
// token; `dot` if it is none.
static size_t roles_before(const Question *question, const TokenList *tokens, size_t dot, SymbolList *roles)
{
    const Index *index = question->block->index;
    size_t at = dot;
    if (at == 0 || !tokens_have(tokens, dot, "."))
        return dot;
    at--;
    if (token_is(&tokens->items[at], "]")) {
        for (int depth = 0; at > 0; at--) {
            depth -= token_depth(&tokens->items[at]);
            if (depth == 0)
                break;
        }
        if (at == 0)
            return dot;
        at--;
    }
    bool is_set = token_is(&tokens->items[at], "}");
    for (size_t name = at; is_set ? !token_is(&tokens->items[name], "{") : name == at; name--) {
        const Token *token = &tokens->items[name];
        Symbol *role = token->kind == TOKEN_IDENTIFIER ? index_role(index, token->text, token->start) : NULL;
        if (role != NULL)
            vector_push(question->arena, roles, role);
        at = name;
        if (name == 0)
            break;
    }
    return roles->count > 0 ? at : dot;
}

// What an open bracket belongs to, from the inside out, until it is clear whose C this is.
static void look_outwards(const Question *question, Cursor *cursor)
{
    const TokenList *tokens = &cursor->tokens;
    int depth = 0;
    size_t commas = 0;
    bool is_innermost = true;
    cursor->open = tokens->count;
    for (size_t i = tokens->count; i-- > 0;) {
        const Token *token = &tokens->items[i];
        if (depth == 0 && token_is(token, ",") && is_innermost)
            commas++;
        if (depth == 0 && (token_is(token, ";") || token_is(token, "{")))
            return;
        depth -= token_depth(token);
        if (depth >= 0)
            continue;
        depth = 0;
        if (is_innermost)
            cursor->open = i;
        bool has_name = i > 0 && tokens->items[i - 1].kind == TOKEN_IDENTIFIER;
        if (token_is(token, "(") && has_name && cursor->callee == NULL && is_innermost) {
            cursor->callee = &tokens->items[i - 1];
            cursor->argument = commas;
            roles_before(question, tokens, i >= 2 ? i - 2 : 0, &cursor->callee_roles);
        }
        is_innermost = false;
        // `Role.(`, `Role.f(`, `Role.{`
        size_t dot = has_name ? i - 2 : i - 1;
        if (i >= 2 && dot < tokens->count && roles_before(question, tokens, dot, &cursor->roles) != dot)
            return;
    }
}

// `Role.x = ...`: what stands behind is that role's, too.
static void look_at_statement(const Question *question, Cursor *cursor)
{
    const TokenList *tokens = &cursor->tokens;
    int depth = 0;
    for (size_t i = tokens->count; i-- > 0;) {
        const Token *token = &tokens->items[i];
        depth -= token_depth(token);
        if (depth < 0 || (depth == 0 && (token_is(token, ";") || token_is(token, "}") || token_is(token, "~>"))))
            return;
        if (depth != 0 || token->kind != TOKEN_PUNCTUATOR || token->text[strlen(token->text) - 1] != '=' ||
            token_is(token, "==") || token_is(token, "!=") || token_is(token, "<=") || token_is(token, ">="))
            continue;
        for (size_t dot = i; dot-- > 0;) {
            if (token_is(&tokens->items[dot], ";") || token_is(&tokens->items[dot], "{"))
                return;
            if (token_is(&tokens->items[dot], ".") && roles_before(question, tokens, dot, &cursor->roles) != dot)
                return;
        }
        return;
    }
}

void cursor_at(const Question *question, Cursor *cursor)
{
    *cursor = (Cursor){.word = question->offset};
    const Source *source = question->view->source;
    while (cursor->word > 0 && lex_class(source->text[cursor->word - 1]) >= LEX_LETTER)
        cursor->word--;
    uint32_t start = question->block->found->inside.start;
    if (cursor->word > start)
        lex_range(question->arena, source, start, cursor->word, &cursor->tokens);
    if (cursor->tokens.count > 0)
        cursor->tokens.count--; // TOKEN_END
    size_t last = cursor->tokens.count;
    cursor->open = last;
    if (last > 0 && roles_before(question, &cursor->tokens, last - 1, &cursor->roles) != last - 1) {
        cursor->is_behind_dot = true;
        return;
    }
    look_outwards(question, cursor);
    cursor->is_inside = cursor->roles.count > 0;
    if (cursor->roles.count == 0)
        look_at_statement(question, cursor);
}
