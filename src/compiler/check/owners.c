// owners.c: values with codecs, of which it must be known who owns what they hold: whoever makes them gives them away,
// everything else is copied.

#include "compiler/check/typing.h"

static void check_owner(Typing *typing, const LocalC *local)
{
    if (local->owner == COWNER_MIXED) {
        diag_error(typing->diags, local->expr.span,
                   "this is partly made here and partly somebody else's: it can't be told who owns it");
        diag_note(typing->diags, SPAN_NONE,
                  "bind what is made here to a variable of its own first; between two ways, decide with 'if'");
    } else if (local->owner == COWNER_PART) {
        diag_error(typing->diags, local->expr.span, "this takes a part of what is made here: the rest would be lost");
        diag_note(typing->diags, SPAN_NONE, "bind the whole to a variable first");
    } else if (local->owner == COWNER_ASSIGNED) {
        const char *target = span_copy(typing->arena, typing->resolved->sources, local->assigned);
        diag_error(typing->diags, local->assigned,
                   "local C can't assign to '%s', which owns what it holds: nobody would drop that", target);
        diag_note(typing->diags, SPAN_NONE, "assign with a statement: '%s.%s = ...;'",
                  role_in_code(typing->resolved->program, local->instance, roleset_next(&local->expr.at, 0)), target);
    }
}

static void warn_lost(Typing *typing)
{
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        const LocalC *local = typing->resolved->locals.items[i];
        if (!local->is_lost)
            continue;
        diag_warning(typing->diags, local->expr.span, "the macro throws away a value that nobody drops then");
        diag_note(typing->diags, SPAN_NONE, "without its cast to void, the value is dropped here");
    }
}

void typing_owners(Typing *typing)
{
    for (size_t i = 0; i < typing->resolved->locals.count; i++)
        if (typing->typed[i])
            check_owner(typing, typing->resolved->locals.items[i]);
    warn_lost(typing);
}
