// What libclang says about a whole file: which blocks are active, and which of the roles' functions are there.

#include "compiler/ctypes/testing.h"

static void add_file(Testing *t, const char *path, const char *text)
{
    CVirtualFile file = {path, text};
    vector_push(t->arena, &t->flags.files, file);
}

static void active_blocks_are_those_that_are_expanded(void **state)
{
    (void)state;
    Testing t = testing_new("dir/blocks.c", "#include \"chorex.h\"\n#include \"shared.h\"\n"
                                            "choreography(one, (A, B), def run() { A.f(); })\n"
                                            "#include \"one.A.chor.h\"\n#include \"missing/one.B.chor.h\"\n"
                                            "#if 0\nchoreography(two, (A), )\n#endif\n"
                                            "#define choreography_not 1\n/* choreography(x) */\n"
                                            "static int f(void) { return choreography_not; }\n"
                                            "choreography(three, (A), def run() { #if 0 })\n");
    add_file(&t, "dir/chorex.h", "#define choreography(...)\n");
    add_file(&t, "dir/shared.h", "int x;\nchoreography(zero, (A), )\n");
    CExpansionList list = {0};
    const char *error = NULL;
    assert_true(ctypes_expansions(t.arena, t.source, &t.flags, "choreography", &list, &error));
    assert_int_equal(list.count, 3);
    assert_true(file_same(list.items[0].path, "dir/shared.h"));
    assert_int_equal(list.items[0].offset, 7);
    assert_true(file_same(list.items[1].path, "dir/blocks.c"));
    assert_int_equal(list.items[1].offset, testing_span(&t, "choreography(one", 0).start);
    assert_int_equal(list.items[2].offset, testing_span(&t, "choreography(three", 0).start);
    testing_free(&t);
}

static void files_are_compared_by_what_they_are(void **state)
{
    (void)state;
    assert_true(file_same("nosuch/a.c", "./nosuch/a.c"));
    assert_false(file_same("nosuch/a.c", "nosuch/b.c"));
    assert_true(file_same("/usr/../usr/include", "/usr/include"));
}

static const char companion[] =
    "#ifndef CHX_ROLE_AS\n#define CHX_ROLE_AS shop_Seller\n#define FN(f) Seller_##f\n#else\n"
    "#define FN__(a, f) a##_##f\n#define FN_(a, f) FN__(a, f)\n#define FN(f) FN_(CHX_ROLE_AS, f)\n#endif\n"
    "static int FN(price)(const char *title);\n"
    "static void FN(ship)(void);\n"
    "static int FN(inner)(int);\nstatic int FN(inner)(int x) { return x; }\n"
    "static inline int FN(use)(void) { FN(ship)(); return FN(price)(\"x\"); }\n"
    "#undef FN\n#undef CHX_ROLE_AS\n";

static const CProvided *find_provided(const CProvidedList *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0)
            return &list->items[i];
    fail_msg("no function '%s'", name);
    return NULL;
}

static void functions_that_a_role_needs_are_looked_for(void **state)
{
    (void)state;
    Testing t = testing_new("shop.c", "#define NOTE 1\n#include \"shop.Seller.chor.h\"\n"
                                      "static int Seller_price(const char *title) { return title[0]; }\n"
                                      "#define CHX_ROLE_AS careful\n#include \"shop.Seller.chor.h\"\n"
                                      "static int careful_price(int title) { return title; }\n"
                                      "static void careful_ship(void) { }\n");
    add_file(&t, "shop.Seller.chor.h", companion);
    CProvidedList list = {0};
    const char *error = NULL;
    CDefinedList defined = {0};
    assert_true(ctypes_provided(t.arena, t.source, &t.flags, &list, &defined, &error));
    assert_int_equal(list.count, 4);
    const CProvided *price = find_provided(&list, "Seller_price");
    assert_true(price->is_defined);
    assert_null(price->conflict_path);
    assert_true(file_same(price->companion, "shop.Seller.chor.h"));
    assert_int_equal(price->line, 9);
    assert_true(file_same(price->include_path, "shop.c"));
    uint32_t first = testing_span(&t, "#include", 0).start, second = testing_span(&t, "#include", 1).start;
    assert_int_equal(price->include_offset, first);
    const CProvided *ship = find_provided(&list, "Seller_ship");
    assert_false(ship->is_defined);
    assert_null(ship->conflict_path);
    assert_string_equal(ship->type, "void (void)");
    const CProvided *careful = find_provided(&list, "careful_price");
    assert_false(careful->is_defined);
    assert_int_equal(careful->include_offset, second);
    assert_true(file_same(careful->conflict_path, "shop.c"));
    assert_int_equal(careful->conflict_offset, testing_span(&t, "careful_price", 0).start);
    assert_string_equal(careful->conflict_type, "int (int)");
    assert_string_equal(careful->type, "int (const char *)");
    assert_true(find_provided(&list, "careful_ship")->is_defined);
    testing_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(active_blocks_are_those_that_are_expanded),
        cmocka_unit_test(files_are_compared_by_what_they_are),
        cmocka_unit_test(functions_that_a_role_needs_are_looked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
