// Who is told, who takes part in a checkpoint, and what `notify` must cover.

#include "compiler/check/mini_test.h"

typedef struct {
    uint32_t site;
    const char *told; // of a choice or loop; of a checkpoint, its participants
} Expected;

static void expect(const char *text, const Expected *expected)
{
    Mini *mini = mini_new(text);
    Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
    assert_int_equal(diags_errors(mini->diags), 0);
    for (; expected->site != 0; expected++) {
        const RoleSet *participants = &knowledge->participants[expected->site];
        const RoleSet *set = participants->words != NULL ? participants : &knowledge->told[expected->site];
        const char *told = mini_letters(mini, set);
        if (strcmp(told, expected->told) != 0)
            print_error("%s\nsite %u: told %s, expected %s\n", text, expected->site, told, expected->told);
        assert_string_equal(told, expected->told);
    }
    mini_free(mini);
}

#define EXPECT(text, ...) expect(text, (const Expected[]){__VA_ARGS__, {0, NULL}})

static void whoever_acts_in_a_branch_is_told(void **state)
{
    (void)state;
    EXPECT("def f { if A {B! C!} {B! B! D!} E! }", {1, "BCD"});
    EXPECT("def f { if A {A!} {A!} B! }", {1, ""});
    EXPECT("def f { switch A {A!} {B>C} {} D! }", {1, "BC"});
    EXPECT("def f { if A {if B {C!} {}} {} }", {1, "BC"}, {2, "C"});
    EXPECT("def f { while A {B!} C! }", {1, "B"});
    EXPECT("def f { do A {B>C} D! }", {1, "BC"});
    EXPECT("def f { for A {A!} {B!} C! }", {1, "B"});
}

static void deciders_are_not_told(void **state)
{
    (void)state;
    EXPECT("def f { if AB {A! B! C!} {} }", {1, "C"});
    EXPECT("def f { if BC {A! B! D!} {} }", {1, "AD"});
}

static void an_early_return_concerns_those_who_act_later(void **state)
{
    (void)state;
    EXPECT("def f { if A {return} {} B! }", {1, "B"});
    EXPECT("def f { if A {return} {} A! }", {1, ""});
    EXPECT("def f { B! if A {return} {} }", {1, ""});
    EXPECT("def f { if A {A! return} {return} }", {1, ""});
    EXPECT("def f { if A {{return}} {} {B!} }", {1, "B"});
    EXPECT("def f->B { if A {return} {} A! return }", {1, "B"});
    EXPECT("def f { if A {if A {return}} B! }", {1, "B"}, {2, "B"});
}

static void break_and_continue_are_edges(void **state)
{
    (void)state;
    EXPECT("def f { while A {if B {break} C!} D! }", {1, "BC"}, {2, "AC"});
    EXPECT("def f { while A {B! if A {continue} A!} C! }", {1, "B"}, {3, ""});
    EXPECT("def f { while A {if A {continue} B!} C! }", {1, "B"}, {2, "B"});
    EXPECT("def f { loop {A! if A {break} B!} C! }", {3, "B"});
    EXPECT("def f { loop {A! if A {break}} C! }", {3, ""});
    EXPECT("def f { while A {if A {return}} B! }", {1, "B"}, {2, "B"});
    EXPECT("def f { while A {return} B! }", {1, "B"});
    EXPECT("def f { for A {if A {continue}} {B!} }", {1, "B"}, {2, ""});
}

static void nested_loops_take_another_walk(void **state)
{
    (void)state;
    // C learns of the inner loop because of the return, and therefore of the break in it.
    EXPECT("def f { while A {while A {if A {return} if A {break}}} C! }", {1, "C"}, {2, "C"}, {3, "C"}, {5, "C"});
    EXPECT("def f { while A {while B {if B {break}}} C! }", {1, "B"}, {2, ""}, {3, ""});
}

static void calls_stand_for_the_part_of_the_callee(void **state)
{
    (void)state;
    EXPECT("def f { if A {g()} {} } def g { h() } def h { B>C g() }", {1, "BC"});
    EXPECT("def f { A>B if A {f()} {C!} }", {2, "BC"});
    EXPECT("def f->C { return g() } def g->C { if A {return g()} {return} }", {2, "C"});
}

static void endless_loops_tell_nobody(void **state)
{
    (void)state;
    EXPECT("def f { if A {loop {A>B}} C! }", {1, "B"});
    EXPECT("def f { loop {if A {return} B!} }", {2, "B"});
    Mini *mini = mini_new("def f->C { loop {A!} }");
    Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
    assert_string_equal(mini_letters(mini, &knowledge->acting[1]), "AC");
    mini_free(mini);
}

static void participants_act_inside_or_leave_differently(void **state)
{
    (void)state;
    EXPECT("def f { try {A>B} {A>C} D! }", {1, "ABC"});
    EXPECT("def f { try {A!} {return} C! }", {1, "AC"});
    EXPECT("def f { try {A!} {A! return} B>A }", {1, "AB"});
    EXPECT("def f { while A {try {B!} {break} } C! }", {1, "B"}, {2, "AB"});
    EXPECT("def f { while A {try {B!} {break} C!} D! }", {1, "BC"}, {2, "ABC"});
    EXPECT("def f { try {A! return} {A! return} B! }", {1, "A"});
    EXPECT("def f { try {A! return} B! }", {1, "A"});
    // B takes part because of the rescue, so it must know on which way the block is left.
    EXPECT("def f { try {if A {return}} {B!} }", {1, "AB"}, {2, "B"});
    EXPECT("def f { try {try {A!} {B!}} {C!} }", {1, "ABC"}, {2, "AB"});
}

static void what_is_never_reached_does_not_count(void **state)
{
    (void)state;
    EXPECT("def f { if A {return B!} {return} C! }", {1, ""});
    EXPECT("def f { loop {A!} B! }", {1, ""});
    Mini *mini = mini_new("def f { if A {return B!} {return} C! }");
    Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
    assert_string_equal(mini_letters(mini, &knowledge->part[0]), "A");
    mini_free(mini);
}

static void notify_must_cover_who_is_told(void **state)
{
    (void)state;
    Mini *mini = mini_new("def f { if A ?BD {B! C!} {B! A! A>C} while A ?B {C!} C! if A ?BD {return} C! "
                          "if A ?D {B! C! D!} {C! B! C! B!} }");
    knowledge_new(mini->arena, mini->diags, mini->program);
    const Diagnostic *const *list;
    assert_int_equal(diags_list(mini->diags, &list), 5);
    assert_string_equal(list[0]->message, "C's part differs between the branches, but 'notify' leaves C out");
    assert_int_equal(list[0]->span.start, 8);
    assert_int_equal(list[0]->notes.count, 2);
    assert_string_equal(list[0]->notes.items[0].message, "in this branch C first does this");
    assert_int_equal(list[0]->notes.items[0].span.start, 21);
    assert_string_equal(list[0]->notes.items[1].message, "in the other branch C first does this");
    assert_int_equal(list[0]->notes.items[1].span.start, 32);
    assert_string_equal(list[1]->notes.items[0].message, "in the loop's body C first does this");
    assert_string_equal(list[1]->notes.items[1].message, "after the loop C first does this");
    assert_string_equal(list[2]->notes.items[0].message, "in this branch C returns here");
    assert_string_equal(list[2]->notes.items[1].message, "otherwise C does nothing here");
    assert_string_equal(list[3]->message, "B's part differs between the branches, but 'notify' leaves B out");
    assert_string_equal(list[3]->notes.items[0].message, "in this branch B does nothing more");
    assert_string_equal(list[3]->notes.items[1].message, "in the other branch B goes on with this");
    mini_free(mini);
}

static void who_does_the_same_in_all_branches_is_not_told(void **state)
{
    (void)state;
    EXPECT("def f { if A {B! C!} {B! D!} E! }", {1, "CD"});
    EXPECT("def f { if A {A! B>A A>B=x} {B>A A>B=x A!} }", {1, ""});
    EXPECT("def f { switch A {B!} {A! B!} {B!} }", {1, ""});
    EXPECT("def f { switch A {B!} {A! B!} {B! B!} }", {1, "B"});
    // Other roles, another order, another variable.
    EXPECT("def f { if A {B! B>A} {B! B>C} }", {1, "BC"});
    EXPECT("def f { if A {B! B>A} {B! C>B} }", {1, "BC"});
    EXPECT("def f { if A {B! B>A} {B>A B!} }", {1, "B"});
    EXPECT("def f { if A {B! B=x} {B! B=x} }", {1, ""});
    EXPECT("def f { if A {B! B=x} {B! B=y} }", {1, "B"});
}

static void sameness_sees_into_statements(void **state)
{
    (void)state;
    EXPECT("def f { if A {if B {C!} {D!}} {A! if B {C!} {D!}} }", {1, ""}, {2, "CD"}, {6, "CD"});
    EXPECT("def f { if A {if B {C!} {D!}} {A! if B {C!} {D! D!}} }", {1, "D"}, {2, "CD"}, {6, "CD"});
    EXPECT("def f { if A {if B {C!} {D!}} {A! if B {C!} {}} }", {1, "BCD"}, {2, "CD"}, {6, "C"});
    EXPECT("def f { if A {if B {C!} {C!}} {A! C!} }", {1, "B"}, {2, ""});
    EXPECT("def f { if A {while B {C!}} {A! while B {C!}} }", {1, ""}, {2, "C"}, {5, "C"});
    EXPECT("def f { if A {try {B>C} {C!}} {A! try {B>C} {C!}} }", {1, ""}, {2, "BC"}, {6, "BC"});
    EXPECT("def f { if A {try {B>C} {C!}} {try {B>C} {C!} A!} }", {1, ""});
    EXPECT("def f { if A {try {B>C} {C!}} {try {B>C D!} {C!}} }", {1, "BCD"});
}

static void jumps_must_lead_to_the_same_place(void **state)
{
    (void)state;
    EXPECT("def f { loop {if A {B! break} {A! B! break}} C! }", {2, ""});
    EXPECT("def f { loop {if A {B! break} {A! B! continue}} B! }", {2, "B"});
    EXPECT("def f { loop {loop {if A {B! break} {A! B! break} } B! } }", {3, ""});
    EXPECT("def f->B { if A {B! return} {A! B! return} }", {1, ""});
    EXPECT("def f { if A {loop {A>B if A {break}}} {A! loop {A>B if A {break}}} }", {1, ""}, {4, "B"}, {9, "B"});
    EXPECT("def f { if A {loop {B! if A {break}}} {A! loop {B! if A {break}}} }", {1, ""}, {4, "B"}, {9, "B"});
    EXPECT("def f { if A {loop {B! if A {break}}} {A! loop {B! if A {break} {break}}} }", {1, "B"});
}

static void calls_are_followed(void **state)
{
    (void)state;
    EXPECT("def f { if A {g()} {A! g()} } def g { B! C! }", {1, ""});
    EXPECT("def f { if A {g()} {A! h()} } def g { B! C! } def h { A! B! C! C! }", {1, "C"});
    EXPECT("def f { if A {g()} {A! h()} } def g { B>C if A {g()} } def h { A! B>C if A {h() A!} }", {1, ""}, {6, "BC"},
           {10, "BC"});
    EXPECT("def f { if A {g()} {A! h()} } def g { B>C if A {h()} } def h { A! B>C if A {g() A!} }", {1, ""});
    EXPECT("def f { if A {g()} {A! h()} } def g { B! B>C if A {h()} } def h { A! B! B>C if A {g() B!} }", {1, "B"});
    EXPECT("def f { if A {f()} {A! f()} B! }", {1, ""});
}

static void who_informs_others_is_told_where_that_is_cheaper(void **state)
{
    (void)state;
    EXPECT("def f { if A {B! B>C} {B! B>C C!} }", {1, "C"});
    EXPECT("def f { if A {B! B>CD} {B! B>CD C! D!} }", {1, "BCD"});
    EXPECT("def f { if A {B! B>CD} {B! B>CD A!} }", {1, ""});
    // What arrives tells for nothing, and B can tell C.
    EXPECT("def f { if A {A>B B>C} {A>B B>C C!} }", {1, "BC"});
    // If D were not told of the inner choice, it would have to be told of the outer one.
    EXPECT("def f { if A {if A {D!} {A! D!}} {A>D} }", {1, "D"}, {2, "D"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whoever_acts_in_a_branch_is_told),
        cmocka_unit_test(deciders_are_not_told),
        cmocka_unit_test(an_early_return_concerns_those_who_act_later),
        cmocka_unit_test(break_and_continue_are_edges),
        cmocka_unit_test(nested_loops_take_another_walk),
        cmocka_unit_test(calls_stand_for_the_part_of_the_callee),
        cmocka_unit_test(endless_loops_tell_nobody),
        cmocka_unit_test(participants_act_inside_or_leave_differently),
        cmocka_unit_test(what_is_never_reached_does_not_count),
        cmocka_unit_test(notify_must_cover_who_is_told),
        cmocka_unit_test(who_does_the_same_in_all_branches_is_not_told),
        cmocka_unit_test(sameness_sees_into_statements),
        cmocka_unit_test(jumps_must_lead_to_the_same_place),
        cmocka_unit_test(calls_are_followed),
        cmocka_unit_test(who_informs_others_is_told_where_that_is_cheaper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
