// A unit's errors and references, mapped back to the user's text.

#include "compiler/ctypes/testing.h"

#include <stdio.h>

static const CError *error_with(const CErrorList *errors, const char *message)
{
    for (size_t i = 0; i < errors->count; i++)
        if (strstr(errors->items[i].message, message) != NULL)
            return &errors->items[i];
    for (size_t i = 0; i < errors->count; i++)
        print_message("%s\n", errors->items[i].message);
    fail_msg("no error '%s'", message);
    return NULL;
}

static void an_error_lies_at_the_users_token(void **state)
{
    (void)state;
    Testing t = testing_new("e.c", "struct box { int w; }; @@ nowhere + x  x = 3  b.height  later(1)  strlen(s)  x + \n"
                                   "x + /* none */ missing2");
    testing_unit(&t);
    ctext(t.unit, "; void f(void) {\n");
    testing_value(&t, "A1", "int x;", "nowhere + x");
    testing_value(&t, "A2", "const int x = 0;", "x = 3");
    testing_value(&t, "A3", "struct box b;", "b.height");
    testing_value(&t, "A4", "", "later(1)");
    testing_value(&t, "A5", "const char *s;", "strlen(s)");
    testing_value(&t, "A6", "int x;", "x + \n");
    testing_value(&t, "A7", "int x;", "x + /* none */ missing2");
    ctext(t.unit, "}\n");
    testing_parse(&t);
    CErrorList errors = {0};
    cunit_errors(t.unit, &errors);
    assert_int_equal(errors.count, 7);
    const CError *error = error_with(&errors, "'nowhere'");
    assert_string_equal(error->undeclared, "nowhere");
    assert_string_equal(testing_text(&t, error->span), "nowhere");
    error = error_with(&errors, "cannot assign");
    assert_true(error->is_const_assignment);
    assert_string_equal(testing_text(&t, error->span), "x");
    assert_int_equal(error->span.start, testing_span(&t, "x = 3", 0).start);
    assert_int_equal(error->notes.count, 0);
    error = error_with(&errors, "no member");
    assert_string_equal(error->no_member, "height");
    assert_string_equal(testing_text(&t, error->span), "height");
    assert_string_equal(error_with(&errors, "'later'")->implicit_function, "later");
    assert_string_equal(error_with(&errors, "'strlen'")->implicit_function, "strlen");
    assert_int_equal(error_with(&errors, "expected expression")->span.file, t.source->id);
    assert_string_equal(testing_text(&t, error_with(&errors, "missing2")->span), "missing2");
    assert_int_equal(cunit_type_of(t.unit, "A1")->kind, CTYPE_INVALID);
    assert_int_equal(cunit_init_type_of(t.unit, "A3")->kind, CTYPE_INVALID);
    CErrorList prefix = {0};
    cunit_prefix_errors(t.unit, &prefix);
    assert_int_equal(prefix.count, 0);
    testing_free(&t);
}

static void one_mistake_gives_one_error(void **state)
{
    (void)state;
    Testing t = testing_new("e.c", "int g(int);\n#define TWICE(a) ((a) + (a))\n"
                                   "@@ nowhere  g(x)  x.y  x[1]  TWICE(lost)  nosuch_t  x + 2  get(x)");
    testing_unit(&t);
    ctext(t.unit, "; ");
    testing_copy(&t, "nosuch_t");
    ctext(t.unit, " Seller__get(int x); void f(void) {\n");
    testing_value(&t, "A1", "", "nowhere");
    testing_value(&t, "A2", "__typeof__(A1) x;", "g(x)");
    testing_value(&t, "A3", "__typeof__(A1) x;", "x.y");
    testing_value(&t, "A4", "__typeof__(A3) x;", "x[1]");
    ctext(t.unit, "int A5 = ({ __typeof__(A1) x; (");
    testing_copy(&t, "x + 2");
    ctext(t.unit, "); });\n");
    testing_value(&t, "A6", "", "TWICE(lost)");
    testing_copy(&t, "nosuch_t");
    ctext(t.unit, " A7;\n");
    testing_value(&t, "A8", "__typeof__(A7) x;", "x.y");
    ctext(t.unit, "__auto_type A9 = ({ int x = 1; (");
    ccopy_as(t.unit, testing_span(&t, "get", 0), "Seller__get");
    testing_copy(&t, "(x)");
    ctext(t.unit, "); });\n}\n");
    ctext(t.unit, "void g2(void) {\n");
    testing_value(&t, "B1", "", "nowhere");
    testing_value(&t, "B2", "__typeof__(B1) x;", "x + 2");
    ctext(t.unit, "}\n");
    testing_parse(&t);
    CErrorList errors = {0};
    cunit_errors(t.unit, &errors);
    const char *const expected[] = {"nosuch_t", "nowhere", "lost"};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        error_with(&errors, expected[i]);
    assert_int_equal(cunit_type_of(t.unit, "A7")->kind, CTYPE_INVALID);
    assert_int_equal(cunit_type_of(t.unit, "A8")->kind, CTYPE_INVALID);
    assert_int_equal(cunit_type_of(t.unit, "A5")->kind, CTYPE_INTEGER);
    assert_int_equal(errors.count, 3);
    testing_free(&t);
}

static void an_error_in_our_text_goes_to_the_copied_text_that_caused_it(void **state)
{
    (void)state;
    Testing t = testing_new("e.c", "struct box { int w; }; struct opaque; void nothing(void);\n"
                                   "@@ the_box  nothing()  struct opaque  flag  \"text\"");
    testing_unit(&t);
    ctext(t.unit, "; void f(void) {\nint A1 = ({ struct box the_box; ( ");
    testing_copy(&t, "the_box  ");
    ctext(t.unit, "); });\n");
    testing_value(&t, "A2", "int x;", "nothing()");
    testing_copy(&t, "struct opaque ");
    ctext(t.unit, " A3;\nif (({ struct box flag; (");
    testing_copy(&t, "flag");
    ctext(t.unit, "); })) { int A4; }\nint *A5; A5 = ({ (");
    testing_copy(&t, "\"text\"");
    ctext(t.unit, "); });\n}\n");
    testing_parse(&t);
    CErrorList errors = {0};
    cunit_errors(t.unit, &errors);
    static const char *const expected[][2] = {
        {"initializing 'int'", "the_box"},
        {"variable has incomplete type 'void'", "nothing()"},
        {"incomplete type 'struct opaque'", "struct opaque"},
        {"requires expression of scalar type", "flag"},
        {"incompatible pointer types assigning", "\"text\""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(testing_text(&t, error_with(&errors, expected[i][0])->span), expected[i][1]);
    assert_int_equal(errors.count, 5);
    testing_free(&t);
}

static void an_error_in_a_macro_lies_at_its_use(void **state)
{
    (void)state;
    Testing t = testing_new("e.c", "#define BAD(a) ((a) + nowhere)\n#define SAME(a) (a)\n#define SET(v) ((v) = 1)\n"
                                   "@@ 1 + BAD(x)  SAME(BAD(x))  SAME(lost)  SET(x)");
    testing_unit(&t);
    ctext(t.unit, "; void f(void) {\n");
    testing_value(&t, "A1", "int x;", "1 + BAD(x)");
    testing_value(&t, "A2", "int x;", "SAME(BAD(x))");
    testing_value(&t, "A3", "int x;", "SAME(lost)");
    testing_value(&t, "A4", "const int x = 0;", "SET(x)");
    ctext(t.unit, "}\n");
    testing_parse(&t);
    CErrorList errors = {0};
    cunit_errors(t.unit, &errors);
    assert_int_equal(errors.count, 4);
    for (int i = 0; i < 2; i++) {
        const CError *error = &errors.items[i];
        assert_true(error->in_macro);
        assert_string_equal(error->macro, "BAD");
        assert_string_equal(error->undeclared, "nowhere");
        assert_string_equal(testing_text(&t, error->span), "BAD");
        assert_true(error->notes.count > 0);
        assert_int_equal(error->notes.items[0].span.start, testing_span(&t, "nowhere", 0).start);
    }
    assert_false(errors.items[2].in_macro);
    assert_string_equal(testing_text(&t, errors.items[2].span), "lost");
    assert_true(errors.items[3].is_const_assignment);
    assert_string_equal(errors.items[3].macro, "SET");
    testing_free(&t);
}

static void errors_of_the_prefix_are_kept_apart(void **state)
{
    (void)state;
    Testing t = testing_new("e.c", "#include \"nosuch.h\"\n#include \"virtual.h\"\nint a = wrong;\n@@ v + 1");
    CVirtualFile file = {"virtual.h", "int v;\nint w = bad;\n"};
    vector_push(t.arena, &t.flags.files, file);
    testing_unit(&t);
    ctext(t.unit, "; void f(void) {\n");
    testing_value(&t, "A1", "", "v + 1");
    ctext(t.unit, "}\n");
    testing_parse(&t);
    CErrorList errors = {0}, prefix = {0};
    cunit_errors(t.unit, &errors);
    cunit_prefix_errors(t.unit, &prefix);
    assert_int_equal(errors.count, 0);
    assert_int_equal(prefix.count, 3);
    assert_string_equal(testing_text(&t, error_with(&prefix, "'wrong'")->span), "wrong");
    assert_string_equal(testing_text(&t, error_with(&prefix, "file not found")->span), "\"nosuch.h\"");
    const CError *error = error_with(&prefix, "'bad'");
    assert_int_equal(error->span.file, FILE_NONE);
    assert_non_null(strstr(error->message, "virtual.h:2:9: use of"));
    assert_string_equal(cunit_type_of(t.unit, "A1")->spelling, "int");
    testing_free(&t);
}

static void a_block_inside_of_conditionals_is_read(void **state)
{
    (void)state;
    Testing t = testing_new("guard.h", "#ifndef GUARD_H\n#define GUARD_H\n/* #if */ // #if\n#define S \"#if\" \\\n#if\n"
                                       "#if 1\n#if 0\n#endif\n  #  ifdef __STDC__\nint v; @@ v + 1");
    testing_unit(&t);
    ctext(t.unit, "; void f(void) {\n");
    testing_value(&t, "A1", "", "v + 1");
    ctext(t.unit, "}\n");
    testing_parse(&t);
    CErrorList errors = {0};
    cunit_errors(t.unit, &errors);
    cunit_prefix_errors(t.unit, &errors);
    assert_int_equal(errors.count, 0);
    assert_string_equal(cunit_type_of(t.unit, "A1")->spelling, "int");
    testing_free(&t);
}

static void an_open_prefix_is_one_error_at_the_prefix(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"int g(void) { if (1) { return 1; }\n@@ v + 1", "{"},
        {"int a = (3 +\n\n@@ v + 1", "+"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        Testing t = testing_new("open.c", texts[i][0]);
        testing_unit(&t);
        ctext(t.unit, "void f(void) {\n");
        testing_value(&t, "A1", "int v;", "v + 1");
        ctext(t.unit, "}\n");
        testing_parse(&t);
        CErrorList errors = {0};
        cunit_errors(t.unit, &errors);
        assert_int_equal(errors.count, 1);
        assert_int_equal(errors.items[0].span.start, testing_span(&t, texts[i][1], 0).start);
        testing_free(&t);
    }
}

static void warnings_of_the_users_compiler_are_no_errors_of_the_prefix(void **state)
{
    (void)state;
    Testing t = testing_new("w.c", "int *p = 3; char *s = \"abc\"; void g(char *);\n"
                                   "void h(void) { g(\"x\"); later(); }\n@@");
    testing_unit(&t);
    testing_parse(&t);
    CErrorList errors = {0};
    cunit_errors(t.unit, &errors);
    cunit_prefix_errors(t.unit, &errors);
    assert_int_equal(errors.count, 0);
    testing_free(&t);
}

static void references_are_found_wherever_they_stand(void **state)
{
    (void)state;
    Testing t = testing_new("r.c", "#define TWICE(a) ((a) + (a))\n#define HIDDEN (p + 1)\n#define PASTE(a, b) a##b\n"
                                   "#define BOTH(f) (f(1) + (f != 0))\n"
                                   "int outside; int helper(int); typedef struct { int p; } point;\n"
                                   "@@ p + outside + helper(p)  TWICE(p)  HIDDEN  PASTE(p, q)  (point){.p = p}.p\n"
                                   "get(p)  sizeof(p) + sizeof(int[p])  ({ int own = p; own; })  BOTH(get)");
    testing_unit(&t);
    ctext(t.unit, ";int Seller__get(int);\nvoid f(void) { int V; int W;\n");
    static const char *const values[] = {"p + outside + helper(p)",
                                         "TWICE(p)",
                                         "HIDDEN",
                                         "PASTE(p, q)",
                                         "(point){.p = p}.p",
                                         "sizeof(p) + sizeof(int[p])",
                                         "({ int own = p; own; })"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        testing_value(&t, arena_printf(t.arena, "A%zu", i), "__typeof__(V) p; __typeof__(W) pq;", values[i]);
    ctext(t.unit, "__auto_type A9 = ({ __typeof__(V) p; ");
    ccopy_as(t.unit, testing_span(&t, "get", 0), "Seller__get");
    testing_copy(&t, "(p)  sizeof(p)");
    ctext(t.unit, "; }), A10 = ");
    testing_copy(&t, "BOTH(");
    ccopy_as(t.unit, testing_span(&t, "get)", 0), "Seller__get)");
    ctext(t.unit, ";\n}\n");
    testing_parse(&t);
    CReferenceList list = {0};
    cunit_references(t.unit, &list);
    char found[1000] = "";
    for (size_t i = 0; i < list.count; i++) {
        const CReference *reference = &list.items[i];
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s@%s%s%s%s ", reference->name,
                 testing_text(&t, reference->span), reference->is_called ? "()" : "", reference->macro ? "!" : "",
                 reference->macro ? reference->macro : "");
    }
    assert_string_equal(
        found,
        "p@p p@p p@p p@HIDDEN!HIDDEN pq@PASTE!PASTE p@p p@p p@p p@p Seller__get@get() p@p p@p Seller__get@get) ");
    assert_int_equal(list.items[0].span.start, testing_span(&t, "p + outside", 0).start);
    assert_int_equal(list.items[5].span.start, testing_span(&t, "p}.p", 0).start);
    testing_free(&t);
}

static void large_units_take_about_linear_time(void **state)
{
    (void)state;
    Testing t = testing_new("big.c", "#include <stdio.h>\n#include <stdlib.h>\n@@ x + 1");
    testing_unit(&t);
    ctext(t.unit, ";\nvoid f(void) { int A0;\n");
    enum { COUNT = 10000 };
    for (int i = 1; i <= COUNT; i++)
        testing_value(&t, arena_printf(t.arena, "A%d", i), arena_printf(t.arena, "__typeof__(A%d) x;", i - 1), "x + 1");
    ctext(t.unit, "}\n");
    testing_parse(&t);
    for (int i = 0; i <= COUNT; i++)
        assert_int_equal(cunit_init_type_of(t.unit, arena_printf(t.arena, "A%d", i))->kind, CTYPE_INTEGER);
    CErrorList errors = {0};
    cunit_errors(t.unit, &errors);
    assert_int_equal(errors.count, 0);
    CReferenceList references = {0};
    cunit_references(t.unit, &references);
    assert_int_equal(references.count, COUNT);
    testing_free(&t);
}

static void only_flags_that_matter_for_reading_are_kept(void **state)
{
    (void)state;
    static const char *const cc[] = {
        "-c",
        "-o",
        "x.o",
        "-Iinc",
        "-I",
        "inc2",
        "-DA=1",
        "-D",
        "B",
        "x.c",
        "-O2",
        "-g",
        "-Wall",
        "-Wl,-z,now",
        "-lm",
        "-l",
        "pthread",
        "-MD",
        "-MF",
        "x.d",
        "-fanalyzer",
        "-fsanitize=address",
        "-funsigned-char",
        "-m32",
        "-std=c23",
        "-pedantic-errors",
        "-Wp,-DFORT=2,-UX",
        "-include",
        "pre.h",
        "-isystemsys",
        "-pthread",
        "-fno-omit-frame-pointer",
        "-x",
        "c",
        "-fpack-struct=4",
    };
    Arena *arena = arena_new();
    CFlags flags = {0};
    cflags_from_cc(arena, cc, sizeof cc / sizeof *cc, &flags);
    static const char *const expected[] = {
        "-Iinc",    "-I",  "inc2",     "-DA=1", "-D",          "B",        "-funsigned-char", "-m32",
        "-DFORT=2", "-UX", "-include", "pre.h", "-isystemsys", "-pthread", "-fpack-struct=4", "-std=c2x"};
    assert_int_equal(flags.args.count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < flags.args.count; i++)
        assert_string_equal(flags.args.items[i], expected[i]);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_lies_at_the_users_token),
        cmocka_unit_test(one_mistake_gives_one_error),
        cmocka_unit_test(an_error_in_our_text_goes_to_the_copied_text_that_caused_it),
        cmocka_unit_test(an_error_in_a_macro_lies_at_its_use),
        cmocka_unit_test(errors_of_the_prefix_are_kept_apart),
        cmocka_unit_test(a_block_inside_of_conditionals_is_read),
        cmocka_unit_test(an_open_prefix_is_one_error_at_the_prefix),
        cmocka_unit_test(warnings_of_the_users_compiler_are_no_errors_of_the_prefix),
        cmocka_unit_test(references_are_found_wherever_they_stand),
        cmocka_unit_test(large_units_take_about_linear_time),
        cmocka_unit_test(only_flags_that_matter_for_reading_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
