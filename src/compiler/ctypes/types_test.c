// Types of declarations and initialisers, as libclang sees them.

#include "compiler/ctypes/testing.h"

static const char prefix[] =
    "typedef unsigned char u8; typedef struct { int day, month; } date; typedef const int cint;\n"
    "typedef struct { const struct chx_text *text; } chx_str; typedef chx_str title;\n"
    "typedef struct { const struct chx_text *text; } chx_bytes;\n"
    "typedef const char *name_t; typedef date dates[3]; enum color { RED, GREEN };\n"
    "struct box { int w; unsigned bits : 3; int a[4]; const char *label; };\n"
    "struct node { int v; struct node *next; };\n"
    "struct outer { struct box box; struct node inner; };\n"
    "struct flex { int n; char data[]; };\n"
    "union either { int i; float f; }; struct has_union { union either e; };\n"
    "struct anon { struct { int x, y; }; int : 4; int z; };\n"
    "struct vol { volatile int v; _Atomic int a; };\n"
    "struct opaque; struct mixed { u8 small; u8 many[3]; };\n"
    "union coded { int i; float f; }; struct of_Bool { int i; };\n"
    "typedef union coded chx_codec_type_7; static const int chx_codec_object_7 = 0;\n"
    "static struct { int q; } nameless;\n"
    "struct box make_box(void); date make_date(void); void nothing(int);\n"
    "@@ b.a \"abc\" b.bits GREEN make_box() make_date() d u m (u+m) 1.5 'x' &d b.label c1 ? \"yes\" : \"no\" ;";

static Testing setup(void)
{
    Testing t = testing_new("types.c", prefix);
    testing_unit(&t);
    ctext(t.unit, ";\n");
    return t;
}

static const CType *type_of(Testing *t, const char *name)
{
    const CType *type = cunit_type_of(t->unit, name);
    assert_non_null(type);
    return type;
}

// What the variables of the next test are expected to be.
static const struct {
    const char *name, *spelling, *before, *after;
    CTypeKind kind;
} declared[] = {
    {"A1", "date", "date ", "", CTYPE_STRUCT},
    {"A2", "u8", "u8 ", "", CTYPE_INTEGER},
    {"A3", "int [4][2]", "int ", "[4][2]", CTYPE_ARRAY},
    {"A4", "void (*)(int)", "void (*", ")(int)", CTYPE_POINTER},
    {"A5", "int (*)[3]", "int (*", ")[3]", CTYPE_POINTER},
    {"A6", "const char *", "const char *", "", CTYPE_CSTRING},
    {"A7", "int", "int ", "", CTYPE_INTEGER},
    {"A8", "int", "int ", "", CTYPE_INTEGER},
    {"A9", "char *", "char *", "", CTYPE_POINTER},
    {"A10", "dates", "dates ", "", CTYPE_ARRAY},
    {"A11", "name_t", "name_t ", "", CTYPE_CSTRING},
    {"A12", "char *", "char *", "", CTYPE_POINTER},
    {"A13", "title", "title ", "", CTYPE_STR},
    {"A14", "chx_bytes", "chx_bytes ", "", CTYPE_BYTES},
    {"A15", "struct box", "struct box ", "", CTYPE_STRUCT},
    {"A16", "char [9]", "char ", "[9]", CTYPE_ARRAY},
    {"A17", "int [2]", "int ", "[2]", CTYPE_ARRAY},
    {"A18", "int", "int ", "", CTYPE_INTEGER},
    {"A19", "u8", "u8 ", "", CTYPE_INTEGER},
    {"A20", "int *(*[2])(char)", "int *(*", "[2])(char)", CTYPE_ARRAY},
    {"A21", "const char *[2]", "const char *", "[2]", CTYPE_ARRAY},
    {"A22", "bool", "bool ", "", CTYPE_BOOL},
    {"A23", "enum color", "enum color ", "", CTYPE_ENUM},
    {"A24", "long double", "long double ", "", CTYPE_FLOAT},
    {"A25", "_Complex double", "_Complex double ", "", CTYPE_COMPLEX},
    {"A26", "void *", "void *", "", CTYPE_POINTER},
    {"A27", "union either", "union either ", "", CTYPE_UNION},
    {"A28", "union coded", "union coded ", "", CTYPE_CODEC},
    {"A29", "struct of_Bool", "struct of_Bool ", "", CTYPE_STRUCT},
    {"A30", "void (*)(bool, struct of_Bool)", "void (*", ")(bool, struct of_Bool)", CTYPE_POINTER},
};

static void declared_types_keep_the_users_names(void **state)
{
    (void)state;
    Testing t = setup();
    ctext(t.unit, "void f(void) { date A1; u8 A2; int A3[4][2]; void (*A4)(int); int (*A5)[3]; const char *A6;\n"
                  "const int A7 = 0; cint A8 = 0; char *const A9 = 0; dates A10; name_t A11; char *A12; title A13;\n"
                  "chx_bytes A14; struct box A15; char A16[9]; const int A17[2]; _Atomic int A18; volatile u8 A19;\n"
                  "int *(*A20[2])(char); const char *const A21[2]; _Bool A22; enum color A23; long double A24;\n"
                  "double _Complex A25; void *A26; union either A27; union coded A28; struct of_Bool A29;\n"
                  "void (*A30)(_Bool, struct of_Bool); }\n");
    testing_parse(&t);
    for (size_t i = 0; i < sizeof declared / sizeof *declared; i++) {
        const CType *type = type_of(&t, declared[i].name);
        assert_string_equal(type->spelling, declared[i].spelling);
        assert_string_equal(type->before, declared[i].before);
        assert_string_equal(type->after, declared[i].after);
        assert_int_equal(type->kind, declared[i].kind);
    }
    assert_true(type_of(&t, "A7")->is_const);
    assert_string_equal(type_of(&t, "A3")->before_const, "const int ");
    assert_string_equal(type_of(&t, "A6")->before_const, "const char *const ");
    assert_string_equal(type_of(&t, "A20")->before_const, "int *(*const ");
    assert_string_equal(type_of(&t, "A22")->before_const, "const bool ");
    assert_true(type_of(&t, "A16")->is_char_array);
    assert_int_equal(type_of(&t, "A10")->count, 3);
    assert_string_equal(type_of(&t, "A10")->element->spelling, "date");
    assert_string_equal(type_of(&t, "A2")->canonical, "unsigned char");
    assert_int_equal(type_of(&t, "A15")->size, 32);
    assert_string_equal(type_of(&t, "A28")->codec, "chx_codec_object_7");
    assert_null(cunit_type_of(t.unit, "A99"));
    testing_free(&t);
}

// A variable is declared from another one with typeof, as check/typing.c does it.
static void typeof_reads_as_the_type_that_was_declared(void **state)
{
    (void)state;
    Testing t = setup();
    ctext(t.unit, "void f(void) { date D1; int D2[4]; const u8 D3 = 1; char *D4;\n");
    testing_value(&t, "E1", "__typeof__(D1) d;", "d");
    testing_value(&t, "E2", "__typeof__(E1) d;", "d");
    testing_value(&t, "E3", "__typeof__(E2) d;", "&d");
    ctext(t.unit, "__typeof__(D2) *E4; __typeof__(D2) E5; __typeof__(D3) E6 = 1; __typeof__(D3) *E7;\n"
                  "const __typeof__(D4) *E8; __typeof__(date) E9; __typeof__(D2) E10[2];\n"
                  "void (*E11)(__typeof__(D1)); struct mixed D5; __typeof__(D5.small) E12; __typeof__(D5.many) E13;\n"
                  "__typeof__(E12) E14; __typeof__(E13) *E15;}\n");
    testing_parse(&t);
    assert_string_equal(type_of(&t, "E1")->spelling, "date");
    assert_string_equal(type_of(&t, "E2")->spelling, "date");
    assert_string_equal(type_of(&t, "E3")->spelling, "date *");
    assert_string_equal(type_of(&t, "E4")->spelling, "int (*)[4]");
    assert_string_equal(type_of(&t, "E5")->spelling, "int [4]");
    assert_string_equal(type_of(&t, "E6")->spelling, "u8");
    assert_string_equal(type_of(&t, "E7")->spelling, "const u8 *");
    assert_string_equal(type_of(&t, "E8")->spelling, "char *const *");
    assert_string_equal(type_of(&t, "E9")->spelling, "date");
    assert_string_equal(type_of(&t, "E10")->spelling, "int [2][4]");
    assert_string_equal(type_of(&t, "E11")->spelling, "void (*)(date)");
    assert_string_equal(type_of(&t, "E12")->spelling, "u8");
    assert_string_equal(type_of(&t, "E13")->spelling, "u8 [3]");
    assert_string_equal(type_of(&t, "E13")->element->spelling, "u8");
    assert_string_equal(type_of(&t, "E14")->spelling, "u8");
    assert_string_equal(type_of(&t, "E15")->spelling, "u8 (*)[3]");
    testing_free(&t);
}

static void an_initialiser_has_its_type_before_decay(void **state)
{
    (void)state;
    Testing t = setup();
    ctext(t.unit, "void f(void) {\n");
    testing_value(&t, "I1", "struct box b;", "b.a");
    testing_value(&t, "I2", "", "\"abc\"");
    testing_value(&t, "I3", "struct box b;", "b.bits");
    testing_value(&t, "I4", "", "GREEN");
    testing_value(&t, "I5", "", "make_box()");
    testing_value(&t, "I6", "", "make_date()");
    testing_value(&t, "I7", "u8 u, m;", "(u+m)");
    testing_value(&t, "I8", "", "1.5");
    testing_value(&t, "I9", "", "'x'");
    testing_value(&t, "I10", "struct box b;", "b.label");
    testing_value(&t, "I11", "int c1;", "c1 ? \"yes\" : \"no\"");
    testing_value(&t, "I12", "const u8 u;", "u");
    ctext(t.unit, "long I13 = ({ u8 u; (");
    testing_copy(&t, "u");
    ctext(t.unit, "); });\n int I14; }\n");
    testing_parse(&t);
    static const char *const expected[][2] = {
        {"I1", "int [4]"},    {"I2", "const char *"},  {"I3", "unsigned int"},  {"I4", "int"},
        {"I5", "struct box"}, {"I6", "date"},          {"I7", "int"},           {"I8", "double"},
        {"I9", "int"},        {"I10", "const char *"}, {"I11", "const char *"}, {"I12", "u8"},
        {"I13", "u8"},        {"I14", "int"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_string_equal(cunit_init_type_of(t.unit, expected[i][0])->spelling, expected[i][1]);
    assert_int_equal(cunit_init_type_of(t.unit, "I1")->kind, CTYPE_ARRAY);
    assert_int_equal(cunit_init_type_of(t.unit, "I2")->kind, CTYPE_CSTRING);
    // Bound to a literal, a variable is what will be stored: a const char *.
    assert_int_equal(type_of(&t, "I2")->kind, CTYPE_CSTRING);
    assert_int_equal(type_of(&t, "I1")->kind, CTYPE_POINTER);
    testing_free(&t);
}

static void what_can_not_be_sent_says_why(void **state)
{
    (void)state;
    Testing t = setup();
    ctext(t.unit, "void f(int n) { struct node S1; struct outer S2; struct flex S3; union either S4;\n"
                  "struct has_union S5; struct vol S6; char *S7[2]; struct opaque *S8; int S9[n];\n"
                  "int S10 __attribute__((vector_size(16))); struct box S11; struct anon S12; title S13[2];\n"
                  "union coded S14; struct node S15[3]; int S16[2][2]; }\n");
    testing_parse(&t);
    static const char *const expected[][2] = {
        {"S1", "its field 'next' is a pointer"},
        {"S2", "its field 'inner.next' is a pointer"},
        {"S3", "it has the flexible array member 'data'"},
        {"S4", "it is a union"},
        {"S5", "its field 'e' is a union"},
        {"S6", "its field 'v' is volatile"},
        {"S7", "it is an array whose element is a pointer"},
        {"S8", "it is a pointer"},
        {"S9", "it is an array of variable length"},
        {"S10", "it is a vector"},
        {"S15", "its field 'next' is a pointer"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const CType *type = type_of(&t, expected[i][0]);
        assert_false(type->is_sendable);
        assert_string_equal(type->why_not, expected[i][1]);
    }
    const char *const sendable[] = {"S11", "S12", "S13", "S14", "S16"};
    for (size_t i = 0; i < sizeof sendable / sizeof *sendable; i++)
        assert_true(type_of(&t, sendable[i])->is_sendable);
    assert_true(type_of(&t, "S1")->holds_pointer);
    assert_false(type_of(&t, "S1")->is_owning);
    assert_true(type_of(&t, "S11")->is_owning);
    assert_true(type_of(&t, "S13")->is_owning);
    assert_false(type_of(&t, "S16")->is_owning);
    assert_true(type_of(&t, "S3")->has_flexible);
    const CType *anon = type_of(&t, "S12");
    assert_int_equal(anon->fields.count, 2);
    assert_null(anon->fields.items[0].name);
    assert_int_equal(anon->fields.items[0].type->fields.count, 2);
    assert_false(anon->fields.items[0].type->is_named);
    const CType *box = type_of(&t, "S11");
    assert_int_equal(box->fields.count, 4);
    assert_true(box->fields.items[1].is_bitfield);
    assert_string_equal(box->fields.items[2].name, "a");
    testing_free(&t);
}

static void a_type_without_a_name_is_known_as_such(void **state)
{
    (void)state;
    Testing t = setup();
    ctext(t.unit, "__typeof__(nameless) N1; __typeof__(nameless) N2[2]; date N3;\n");
    testing_parse(&t);
    assert_false(type_of(&t, "N1")->is_named);
    assert_false(type_of(&t, "N2")->is_named);
    assert_true(type_of(&t, "N3")->is_named);
    assert_int_equal(type_of(&t, "N1")->kind, CTYPE_STRUCT);
    testing_free(&t);
}

static void a_prototype_has_its_parameters(void **state)
{
    (void)state;
    Testing t = setup();
    ctext(t.unit, "date Seller__f(const char *what, int n[3], u8); void Seller__g(void); int Seller__h(int, ...);\n"
                  "typedef u8 T1; typedef date T2[4];\n");
    testing_parse(&t);
    const CFunction *function = cunit_function(t.unit, "Seller__f");
    assert_string_equal(function->result->spelling, "date");
    assert_int_equal(function->params.count, 3);
    assert_string_equal(function->params.items[0]->spelling, "const char *");
    assert_string_equal(function->params.items[1]->spelling, "int *");
    assert_string_equal(function->params.items[2]->spelling, "u8");
    assert_string_equal(function->names.items[0], "what");
    assert_string_equal(function->names.items[2], "");
    assert_int_equal(cunit_function(t.unit, "Seller__g")->params.count, 0);
    assert_int_equal(cunit_function(t.unit, "Seller__g")->result->kind, CTYPE_VOID);
    assert_true(cunit_function(t.unit, "Seller__h")->is_variadic);
    assert_null(cunit_function(t.unit, "Seller__i"));
    assert_string_equal(type_of(&t, "T1")->spelling, "u8");
    assert_string_equal(type_of(&t, "T2")->spelling, "date [4]");
    testing_free(&t);
}

static void names_of_the_prefix_are_known_with_macros(void **state)
{
    (void)state;
    static const char text[] = "#include <string.h>\n#define TWICE(x) ((x) + (x))\n#define gone 1\n#undef gone\n"
                               "typedef int number; extern int counter; struct s { enum { DEEP } e; };\n"
                               "enum { LEFT }; static int helper(void); @@";
    Testing t = testing_new("names.c", text);
    testing_unit(&t);
    static const struct {
        const char *name;
        CNameKind kind;
    } expected[] = {
        {"strlen", CNAME_FUNCTION},
        {"TWICE", CNAME_MACRO},
        {"gone", CNAME_NONE},
        {"number", CNAME_TYPE},
        {"counter", CNAME_VARIABLE},
        {"DEEP", CNAME_CONSTANT},
        {"LEFT", CNAME_CONSTANT},
        {"helper", CNAME_FUNCTION},
        {"printf", CNAME_NONE},
        {"later", CNAME_NONE},
        {"__builtin_expect", CNAME_FUNCTION},
        {"s", CNAME_NONE},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cunit_ask_name(t.unit, expected[i].name);
    ctext(t.unit, "; int later;\n");
    testing_parse(&t);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(cunit_name_kind(t.unit, expected[i].name), expected[i].kind);
    testing_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declared_types_keep_the_users_names),
        cmocka_unit_test(typeof_reads_as_the_type_that_was_declared),
        cmocka_unit_test(an_initialiser_has_its_type_before_decay),
        cmocka_unit_test(what_can_not_be_sent_says_why),
        cmocka_unit_test(a_type_without_a_name_is_known_as_such),
        cmocka_unit_test(a_prototype_has_its_parameters),
        cmocka_unit_test(names_of_the_prefix_are_known_with_macros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
