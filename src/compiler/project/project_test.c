// What is left of a choreography for each role.

#include "compiler/check/mini_test.h"
#include "compiler/project/project.h"

#include "base/text.h"

#include <stdlib.h>

// ---- local programs in a few characters ----
//
// ! step, >B send, <A receive, f() call; `if` and loops say `:B` who is told, `<A` who tells, `~A` whose message tells.

static void show_list(Mini *mini, Text *text, const LocalOpList *list);

static void show_braces(Mini *mini, Text *text, const LocalOpList *list)
{
    text_puts(text, "{");
    show_list(mini, text, list);
    text_puts(text, "}");
}

static void show_decide(Mini *mini, Text *text, const LocalOp *op)
{
    if (op->decide == DECIDE_SELF && !roleset_empty(&op->to))
        text_printf(text, ":%s", mini_letters(mini, &op->to));
    if (op->decide == DECIDE_TOLD)
        text_printf(text, "<%c", (char)('A' + op->peer));
    if (op->decide == DECIDE_ARRIVAL)
        text_printf(text, "~%c", (char)('A' + op->peer));
    text_puts(text, " ");
}

static void show_inner(Mini *mini, Text *text, const LocalOp *op)
{
    static const char *const loops[] = {[LOOP_WHILE] = "while", [LOOP_DO] = "do", [LOOP_FOR] = "for"};
    switch (op->kind) {
    case LOCAL_CHOICE:
        text_puts(text, op->is_switch ? "switch" : "if");
        show_decide(mini, text, op);
        for (size_t i = 0; i < op->branches.count; i++) {
            for (size_t j = 0; j < op->branches.items[i].arrivals.count; j++)
                text_printf(text, "%s%u", j > 0 ? "," : "", op->branches.items[i].arrivals.items[j]);
            show_braces(mini, text, &op->branches.items[i].body);
        }
        break;
    case LOCAL_LOOP:
        text_puts(text, op->decide == DECIDE_FOREVER ? "loop" : loops[op->loop]);
        show_decide(mini, text, op);
        show_braces(mini, text, &op->body);
        if (op->loop == LOOP_FOR)
            show_braces(mini, text, &op->step);
        break;
    case LOCAL_CHECKPOINT:
        text_printf(text, "try:%s ", mini_letters(mini, &op->participants));
        show_braces(mini, text, &op->body);
        if (op->has_rescue)
            show_braces(mini, text, &op->rescue);
        break;
    default:
        fail();
    }
}

static void show_list(Mini *mini, Text *text, const LocalOpList *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const LocalOp *op = list->items[i];
        text_puts(text, i > 0 ? " " : "");
        switch (op->kind) {
        case LOCAL_STEP:
            text_puts(text, "!");
            break;
        case LOCAL_SEND:
            text_printf(text, ">%s%s", mini_letters(mini, &op->to), op->own != NULL ? "=" : "");
            break;
        case LOCAL_RECEIVE:
            text_printf(text, "<%c", (char)('A' + op->peer));
            break;
        case LOCAL_CALL:
            text_printf(text, "%s%s%s()", op->returns_result ? "return " : "", op->is_tail ? "tail " : "",
                        op->callee->name);
            break;
        case LOCAL_BREAK:
        case LOCAL_CONTINUE:
            text_puts(text, op->kind == LOCAL_BREAK ? "break" : "continue");
            break;
        case LOCAL_RETURN:
            text_puts(text, op->returned.exprs.count > 0 ? "return 7" : "return");
            break;
        default:
            show_inner(mini, text, op);
        }
    }
}

typedef struct {
    RoleId role;
    const char *body; // of the role's first function
} Expected;

static void expect(const char *source, const Expected *expected)
{
    Mini *mini = mini_new(source);
    Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
    LocalProgram **locals = project_all(mini->arena, mini->program, knowledge);
    for (; expected->body != NULL; expected++) {
        Text text;
        text_init(&text, mini->arena);
        show_list(mini, &text, &locals[expected->role]->functions.items[0]->body);
        if (strcmp(text.chars, expected->body) != 0)
            print_error("%s\n%c: %s\nexpected: %s\n", source, (char)('A' + expected->role), text.chars, expected->body);
        assert_string_equal(text.chars, expected->body);
    }
    mini_free(mini);
}

enum { A, B, C, D };

#define EXPECT(text, ...) expect(text, (const Expected[]){__VA_ARGS__, {0, NULL}})

static void statements_go_to_the_roles_that_act(void **state)
{
    (void)state;
    EXPECT("def f { A! A>B B>AC A>AB }", {A, "! >B <B >B="}, {B, "<A >AC <A"}, {C, "<B"}, {D, ""});
    EXPECT("def f { {A! {B!}} AB! }", {A, "! !"}, {B, "! !"});
}

static void who_is_to_agree_sends_first(void **state)
{
    (void)state;
    EXPECT("def f { AB~x }", {A, ">B <B"}, {B, ">A <A"}, {C, ""});
    EXPECT("def f { ABC~x }", {A, ">BC <B <C"}, {B, ">AC <A <C"}, {C, ">AB <A <B"});
    // So it is no message that could tell which branch was taken.
    EXPECT("def f { if A {AB~x} {A>B} }", {A, "if:B {>B <B}{>B}"}, {B, "if<A {>A <A}{<A}"});
}

static void the_first_decider_tells(void **state)
{
    (void)state;
    EXPECT("def f { if BC {A!} {D! A! A!} }", {A, "if<B {!}{! !}"}, {B, "if:AD {}{}"}, {C, "if {}{}"},
           {D, "if<B {}{!}"});
    EXPECT("def f { while A {B!} }", {A, "while:B {}"}, {B, "while<A {!}"}, {C, ""});
    EXPECT("def f { for A {B!} {A! B!} }", {A, "for:B {}{!}"}, {B, "for<A {!}{!}"});
    EXPECT("def f { switch A {B!} {} {C!} }", {B, "switch<A {!}{}{}"}, {C, "switch<A {}{}{!}"});
}

static void jumps_go_to_those_who_must_know(void **state)
{
    (void)state;
    EXPECT("def f { if A {return} {} B! }", {A, "if:B {}{}"}, {B, "if<A {return}{} !"}, {C, ""});
    EXPECT("def f { while A {B! if A {break} if A {continue} C!} }",
           {A, "while:BC {if:BC {break}{} if:C {continue}{}}"}, {B, "while<A {! if<A {break}{}}"},
           {C, "while<A {if<A {break}{} if<A {continue}{} !}"});
    EXPECT("def f->B { if A {return} {B! return} }", {A, "if:B {}{}"}, {B, "if<A {return 7}{! return 7}"});
    EXPECT("def f { loop {if A {break} B!} A! }", {A, "loop {if:B {break}{}} !"}, {B, "loop {if<A {break}{} !}"});
}

static void a_role_that_is_not_told_follows_the_only_way(void **state)
{
    (void)state;
    EXPECT("def f { while A {B! if A {A! break} {A! break} B!} C! B! }", {B, "while<A {! break} !"}, {C, "!"});
    EXPECT("def f { while A {if A {A! return} {return}} B! }", {B, "while<A {return} !"});
    EXPECT("def f { if A {try {A! return} {A! return}} B! }", {B, "if<A {return}{} !"});
    EXPECT("def f { loop {A!} B! }", {B, ""});
}

static void the_last_call_is_a_tail_call(void **state)
{
    (void)state;
    EXPECT("def f { A>B f() }", {A, ">B tail f()"}, {B, "<A tail f()"});
    EXPECT("def f { if A {f()} {A>B} }", {A, "if:B {tail f()}{>B}"}, {B, "if<A {tail f()}{<A}"});
    EXPECT("def f { if A {f() return} B! }", {A, "if:B {tail f()}{}"}, {B, "if<A {tail f() return}{} !"});
    EXPECT("def f { f() B! A! }", {A, "f() !"});
    EXPECT("def f { while A {f() } }", {A, "while {f()}"});
    EXPECT("def f { try {A! f()} {} }", {A, "try:A {! f()}{}"});
    EXPECT("def f->B { A>B return f() }", {A, ">B tail f()"}, {B, "<A return tail f()"});
    EXPECT("def f->A { g() return } def g { A>B }", {A, "g() return 7"}, {B, "tail g()"});
    EXPECT("def f { g() } def g->A { A>B return }", {A, "g()"}, {B, "tail g()"});
}

static void what_arrives_can_tell_the_outcome(void **state)
{
    (void)state;
    EXPECT("def f { if A {A>B} {A! A>B} }", {A, "if {>B}{! >B}"}, {B, "if~A 2{<A}4{<A}"});
    EXPECT("def f { if A {C>B} {C>B B! C!} }", {A, "if:C {}{}"}, {B, "if~C 2{<C}3{<C !}"}, {C, "if<A {>B}{>B !}"});
    EXPECT("def f { if A {A>B} {if A {A>B} {A>B}} }", {A, "if {>B}{if {>B}{>B}}"},
           {B, "if~A 2{<A}4,5{if~A 4{<A}5{<A}}"});
    EXPECT("def f { if A {while A {B!}} {{A>B}} }", {A, "if {while:B {}}{>B}"}, {B, "if~A 2{while<A {!}}5{<A}"});
    EXPECT("def f { if A {if A {B!} {}} {A>B} }", {A, "if {if:B {}{}}{>B}"}, {B, "if~A 2{if<A {!}{}}4{<A}"});
}

static void who_does_the_same_has_one_branch(void **state)
{
    (void)state;
    EXPECT("def f { while A {if A {B>A} {A! B>A}} C! }", {A, "while:B {if {<B}{! <B}}"}, {B, "while<A {>A}"}, {C, "!"});
    EXPECT("def f { if A {C>B} {C>B B!} }", {A, "if:B {}{}"}, {B, "if<A {<C}{<C !}"}, {C, ">B"});
    EXPECT("def f->B { if A {return} {return} }", {A, "if {}{}"}, {B, "return 7"});
    EXPECT("def f { if A {if B {C!} {}} {A! if B {C!} {}} }", {A, "if {}{!}"}, {B, "if:C {}{}"}, {C, "if<B {!}{}"});
    EXPECT("def f { loop {if A {B! break} {A! B! break}} C! }", {A, "loop {if {break}{! break}}"},
           {B, "loop {! break}"});
}

static void both_ends_have_one_number(void **state)
{
    (void)state;
    Mini *mini = mini_new("def f { if A {B! B>AC} {B! B>AC C! A!} if A {A! try {B>A} {}} {try {B>A} {}} }");
    Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
    const Numbers *numbers = knowledge->numbers;
    assert_string_equal(mini_letters(mini, &knowledge->unaware[1]), "B");
    assert_int_equal(number_of_message(numbers, 5, A), 3);
    assert_int_equal(number_of_message(numbers, 5, C), 3);
    assert_int_equal(number_of_message(numbers, 3, C), 3);
    assert_string_equal(mini_letters(mini, &knowledge->unaware[8]), "B");
    assert_int_equal(number_of_statement(numbers, 12), 10);
    assert_int_equal(number_of_message(numbers, 13, A), 11);
    LocalProgram **locals = project_all(mini->arena, mini->program, knowledge);
    const LocalOp *choice = locals[A]->functions.items[0]->body.items[0];
    assert_int_equal(choice->branches.items[1].body.items[0]->arrives, 3);
    assert_int_equal(choice->branches.items[1].body.items[0]->site, 5);
    mini_free(mini);
}

static void other_beginnings_are_told(void **state)
{
    (void)state;
    EXPECT("def f { if A {A>B} {C>B} }", {B, "if<A {<A}{<C}"});
    EXPECT("def f { if A {A>B} {} }", {A, "if:B {>B}{}"});
    EXPECT("def f { if A {A>B} {g()} } def g { A>B }", {A, "if:B {>B}{tail g()}"});
    EXPECT("def f { if A {A>B} {try {A>B} {B!}} }", {A, "if:B {>B}{try:AB {>B}{}}"});
    EXPECT("def f { while A {A>B} A>B }", {A, "while:B {>B} >B"});
    EXPECT("def f { if A {return} {A>B} B! }", {A, "if:B {}{>B}"});
}

static void checkpoints_have_their_participants(void **state)
{
    (void)state;
    EXPECT("def f { try {A>B} {return} C! }", {A, "try:ABC {>B}{return}"}, {B, "try:ABC {<A}{return}"},
           {C, "try:ABC {}{return} !"}, {D, ""});
}

static void a_dump_shows_every_operation(void **state)
{
    (void)state;
    static const char expected[] = "role B\n"
                                   "  sends to A\n"
                                   "  receives from A\n"
                                   "  function f() -> int\n"
                                   "    var x: int\n"
                                   "    while told by A [1]\n"
                                   "      if by what A sends [2]\n"
                                   "      then on [3]\n"
                                   "        receive x: int from A [3]\n"
                                   "        break loop [1] [4]\n"
                                   "      else on [5]\n"
                                   "        receive _: int from A [5]\n"
                                   "    checkpoint of A, B [6]\n"
                                   "      send 7: int to A [7]\n"
                                   "    rescue\n"
                                   "      x += 1 [8]\n"
                                   "    return tail call f() [9]\n";
    Mini *mini = mini_new("def f->B { while A {if A {A>B=x break} {A>B}} try {B>A} {B+x} return f() }");
    Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    dump_local(project_all(mini->arena, mini->program, knowledge)[B], out);
    fclose(out);
    // The sites stand in a column of their own: leave out the spaces before them.
    char *to = text;
    bool is_indent = true;
    for (const char *from = text; *from != '\0'; from++) {
        if (*from == ' ' && from[1] == ' ' && !is_indent)
            continue;
        is_indent = *from == '\n' || (is_indent && *from == ' ');
        *to++ = *from;
    }
    *to = '\0';
    assert_string_equal(text, expected);
    free(text);
    mini_free(mini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(statements_go_to_the_roles_that_act),
        cmocka_unit_test(who_is_to_agree_sends_first),
        cmocka_unit_test(the_first_decider_tells),
        cmocka_unit_test(jumps_go_to_those_who_must_know),
        cmocka_unit_test(a_role_that_is_not_told_follows_the_only_way),
        cmocka_unit_test(the_last_call_is_a_tail_call),
        cmocka_unit_test(what_arrives_can_tell_the_outcome),
        cmocka_unit_test(who_does_the_same_has_one_branch),
        cmocka_unit_test(both_ends_have_one_number),
        cmocka_unit_test(other_beginnings_are_told),
        cmocka_unit_test(checkpoints_have_their_participants),
        cmocka_unit_test(a_dump_shows_every_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
