// Emission: companions of small programs, descriptors of types, #line directives.

#include "compiler/check/mini_test.h"

#include "compiler/emit/internal.h"
#include "compiler/project/project.h"

typedef struct {
    Mini *mini;
    CompanionList companions;
} Emitted;

static Emitted emitted_from(Mini *mini)
{
    static bool taken[MINI_ROLES];
    Emitted result = {.mini = mini};
    mini->program->role_name_taken = taken;
    Knowledge *knowledge = knowledge_new(mini->arena, mini->diags, mini->program);
    LocalProgram **locals = project_all(mini->arena, mini->program, knowledge);
    EmitOptions options = {"mini.c"};
    emit_companions(mini->arena, mini->program, locals, &options, &result.companions);
    return result;
}

static Emitted emitted(const char *text)
{
    return emitted_from(mini_new(text));
}

static const char *companion(const Emitted *result, const char *name)
{
    for (size_t i = 0; i < result->companions.count; i++)
        if (strcmp(result->companions.items[i].name, name) == 0)
            return result->companions.items[i].text;
    fail_msg("no companion %s", name);
    return NULL;
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("'%s' is in:\n%s", part, text);
}

// ---- text ----

static void own_lines_are_numbered_where_they_end_up(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Out out, part;
    out_init(&out, arena, "\"a.c\"");
    out_init(&part, arena, "\"a.c\"");
    out_statement(&part, 7);
    out_puts(&part, "seven();");
    out_own(&part);
    out_puts(&part, "own();\n");
    out_puts(&out, "first\nsecond\n");
    out_append(&out, &part);
    assert_string_equal(out_finish(&out, "a.chor.h"),
                        "first\nsecond\n#line 7 \"a.c\"\nseven();\n#line 6 \"a.chor.h\"\nown();\n");
    arena_free(arena);
}

static void following_lines_need_no_directive(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Out out;
    out_init(&out, arena, "\"a.c\"");
    out_statement(&out, 7);
    out_puts(&out, "seven();");
    out_statement(&out, 8);
    out_puts(&out, "eight();");
    out_statement(&out, 8);
    out_puts(&out, "again();");
    assert_string_equal(out_finish(&out, "x"), "#line 7 \"a.c\"\nseven();\neight();\n#line 8 \"a.c\"\nagain();\n");
    arena_free(arena);
}

static void literals_are_safe(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_string_equal(c_literal(arena, "a\"b\\c\n1?\?/"), "\"a\\\"b\\\\c\\0121\\077?/\"");
    arena_free(arena);
}

// ---- types ----

static const CType type_int = {.kind = CTYPE_INTEGER,
                               .spelling = "int",
                               .canonical = "int",
                               .before = "int ",
                               .after = "",
                               .is_signed = true,
                               .is_named = true,
                               .is_sendable = true,
                               .size = 4};
static const CType type_string = {.kind = CTYPE_CSTRING,
                                  .spelling = "const char *",
                                  .canonical = "const char *",
                                  .before = "const char *",
                                  .after = "",
                                  .is_named = true,
                                  .is_sendable = true,
                                  .is_owning = true,
                                  .size = 8};

static CType struct_type(Arena *arena, const char *name, const char *field, const CType *type, bool is_bitfield)
{
    CType result = {.kind = CTYPE_STRUCT,
                    .spelling = name,
                    .canonical = name,
                    .after = "",
                    .is_named = true,
                    .is_sendable = true,
                    .is_owning = type->is_owning};
    result.before = arena_printf(arena, "%s ", name);
    CField added = {field, type, is_bitfield};
    vector_push(arena, &result.fields, added);
    return result;
}

static void a_descriptor_comes_once_and_after_its_parts(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    TypeTable table;
    types_init(&table, arena, "demo", NULL);
    CType inner = struct_type(arena, "struct inner", "n", &type_int, false);
    CType outer = struct_type(arena, "struct outer", "in", &inner, false);
    assert_string_equal(types_use(&table, &outer), "demo_chx_type_struct_outer");
    assert_string_equal(types_use(&table, &outer), "demo_chx_type_struct_outer");
    assert_string_equal(types_use(&table, &type_int), "chx_type_int");
    Out out;
    out_init(&out, arena, "\"a.c\"");
    types_print(&table, &out);
    char *text = out_finish(&out, "x");
    const char *first = strstr(text, "chx_type demo_chx_type_struct_inner ");
    const char *second = strstr(text, "chx_type demo_chx_type_struct_outer ");
    assert_non_null(first);
    assert_non_null(second);
    assert_true(first < second);
    assert_null(strstr(second + 1, "chx_type demo_chx_type_struct_outer "));
    arena_free(arena);
}

static void a_type_without_a_name_is_reached_through_its_member(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    TypeTable table;
    types_init(&table, arena, "demo", NULL);
    CType inner = struct_type(arena, "struct (unnamed at x.c:1:1)", "n", &type_int, false);
    inner.is_named = false;
    CType outer = struct_type(arena, "struct outer", "in", &inner, false);
    types_use(&table, &outer);
    Out out;
    out_init(&out, arena, "\"a.c\"");
    types_print(&table, &out);
    char *text = out_finish(&out, "x");
    assert_has(text, "offsetof(struct outer, in.n) - offsetof(struct outer, in)");
    assert_has(text, "sizeof(((struct outer *)0)->in)");
    assert_lacks(text, "x.c:1");
    arena_free(arena);
}

static void bit_fields_go_through_a_shadow(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    TypeTable table;
    types_init(&table, arena, "demo", NULL);
    CType packed = struct_type(arena, "struct packed", "n", &type_int, true);
    types_use(&table, &packed);
    Out out;
    out_init(&out, arena, "\"a.c\"");
    types_print(&table, &out);
    char *text = out_finish(&out, "x");
    assert_has(text, "CHX_KIND_SHADOW");
    assert_has(text, "offsetof(struct demo_shadow_struct_packed, n)");
    assert_lacks(text, "offsetof(struct packed, n)");
    arena_free(arena);
}

static void tuples_of_the_same_types_share_a_struct(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    TypeTable table, role;
    types_init(&table, arena, "demo", NULL);
    types_init(&role, arena, "demo_A", &table);
    const CType *parts[] = {&type_int, &type_string};
    Shape first = types_tuple(&table, parts, 2);
    Shape second = types_tuple(&role, parts, 2);
    assert_string_equal(first.descriptor, second.descriptor);
    assert_true(first.is_owning);
    assert_string_equal(shape_declare(arena, &second, "v"), "struct demo_tuple_int_const_char_p v");
    assert_int_equal(role.entries.count, 0);
    arena_free(arena);
}

static void const_goes_to_the_elements(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    CType numbers = {.before = "int ", .before_const = "const int ", .after = "[3]"};
    CType strings = {.before = "const char *", .before_const = "const char *const ", .after = "[3]"};
    assert_string_equal(type_declare(arena, &numbers, "a"), "int a[3]");
    assert_string_equal(type_name(arena, &strings), "const char *[3]");
    assert_string_equal(type_declare_const(arena, &numbers, "a"), "const int a[3]");
    assert_string_equal(type_declare_const(arena, &strings, "a"), "const char *const a[3]");
    arena_free(arena);
}

// ---- companions ----

static void there_is_one_companion_per_role_and_the_interface(void **state)
{
    (void)state;
    Emitted result = emitted("def f->B { A>B=x return }");
    assert_int_equal(result.companions.count, MINI_ROLES + 1);
    assert_string_equal(result.companions.items[0].name, "mini.chor.h");
    assert_has(companion(&result, "mini.chor.h"), "// Made by chorcc from mini.c\n");
    assert_has(companion(&result, "mini.chor.h"), "struct mini_f_result {\n    int B;\n};");
    assert_has(companion(&result, "mini.A.chor.h"), "chx_send(chx_this, mini_A_to_B, 1, ");
    assert_has(companion(&result, "mini.B.chor.h"), "chx_receive(chx_this, mini_B_from_A, 1, &B->x, sizeof B->x)");
    mini_free(result.mini);
}

static void the_same_program_gives_the_same_bytes(void **state)
{
    (void)state;
    const char *text = "def f->AB { A>B=x while A { A>BC=y switch B {A!} {break} {B>A=z continue} } g() return } "
                       "def g { if B {B>C} }";
    Emitted first = emitted(text);
    Emitted second = emitted(text);
    for (size_t i = 0; i < first.companions.count; i++)
        assert_string_equal(first.companions.items[i].text, second.companions.items[i].text);
    mini_free(first.mini);
    mini_free(second.mini);
}

static void leaving_a_loop_from_a_switch_is_a_goto(void **state)
{
    (void)state;
    Emitted result = emitted("def f { while A { switch A { break } { A! } } A>B }");
    const char *text = companion(&result, "mini.A.chor.h");
    assert_has(text, "goto chx_break_1;");
    assert_has(text, "chx_break_1:;");
    assert_lacks(text, "continue_1");
    mini_free(result.mini);
}

static void continue_in_a_for_reaches_the_step(void **state)
{
    (void)state;
    Emitted result = emitted("def f { for A { if A { continue } A! } { A+x } }");
    const char *text = companion(&result, "mini.A.chor.h");
    assert_has(text, "goto chx_continue_1;");
    assert_has(text, "chx_continue_1:;");
    mini_free(result.mini);
}

static void every_label_is_jumped_to(void **state)
{
    (void)state;
    Emitted result = emitted("def f->A { A>B=x B>A=y if A { A>C } g() return } def g { A>B }");
    const char *text = companion(&result, "mini.A.chor.h");
    for (const char *label = strstr(text, "\nchx_at_"); label != NULL; label = strstr(label + 1, "\nchx_at_")) {
        char jump[32];
        snprintf(jump, sizeof jump, "goto chx_at_%d;", atoi(label + strlen("\nchx_at_")));
        assert_has(text, jump);
    }
    mini_free(result.mini);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part))
        count++;
    return count;
}

// What snapshots need to know of a role.
static void functions_have_numbers_and_labels(void **state)
{
    (void)state;
    Emitted result = emitted("def f { A>B g() B! } def g { A>B=x B>A=y A>B=x }");
    const char *text = companion(&result, "mini.A.chor.h");
    assert_has(text, "static const chx_function *const mini_A_chx_function_table[] = {\n"
                     "    &mini_A_f_chx_function,\n    &mini_A_g_chx_function,\n};\n");
    assert_has(text, "    mini_A_chx_function_table, 2, UINT64_C(0x");
    // The last of each object: its number, how many labels its code has, and where these are in the choreography.
    const char *g = strstr(text, "static const chx_function mini_A_g_chx_function CHX_UNUSED = {\n");
    assert_non_null(g);
    static const char last[] = "1, 3, NULL, mini_A_g_chx_lines";
    const char *end = strstr(g, ",\n};\n");
    assert_memory_equal(end - strlen(last), last, strlen(last));
    assert_has(text, "static const uint32_t mini_A_g_chx_lines[] CHX_UNUSED = {\n    ");
    assert_int_equal(count_of(text, "case 3: goto chx_at_3;"), 1);
    assert_int_equal(count_of(text, "case 4: goto"), 0);
    mini_free(result.mini);
}

static uint64_t state_of(const Emitted *result, const char *name)
{
    static const char before[] = "_chx_function_table, 1, UINT64_C(";
    const char *text = strstr(companion(result, name), before);
    assert_non_null(text);
    return strtoull(text + strlen(before), NULL, 16);
}

// Have the role's snapshots of the two programs the same digest?
static bool same_state(Emitted one, Emitted other, const char *name)
{
    bool is_same = state_of(&one, name) == state_of(&other, name);
    mini_free(one.mini);
    mini_free(other.mini);
    return is_same;
}

static void the_state_digest_is_of_the_roles_own_variables(void **state)
{
    (void)state;
    assert_false(same_state(emitted("def f { A>B=x }"), emitted("def f { A>B=y }"), "mini.B.chor.h"));
    assert_true(same_state(emitted("def f { A>B=x }"), emitted("def f { A>B=y }"), "mini.A.chor.h"));
}

// B's variable is a struct with such a member.
static Emitted emitted_with_member(const char *member)
{
    Mini *mini = mini_new("def f { B! A>B=x }");
    VariableList *variables = &mini->program->instances.items[0]->variables;
    CType *type = ARENA_NEW(mini->arena, CType);
    *type = struct_type(mini->arena, "struct outer", member, &type_int, false);
    assert_int_equal(variables->count, 1);
    variables->items[0]->type = type;
    return emitted_from(mini);
}

static void the_state_digest_is_of_the_members_of_structs(void **state)
{
    (void)state;
    assert_true(same_state(emitted_with_member("n"), emitted_with_member("n"), "mini.B.chor.h"));
    assert_false(same_state(emitted_with_member("n"), emitted_with_member("m"), "mini.B.chor.h"));
    assert_true(same_state(emitted_with_member("n"), emitted_with_member("m"), "mini.A.chor.h"));
}

static void the_state_digest_is_of_the_labels(void **state)
{
    (void)state;
    // The same variables, and one more place to go on at.
    assert_false(same_state(emitted("def f { A>B=x }"), emitted("def f { A>B=x A>B=x }"), "mini.B.chor.h"));
}

static void body_and_rescue_are_places_to_go_on_at(void **state)
{
    (void)state;
    Emitted result = emitted("def f { try { A>B } { A! } }");
    const char *text = companion(&result, "mini.A.chor.h");
    assert_has(text, ", 2, 3,\n"); // body_at, rescue_at
    assert_has(text, "case 2: goto chx_at_2;");
    assert_has(text, "case 3: goto chx_at_3;");
    assert_int_equal(count_of(text, "chx_enter("), 1);
    assert_int_equal(count_of(text, "chx_leave("), 2);
    mini_free(result.mini);
}

static void every_way_out_leaves_the_blocks_that_it_leaves(void **state)
{
    (void)state;
    // The end of the inner body is not reached; `break` leaves one block, `return` two.
    Emitted result = emitted("def f->A { try { A! for A { try { A! break } { A! } } { A! } return } { A! } }");
    const char *text = companion(&result, "mini.A.chor.h");
    assert_int_equal(count_of(text, "chx_leave("), 4);
    mini_free(result.mini);
    result = emitted("def f->A { try { try { A! return } { A! } } { A! } return }");
    text = companion(&result, "mini.A.chor.h");
    assert_int_equal(count_of(text, "chx_leave("), 5);
    mini_free(result.mini);
}

// ---- what roles must have in common ----

static uint64_t protocol_of(const Emitted *result, const char *name)
{
    const char *end = strstr(companion(result, name),
                             strcmp(name, "mini.chor.h") == 0 ? "), CHX_BUILT, " : "),\n    NULL, NULL,\n};\n");
    assert_non_null(end);
    return strtoull(end - strlen("0x0123456789abcdef"), NULL, 16);
}

static bool same_protocol(const char *one, const char *other)
{
    Emitted first = emitted(one), second = emitted(other);
    uint64_t digest = protocol_of(&first, "mini.chor.h");
    assert_true(digest != 0);
    assert_true(digest == protocol_of(&first, "mini.A.chor.h"));
    bool is_same = digest == protocol_of(&second, "mini.chor.h");
    mini_free(first.mini);
    mini_free(second.mini);
    return is_same;
}

static void the_protocol_is_what_travels(void **state)
{
    (void)state;
    assert_true(same_protocol("def f { A>B=x }", "def f { A>B=y }"));
    assert_true(same_protocol("def f { A>B=x A+x B! }", "def f { A>B=x B! A! A! }"));
    assert_false(same_protocol("def f { A>B=x }", "def f { B>A=x }"));
    assert_false(same_protocol("def f { A>B=x }", "def f { A>BC=x }"));
    assert_false(same_protocol("def f { A>B=x }", "def f { A>B=x A>B=x }"));
    assert_false(same_protocol("def f { A>B=x }", "def g { A>B=x }"));
    assert_false(same_protocol("def f->A { A>B=x return }", "def f->B { A>B=x return }"));
    assert_false(same_protocol("def f { g() A>B } def g { B>A }", "def f { A>B g() } def g { B>A }"));
}

// The number of the message is the same: that of the first statement of the branch.
static void the_protocol_is_where_it_travels(void **state)
{
    (void)state;
    assert_false(same_protocol("def f { if A { A>B } { } }", "def f { while A { A>B } }"));
    assert_false(same_protocol("def f { if A { A>B } { } }", "def f { if A { } { A>B } }"));
    assert_false(same_protocol("def f { if A { A>B } { A>B } }", "def f { switch A { A>B } { A>B } { A>B } }"));
    assert_false(same_protocol("def f { try { A>B } { } }", "def f { try { A>B } { A! } B>A }"));
    assert_false(same_protocol("def f { loop { A>B } }", "def f { loop { A>B break } }"));
    // Nobody else notices whether A does something once, often or never.
    assert_true(same_protocol("def f { A>B A! A! }", "def f { A>B if A { A! } }"));
    assert_true(same_protocol("def f { A>B A! A! }", "def f { A>B while A { A! } }"));
}

static void all_blocks_are_in_the_interface(void **state)
{
    (void)state;
    Emitted result = emitted("def f { A>B try { A>C g() } { A! } } def g { try { B! } { } }");
    const char *text = companion(&result, "mini.chor.h");
    assert_has(text, "static const unsigned mini_chx_block_2_participants[] = {0, 1, 2};\n");
    assert_has(text, "static const unsigned mini_chx_block_6_participants[] = {1};\n");
    assert_has(text, "static const chx_block mini_chx_all_blocks[] = {\n"
                     "    {2, 0, UINT64_C(0), mini_chx_block_2_participants, 3, true, false, false},\n"
                     "    {6, 0, UINT64_C(0), mini_chx_block_6_participants, 1, true, false, false},\n};\n");
    assert_has(text, "    mini_chx_all_blocks, 2, UINT64_C(0x");
    mini_free(result.mini);
    result = emitted("def f { A>B }");
    assert_has(companion(&result, "mini.chor.h"), "    NULL, 0, UINT64_C(0x");
    mini_free(result.mini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_lines_are_numbered_where_they_end_up),
        cmocka_unit_test(following_lines_need_no_directive),
        cmocka_unit_test(literals_are_safe),
        cmocka_unit_test(a_descriptor_comes_once_and_after_its_parts),
        cmocka_unit_test(a_type_without_a_name_is_reached_through_its_member),
        cmocka_unit_test(bit_fields_go_through_a_shadow),
        cmocka_unit_test(tuples_of_the_same_types_share_a_struct),
        cmocka_unit_test(const_goes_to_the_elements),
        cmocka_unit_test(there_is_one_companion_per_role_and_the_interface),
        cmocka_unit_test(the_same_program_gives_the_same_bytes),
        cmocka_unit_test(leaving_a_loop_from_a_switch_is_a_goto),
        cmocka_unit_test(continue_in_a_for_reaches_the_step),
        cmocka_unit_test(every_label_is_jumped_to),
        cmocka_unit_test(functions_have_numbers_and_labels),
        cmocka_unit_test(the_state_digest_is_of_the_roles_own_variables),
        cmocka_unit_test(the_state_digest_is_of_the_members_of_structs),
        cmocka_unit_test(the_state_digest_is_of_the_labels),
        cmocka_unit_test(body_and_rescue_are_places_to_go_on_at),
        cmocka_unit_test(every_way_out_leaves_the_blocks_that_it_leaves),
        cmocka_unit_test(the_protocol_is_what_travels),
        cmocka_unit_test(the_protocol_is_where_it_travels),
        cmocka_unit_test(all_blocks_are_in_the_interface),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
