// sets.c: an expression at a role set must come out the same at every role of it.
//
// That the variables in it agree is found out by agree.c. Here it is said what else could make a difference; ctypes
// finds it.

#include "compiler/check/typing.h"

#include <string.h>

static void note_one_role(Typing *typing, const char *what)
{
    diag_note(typing->diags, SPAN_NONE, "let one role %s and send the %s to the set", what,
              strcmp(what, "make the call") == 0 ? "result" : "value");
}

static void report_name(Typing *typing, const LocalC *local, const CDiffer *differ)
{
    const char *name = differ->name;
    switch (differ->kind) {
    case CDIFFER_GLOBAL:
        diag_error(typing->diags, local->expr.span,
                   "an expression at a role set uses constants and agreed variables "
                   "only: '%s' may change",
                   name);
        note_one_role(typing, "read it");
        break;
    case CDIFFER_POINTEE:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set uses constants and agreed variables "
                   "only: what '%s' points to may change",
                   name);
        note_one_role(typing, "read it");
        break;
    case CDIFFER_KEPT:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set can't keep anything: '%s' lives on when it is over", name);
        diag_note(typing->diags, SPAN_NONE, "agreed variables are declared in the choreography: '{%s}.TYPE %s = ...;'",
                  set_in_code(typing->resolved->program, local->instance, &local->expr.at), name);
        break;
    case CDIFFER_UNSET:
        diag_error(typing->diags, differ->span,
                   "at a role set '%s' needs its value where it is declared: what it holds before may differ", name);
        break;
    case CDIFFER_PREDEFINED:
        diag_error(typing->diags, differ->span,
                   "'%s' is not the same in every role's program: an expression at a role set can't use it", name);
        note_one_role(typing, "use it");
        break;
    default:
        diag_error(typing->diags, differ->span,
                   "'%s' is an address here, and each role has its own: an expression at a role set can't use it",
                   name);
        break;
    }
}

static void report_pointer(Typing *typing, const CDiffer *differ)
{
    switch (differ->kind) {
    case CDIFFER_STRINGS:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set can't compare strings like this: it compares their addresses, and "
                   "each role has its own");
        diag_note(typing->diags, SPAN_NONE,
                  "compare their texts: 'chx_cstring_equal(a, b)', and 'chx_str_equal(a, b)' where they are chx_str");
        break;
    case CDIFFER_COMPARE:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set can't compare pointers: each role has its own addresses");
        diag_note(typing->diags, SPAN_NONE, "a test for NULL is possible: 'p != NULL'");
        break;
    case CDIFFER_CONVERT:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set can't convert pointers: each role has its own addresses");
        note_one_role(typing, "do it");
        break;
    case CDIFFER_THROUGH:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set can't read through this pointer: what it points to may differ");
        diag_note(typing->diags, SPAN_NONE, "it can read arrays, the characters of a 'const char *', and constants");
        break;
    case CDIFFER_ARRAY:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set can't make a pointer of an array: each role has its own addresses");
        diag_note(typing->diags, SPAN_NONE, "the elements can be used, and the array as a whole");
        break;
    default:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set takes no addresses: each role has its own");
        break;
    }
}

static bool calls_agree(const LocalC *local)
{
    for (size_t i = 0; i < local->called.count; i++)
        if (strcmp(local->called.items[i].name, "agree") == 0)
            return true;
    return false;
}

static void report_call(Typing *typing, const LocalC *local, const CDiffer *differ)
{
    switch (differ->kind) {
    case CDIFFER_IMPURE:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set makes no calls, except of functions that are declared const or pure: "
                   "'%s' is not",
                   differ->name);
        diag_note(
            typing->diags, SPAN_NONE,
            "if its result depends on nothing but its arguments, declare it with '__attribute__((const))', or with "
            "'__attribute__((pure))' if it reads a string or an array that it is given");
        break;
    case CDIFFER_ARGUMENT:
        diag_error(typing->diags, differ->span,
                   "'%s' gets something here that every role has its own of: an address, or what a codec makes",
                   differ->name);
        diag_note(typing->diags, SPAN_NONE,
                  "at a role set, a function gets numbers, strings, structs and arrays of these; an array as a pointer "
                  "to const");
        break;
    default:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set makes no calls, except of C functions that are declared const or pure "
                   "before the choreography");
        if (calls_agree(local)) {
            diag_note(typing->diags, SPAN_NONE,
                      "'agree' wants a value of each role by itself: '{A, B}.k = agree(A.k, B.k);'");
            return;
        }
        break;
    }
    note_one_role(typing, "make the call");
}

// Whether a macro only asks if there is a pointer can't be seen.
static void note_hidden_operator(Typing *typing, const CDiffer *differ)
{
    bool is_comparison = differ->kind == CDIFFER_STRINGS || differ->kind == CDIFFER_COMPARE;
    if (is_comparison && differ->name[0] == '\0')
        diag_note(typing->diags, SPAN_NONE, "in a macro, a test for NULL is possible as 'p != NULL'");
}

static void report(Typing *typing, const LocalC *local, const CDiffer *differ)
{
    switch (differ->kind) {
    case CDIFFER_CALL:
    case CDIFFER_IMPURE:
    case CDIFFER_ARGUMENT:
        report_call(typing, local, differ);
        break;
    case CDIFFER_UNION:
        diag_error(typing->diags, differ->span,
                   "an expression at a role set can't read a union: it may hold something else, or less");
        note_one_role(typing, "read it");
        break;
    case CDIFFER_ORDER:
        diag_error(typing->diags, differ->span,
                   "this is changed and read in no order: the roles of a set might do it in different ones");
        break;
    case CDIFFER_OTHER:
        diag_error(typing->diags, differ->span, "this can't be used at a role set: the roles might not do the same");
        note_one_role(typing, "do it");
        break;
    case CDIFFER_GLOBAL:
    case CDIFFER_POINTEE:
    case CDIFFER_KEPT:
    case CDIFFER_UNSET:
    case CDIFFER_PREDEFINED:
    case CDIFFER_FUNCTION:
        report_name(typing, local, differ);
        break;
    case CDIFFER_STRINGS:
    case CDIFFER_COMPARE:
    case CDIFFER_CONVERT:
    case CDIFFER_THROUGH:
    case CDIFFER_ARRAY:
    case CDIFFER_ADDRESS:
        report_pointer(typing, differ);
        note_hidden_operator(typing, differ);
        break;
    }
}

// Roles of a set must come to the same value, and so must the members of a family where it matters.
static bool must_agree(const Typing *typing, const LocalC *local)
{
    const Program *program = typing->resolved->program;
    if (party_count(program, &local->expr.at) > 1)
        return true;
    for (ROLESET_EACH(role, &local->expr.at))
        if (program->is_family[role])
            return local->expr.must_agree;
    return false;
}

void typing_sets(Typing *typing)
{
    CErrorList errors = {0};
    cunit_errors(typing->unit, &errors);
    for (size_t i = 0; i < typing->resolved->locals.count; i++) {
        const LocalC *local = typing->resolved->locals.items[i];
        CDiffer differ;
        if (!typing->typed[i] || !must_agree(typing, local) || typing_has_error(&errors, local) ||
            !cunit_differs(typing->unit, local->id, ctype_is_array(local->expr.type), &differ))
            continue;
        report(typing, local, &differ);
    }
}
