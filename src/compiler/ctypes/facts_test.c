// Facts about one expression: what makes it come out differently, what it could change, and who owns its value.

#include "compiler/ctypes/testing.h"

#include <stdio.h>

// Each line of `expressions` is one expression, in a function with these declarations.
typedef struct {
    Testing t;
    unsigned count;
} Facts;

static Facts facts_new(const char *prefix, const char *declarations, const char *expressions)
{
    char text[4096];
    snprintf(text, sizeof text, "%s\n@@%s", prefix, expressions);
    Facts facts = {.t = testing_new("facts.c", text)};
    testing_unit(&facts.t);
    ctext(facts.t.unit, "; void f(void) {\n%s\n", declarations);
    Span all = testing_span(&facts.t, expressions, 0);
    for (uint32_t at = all.start; at < all.end; facts.count++) {
        const char *line = facts.t.source->text + at;
        uint32_t length = (uint32_t)strcspn(line, "\n");
        cexpr_begin(facts.t.unit, facts.count);
        ctext(facts.t.unit, "(");
        ccopy(facts.t.unit, (Span){all.file, at, at + length});
        ctext(facts.t.unit, ")");
        cexpr_end(facts.t.unit);
        ctext(facts.t.unit, ";\n");
        at += length + 1;
    }
    ctext(facts.t.unit, "}\n");
    testing_parse(&facts.t);
    return facts;
}

static void what_may_differ_is_found_by_its_kind(void **state)
{
    (void)state;
    Facts facts = facts_new(
        "int g; const int c = 1; int f2(void); int (*f3)(void); char mutable[3]; const char *const to = mutable;\n"
        "__attribute__((pure)) int sum(const int *); __attribute__((const)) int *find(int);\n"
        "#define SAME(a, b) ((a) == (b))\n#define COUNT __COUNTER__",
        "const int k; const char *s; const char *t; int *p; const int a[3];"
        " union { int n; long l; } u;",
        "f3()\nf2()\nsum(p)\n*find(k)\ng\nto[0]\n({ static int i; i; })\n({ int i; i; })\n&k\nf2 != 0\na == p\n"
        "SAME(s, t)\n(long)s\n*p\na + 1\nu.n\n__func__\nCOUNT\n({ int i = 1; i++ + i++; })\n({ goto x; x: 1; })");
    static const CDifferKind expected[] = {
        CDIFFER_CALL,    CDIFFER_IMPURE,     CDIFFER_ARGUMENT,   CDIFFER_THROUGH, CDIFFER_GLOBAL,
        CDIFFER_POINTEE, CDIFFER_KEPT,       CDIFFER_UNSET,      CDIFFER_ADDRESS, CDIFFER_FUNCTION,
        CDIFFER_COMPARE, CDIFFER_STRINGS,    CDIFFER_CONVERT,    CDIFFER_THROUGH, CDIFFER_ARRAY,
        CDIFFER_UNION,   CDIFFER_PREDEFINED, CDIFFER_PREDEFINED, CDIFFER_ORDER,   CDIFFER_OTHER,
    };
    assert_int_equal(facts.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < facts.count; i++) {
        CDiffer differ;
        assert_true(cunit_differs(facts.t.unit, i, false, &differ));
        if (differ.kind != expected[i])
            print_message("expression %u\n", i);
        assert_int_equal(differ.kind, expected[i]);
    }
    testing_free(&facts.t);
}

static void values_do_not_differ(void **state)
{
    (void)state;
    Facts facts =
        facts_new("const char *const names[] = {\"one\"}; struct point { int x, y; };\n"
                  "const struct point origin = {1, 2}; const struct point *const start = &origin; int g;\n"
                  "__attribute__((pure)) int sum(const int *, int); __attribute__((const)) int square(int);\n"
                  "[[gnu::pure]] unsigned length(const char *);\n"
                  "#define LEAST(a, b) ({ int x = (a), y = (b); x < y ? x : y; })",
                  "const int k; const char *s; const char *t; const int a[3]; const struct point p;",
                  "k + 1\ns[0]\n*(s + k)\na[k]\n*a\np.x\nnames[k][0]\nstart->x\ns == 0\ns && t\n!s\nk ? s : t\n"
                  "sizeof g\nLEAST(k, 3)\n((const unsigned char *)s)[0]\n(struct point){k, 2}\ns ?: t\n"
                  "({ int n = 0; for (const char *c = s; *c != 0; c++) n++; n; })\na\n"
                  "sum(a, 3)\nsum(a + 1, square(k))\nsum(0, 0)\n__builtin_abs(k)\nlength(s + 1)");
    for (uint32_t i = 0; i < facts.count; i++) {
        CDiffer differ;
        if (cunit_differs(facts.t.unit, i, true, &differ))
            fail_msg("expression %u: %d", i, (int)differ.kind);
    }
    testing_free(&facts.t);
}

static void pointers_that_lead_to_guarded_variables_are_found(void **state)
{
    (void)state;
    Facts facts = facts_new("void set(int *); void look(const int *); void fill(char *);",
                            "const int k; const int a[3]; int own; const char *s; int *p;",
                            // Dangers.
                            "set(&k)\n({ int *q = &k; 0; })\n(int *)&k\nset(a)\n({ const int *c = &k; *(int *)c; })\n"
                            "fill(s)\ns = 0\n({ const char **q = &s; 0; })\np = &own\n&own\n"
                            // None.
                            "look(&k)\nset(&own)\nk + a[0]\n({ int x = k; set(&x); 0; })\ns[0] == 0");
    static const CGuarded guarded[] = {
        {"k", true, false, true}, {"a", true, false, true}, {"s", false, true, false}, {"own", false, false, true}};
    static const CDangerKind expected[] = {CDANGER_POINTER, CDANGER_POINTER, CDANGER_POINTER, CDANGER_POINTER,
                                           CDANGER_POINTER, CDANGER_POINTER, CDANGER_STRING,  CDANGER_STRING,
                                           CDANGER_KEPT,    CDANGER_KEPT};
    for (uint32_t i = 0; i < facts.count; i++) {
        CDanger danger;
        bool is_danger = cunit_endangers(facts.t.unit, i, guarded, sizeof guarded / sizeof *guarded, false, &danger);
        if (is_danger != (i < sizeof expected / sizeof *expected))
            fail_msg("expression %u", i);
        if (is_danger)
            assert_int_equal(danger.kind, expected[i]);
    }
    testing_free(&facts.t);
}

static void values_with_codecs_have_one_owner(void **state)
{
    (void)state;
    Facts facts = facts_new("typedef struct { int *p; } box; typedef box chx_codec_type_box;\n"
                            "typedef struct { box a, b; } two; box make(void); two make_two(void); int *number(void);",
                            "box x; int n;",
                            "make()\n(make())\nn ? make() : make()\n(n, make())\n({ box l = make(); l; })\n"
                            "(box){number()}\n(box){0}\n(void)make()\nx\nn ? x : x\n({ box l = x; l; })\n(box){x.p}\n"
                            "n ? make() : x\n(two){make(), x}\nmake_two().a");
    static const COwner expected[] = {
        COWNER_NOBODY, COWNER_NOBODY, COWNER_NOBODY, COWNER_NOBODY, COWNER_NOBODY,
        COWNER_NOBODY, COWNER_NOBODY, COWNER_NOBODY, COWNER_OTHERS, COWNER_OTHERS,
        COWNER_OTHERS, COWNER_OTHERS, COWNER_MIXED,  COWNER_MIXED,  COWNER_PART,
    };
    assert_int_equal(facts.count, sizeof expected / sizeof *expected);
    for (uint32_t i = 0; i < facts.count; i++) {
        CExprFacts found;
        assert_true(cunit_expr_facts(facts.t.unit, i, &found));
        if (found.owner != expected[i])
            fail_msg("expression %u: %d", i, (int)found.owner);
        assert_int_equal(found.is_cast_to_void, i == 7);
    }
    testing_free(&facts.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_may_differ_is_found_by_its_kind),
        cmocka_unit_test(values_do_not_differ),
        cmocka_unit_test(pointers_that_lead_to_guarded_variables_are_found),
        cmocka_unit_test(values_with_codecs_have_one_owner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
