// Which variables agree where. A mention ends in + (they agree), - (they don't), * (one role's, agreed with another
// role's) or . (one role's own).

#include "compiler/check/mini_test.h"

#include "compiler/check/agree.h"

typedef struct {
    Mini *mini;
    VariableList list;
    Span span;
    size_t mention_count, wrong_count;
} Client;

static char name_in(const Expr *expr)
{
    char first = expr->pieces.items[0].text[0];
    return first >= 'x' && first <= 'z' ? first : '\0';
}

static size_t mentions(void *context, const Expr *expr, const VariableList **lists, const Span **spans)
{
    Client *client = context;
    if (name_in(expr) == '\0')
        return 0;
    client->list = mini_variables(client->mini, &expr->at, name_in(expr));
    *lists = &client->list;
    *spans = &client->span;
    return 1;
}

static void mentioned(void *context, const Expr *expr, size_t mention, bool agree, bool shared)
{
    Client *client = context;
    char expected = expr->pieces.items[0].text[1];
    if (expected == '\0')
        return;
    assert_int_equal(mention, 0);
    client->mention_count++;
    bool is_right = expected == '+' || expected == '-' ? agree == (expected == '+') : shared == (expected == '*');
    if (is_right)
        return;
    client->wrong_count++;
    print_error("%s\nat %u: agree %d, shared %d\n", client->mini->text, expr->span.start, agree, shared);
}

static void expect(const char *text)
{
    size_t expected = 0;
    for (const char *at = strchr(text, '?'); at != NULL; at = strchr(at + 1, '?'))
        expected++;
    Client client = {.mini = mini_new(text)};
    const Program *program = client.mini->program;
    AgreeClient agree = {.mentions = mentions, .mentioned = mentioned, .context = &client};
    agree_instance(client.mini->arena, program, program->instances.items[0], &agree);
    assert_int_equal(client.mention_count, expected);
    assert_int_equal(client.wrong_count, 0);
    mini_free(client.mini);
}

static void what_is_bound_together_agrees(void **state)
{
    (void)state;
    expect("def f { AB=x AB?x+ A?x* AB=y AB?y+ }");
    expect("def f { A>BC=x BC?x+ ABC?x- A=x A?x. B?x* }");
    expect("def f { A>AB=x AB?x+ }");
    expect("def f { A=x B=x AB?x- A?x. }");
    expect("def f { ABC=x AB=x AB?x+ ABC?x- C?x. BC?x- }");
    expect("def f { ABC=x A=x AB?x- BC?x+ A?x. B?x* }");
}

static void a_change_keeps_agreement_only_if_it_was_there(void **state)
{
    (void)state;
    expect("def f { AB=x AB+x AB?x+ }");
    expect("def f { ABC=x AB+x AB?x+ ABC?x- C?x. }");
    expect("def f { AB=x A=x AB+x AB?x- }");
    expect("def f { AB=x AB.x AB?x+ ABC=y AB.y AB?y+ C?y. }");
    expect("def f { AB=x A=x AB.x AB?x- A?x. }");
}

static void what_is_found_to_be_the_same_agrees(void **state)
{
    (void)state;
    expect("def f { A=x B=x AB?x- AB~x AB?x+ A?x* }");
    expect("def f { AB=x A=x ABC~x ABC?x+ C=x AB?x+ ABC?x- }");
    expect("def f { ABC=x AB~x AB?x+ ABC?x- C?x. }");
    expect("def f { A=x B=x if A {AB~x} {} AB?x- }");
    expect("def f { A=x B=x while A {AB~x AB?x+} AB?x- }");
}

static void branches_join_by_intersection(void **state)
{
    (void)state;
    expect("def f { ABC=x if A {C=x ABC?x-} {AB?x+} AB?x+ BC?x- }");
    expect("def f { AB=x if A {AB=x} {AB=x} AB?x+ }");
    expect("def f { AB=x if A {A=x return} AB?x+ }");
    expect("def f { AB=x if A {return} {A=x} AB?x- }");
    expect("def f { ABC=x switch A {AB=x} {BC=x} {} AB?x- BC?x- }");
}

static void loops_go_to_a_fixpoint(void **state)
{
    (void)state;
    expect("def f { AB=x while A {AB?x- A=x AB?x-} AB?x- }");
    expect("def f { AB=x while A {AB?x+ AB=x AB?x+} AB?x+ }");
    expect("def f { AB=x while A {AB?x+ if A {A=x break} AB?x+} AB?x- }");
    expect("def f { AB=x while A {AB?x- if A {A=x continue} AB?x-} AB?x- }");
    expect("def f { AB=x loop {AB?x+ if A {break} } AB?x+ }");
    expect("def f { AB=x do A {AB?x- A=x} AB?x- }");
    expect("def f { AB=x do A {AB=x} AB?x+ }");
    expect("def f { AB=x for A {AB?x- if A {continue}} {A=x} AB?x- }");
    expect("def f { AB=x AB=y while A {while A {AB?x- AB?y-} if A {A=x} while A {A=y}} }");
    expect("def f { AB=x while A {A=x return} AB?x+ }");
}

static void a_rescue_starts_as_at_entry(void **state)
{
    (void)state;
    expect("def f { AB=x try {A=x AB?x-} {AB?x+} AB?x- }");
    expect("def f { AB=x try {A=x return} {AB?x+} AB?x+ }");
    expect("def f { A=x try {AB=x} {AB=x} AB?x+ }");
    expect("def f { AB=x try {A=x} AB?x- }");
}

static void variables_that_are_ever_bound_together_are_marked(void **state)
{
    (void)state;
    Client client = {.mini = mini_new("def f { A=x A=y B=y A>AB=x C=x while A {BC=z} }")};
    const Program *program = client.mini->program;
    const Instance *instance = program->instances.items[0];
    AgreeClient agree = {.mentions = mentions, .mentioned = mentioned, .context = &client};
    agree_instance(client.mini->arena, program, instance, &agree);
    static const char *const expected[] = {"0x", "1x", "1z", "2z"};
    size_t found = 0;
    for (size_t i = 0; i < instance->variables.count; i++) {
        const Variable *variable = instance->variables.items[i];
        bool is_expected = false;
        for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
            is_expected |= variable->role == (RoleId)(expected[k][0] - '0') && variable->name[0] == expected[k][1];
        assert_int_equal(variable->is_agreed, is_expected);
        found += is_expected;
    }
    assert_int_equal(found, 4);
    mini_free(client.mini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_bound_together_agrees),
        cmocka_unit_test(a_change_keeps_agreement_only_if_it_was_there),
        cmocka_unit_test(what_is_found_to_be_the_same_agrees),
        cmocka_unit_test(branches_join_by_intersection),
        cmocka_unit_test(loops_go_to_a_fixpoint),
        cmocka_unit_test(a_rescue_starts_as_at_entry),
        cmocka_unit_test(variables_that_are_ever_bound_together_are_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
