// Tests of the parser: trees, and messages about what is wrong.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compiler/syntax/parse.h"

#include "base/text.h"

#include <stdlib.h>

typedef struct {
    Arena *arena;
    Sources *sources;
    Diags *diags;
    Tree *tree;
} Test;

static Test parse(const char *text)
{
    Test test = {.arena = arena_new()};
    test.sources = sources_new(test.arena);
    test.diags = diags_new(test.arena, test.sources);
    Source *source = source_add(test.sources, "test.c", text, strlen(text));
    Found found;
    find_blocks(test.arena, test.sources, source, &found);
    assert_true(found.blocks.count > 0);
    test.tree = parse_block(test.arena, test.sources, test.diags, &found.blocks.items[0]);
    return test;
}

static void test_fini(Test *test)
{
    arena_free(test->arena);
}

// The dump of the tree without the places of the statements.
static char *dump(Test *test)
{
    char *chars = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&chars, &size);
    assert_non_null(out);
    dump_tree(test->sources, test->tree, out);
    fclose(out);
    Text text;
    text_init(&text, test->arena);
    for (size_t i = 0; i < size; i++) {
        if (chars[i] == ' ' && i + 1 < size && chars[i + 1] == '@')
            i += strcspn(chars + i, "\n");
        text_add(&text, chars + i, 1);
    }
    free(chars);
    return text.chars;
}

// Every message in order, a line each.
static char *messages(Test *test)
{
    const Diagnostic *const *list;
    size_t count = diags_list(test->diags, &list);
    Text text;
    text_init(&text, test->arena);
    for (size_t i = 0; i < count; i++) {
        Position position = span_position(test->sources, list[i]->span);
        text_printf(&text, "%u:%u: %s\n", position.line, position.column, list[i]->message);
    }
    return text.chars;
}

static void check_definitions(const char *definitions, const char *expected)
{
    Arena *arena = arena_new();
    Test test = parse(arena_printf(arena, "choreography(t, (A, B, C),\n%s)", definitions));
    assert_string_equal(messages(&test), "");
    const char *text = dump(&test);
    assert_string_equal(text + strlen("choreography t (A, B, C)\n"), expected);
    test_fini(&test);
    arena_free(arena);
}

static Test parse_body(const char *statements)
{
    Arena *arena = arena_new();
    Test test = parse(
        arena_printf(arena, "choreography(t, (A, B, C), def g(A.int x) -> B.int { } def run() {\n%s\n} )", statements));
    arena_free(arena);
    return test;
}

// The statements of `run` and what the tree says of them, with six spaces before each line taken off.
static void check_body(const char *statements, const char *expected)
{
    Test test = parse_body(statements);
    assert_string_equal(messages(&test), "");
    const char *line = strstr(dump(&test), "  def run\n    body\n");
    assert_non_null(line);
    line += strlen("  def run\n    body\n");
    Text text;
    text_init(&text, test.arena);
    while (*line != '\0') {
        size_t length = strcspn(line, "\n") + 1;
        text_add(&text, line + 6, length - 6);
        line += length;
    }
    assert_string_equal(text.chars, expected);
    test_fini(&test);
}

// The statements start on line 2. `expected`: "line:column: message\n" for each error.
static void check_errors(const char *statements, const char *expected)
{
    Test test = parse_body(statements);
    assert_string_equal(messages(&test), expected);
    dump(&test);
    test_fini(&test);
}

static void check_block_errors(const char *block, const char *expected)
{
    Test test = parse(block);
    assert_string_equal(messages(&test), expected);
    dump(&test);
    test_fini(&test);
}

static void check_fix(const char *statements, const char *replacement, const char *message)
{
    Test test = parse_body(statements);
    const Diagnostic *const *list;
    assert_int_equal(diags_list(test.diags, &list), 1);
    assert_int_equal(list[0]->fixes.count, 1);
    assert_string_equal(list[0]->fixes.items[0].replacement, replacement);
    assert_string_equal(list[0]->fixes.items[0].message, message);
    test_fini(&test);
}

// ---- what is right ----

static void definitions_and_prototypes(void **state)
{
    (void)state;
    check_definitions("def f() { }", "  def f\n    body\n");
    check_definitions("int A.f(int x, char *y); const char *B.g(void); struct box C.h(); unsigned A.u(void);",
                      "  proto int A.f(int x, char *y)\n  proto const char * B.g(void)\n  proto struct box C.h()\n"
                      "  proto unsigned A.u(void)\n");
    check_definitions("def f[P, Q](P.int x, Q.const char *s, {A, B}.unsigned long a[2][N + 1]) -> Q.date { }",
                      "  def f[P, Q]\n    param P int x\n    param Q const char * s\n"
                      "    param {A, B} unsigned long a[2][N + 1]\n    result Q date\n    body\n");
    check_definitions("def f(void) -> A.{long, int}, {B, C}.bool { }",
                      "  def f\n    result A tuple long, int\n    result {B, C} bool\n    body\n");
    check_definitions("def f(g(A.int, B.struct s *x) -> (A.int, B.int), A.int n, h() -> ()) -> (A.int) { }",
                      "  def f\n    function parameter g\n      param A int\n      param B struct s * x\n"
                      "      result A int\n      result B int\n    param A int n\n    function parameter h\n"
                      "    result A int\n    body\n");
    check_definitions("def f(g(h(A.int) -> B.int)) { }", "  def f\n    function parameter g\n"
                                                         "      function parameter h\n        param A int\n"
                                                         "        result B int\n    body\n");
}

static void words_are_words_only_where_expected(void **state)
{
    (void)state;
    check_definitions("def A.f(void); int A.retry(int within); int B.def(void); def rescue() { } def def() { }",
                      "  proto def A.f(void)\n  proto int A.retry(int within)\n  proto int B.def(void)\n"
                      "  def rescue\n    body\n  def def\n    body\n");
    check_body("A.retry(1) ~> B.within; B.checkpoint(); A.notify = rescue + def;",
               "delivery\n  expr A call retry: 1\n  to B name within\nlocal\n  expr B call checkpoint:\n"
               "assign =\n  to A name notify\n  value rescue + def\n");
    check_body("checkpoint { A.f(); } rescue(A.x);",
               "checkpoint\n  body\n    local\n      expr A call f:\ncall step\n  call rescue\n    arg A name x\n");
}

static void deliveries(void **state)
{
    (void)state;
    check_body("A.x ~> B.y;", "delivery\n  expr A name x\n  to B name y\n");
    check_body("A.x ~ /* apart */\n > B.y;", "delivery\n  expr A name x\n  to B name y\n");
    check_body("A.f(a, g(b, c), (d, e)) ~> B._;", "delivery\n  expr A call f: a | g(b, c) | (d, e)\n  to B drop\n");
    check_body("A.(~x >> 2) ~> B.int y;", "delivery\n  expr A c ~x >> 2\n  to B declare int y\n");
    check_body("A.x.y[i]->z ~> B.a[3].c;", "delivery\n  expr A c x.y[i]->z\n  to B place a: a[3].c\n");
    check_body("A.{x, f(1, 2)} ~> B.{y, date *d, _, (3 + 4), a[1]};",
               "delivery\n  expr A tuple: x | f(1, 2)\n"
               "  to B tuple {name y, declare date * d, drop, match 3 + 4, place a: a[1]}\n");
    check_body("A.s ~> B.{.x, .y = z, .v = int w, .u = _, .t = (1)};",
               "delivery\n  expr A name s\n  to B struct {.x = name x, .y = name z, .v = declare int w, .u = drop, "
               ".t = match 1}\n");
    check_body("{A, B}.(n + 1) ~> {B, C}.n;", "delivery\n  expr {A, B} c n + 1\n  to {B, C} name n\n");
    check_body("A.x ~> B.const struct box *const p;",
               "delivery\n  expr A name x\n  to B declare const struct box *const p\n");
}

static void assignments_and_local_steps(void **state)
{
    (void)state;
    check_body("A.x = f(1, y) + (2, 3);", "assign =\n  to A name x\n  value f(1, y) + (2, 3)\n");
    check_body("A.int x; A.date d = {1, {2}}; A.T *p = q;",
               "assign nothing\n  to A declare int x\nassign =\n  to A declare date d\n  value {1, {2}}\n"
               "assign =\n  to A declare T * p\n  value q\n");
    check_body("A.n += 1; A.n <<= 2; A.n++; A.a[i]--;",
               "assign +=\n  to A name n\n  value 1\nassign <<=\n  to A name n\n  value 2\nassign ++\n  to A name n\n"
               "assign --\n  to A place a: a[i]\n");
    check_body("A.{.x, .y = z} = e;", "assign =\n  to A struct {.x = name x, .y = name z}\n  value e\n");
    check_body("A.f(); A.(x = 3, y); {A, B}.n = n - 1;",
               "local\n  expr A call f:\nlocal\n  expr A c x = 3, y\nassign =\n  to {A, B} name n\n  value n - 1\n");
    check_body(";; { A.f(); { } }", "block\n  body\n    local\n      expr A call f:\n    block\n      body\n");
}

static void calls(void **state)
{
    (void)state;
    check_body("later(A.x, B.(y + 1), h, relay[A, B]);",
               "call step\n  call later\n    arg A name x\n    arg B c y + 1\n    arg function h\n"
               "    arg function relay[A, B]\n");
    check_body("B.x = g(A.n); B.int y = g(A.(1)); B._ = g(A.n);",
               "call step\n  to B name x\n  call g\n    arg A name n\ncall step\n  to B declare int y\n  call g\n"
               "    arg A c 1\ncall step\n  to B drop\n  call g\n    arg A name n\n");
    check_body("A.x, B.{y, _}, {B, C}.int z = g[A, B]({A, B}.n);",
               "call step\n  to A name x\n  to B tuple {name y, drop}\n  to {B, C} declare int z\n  call g[A, B]\n"
               "    arg {A, B} name n\n");
    // `h` is no definition: bare C.
    check_body("A.x = h(n);", "assign =\n  to A name x\n  value h(n)\n");
    check_definitions("def f(h(A.int) -> B.int) { B.x = h(A.n); }",
                      "  def f\n    function parameter h\n      param A int\n      result B int\n    body\n"
                      "      call step\n        to B name x\n        call h\n          arg A name n\n");
}

static void choices_and_loops(void **state)
{
    (void)state;
    check_body("if (A.x) notify(B, C) { A.f(); } else if (B.f(1)) { } else { B.f(); }",
               "if notify(B, C)\n  expr A name x\n  body\n    local\n      expr A call f:\n  else\n    if\n"
               "      expr B call f: 1\n      body\n      else\n        local\n          expr B call f:\n");
    check_body("while ({A, B}.(n > 0)) notify() { break; continue; }",
               "while notify()\n  expr {A, B} c n > 0\n  body\n    break\n    continue\n");
    check_body("do { A.f(); } while (A.more());", "do\n  expr A call more:\n  body\n    local\n      expr A call f:\n");
    check_body("for (A.int i = 0; A.(i < n); A.i++) { } for (;;) { } for (A.i = f(); ; A.g()) { }",
               "for\n  expr A c i < n\n  assign =\n    to A declare int i\n    value 0\n  assign ++\n    to A name i\n"
               "  body\nfor\n  body\nfor\n  assign =\n    to A name i\n    value f()\n  local\n    expr A call g:\n"
               "  body\n");
    check_body(
        "switch (A.n) { case X: case 1 ? 2 : 3: A.f(); break; case 4: { B.f(); break; } case 5: return; "
        "case 6: break; default: while (A.x) { break; } break; }",
        "switch\n  expr A name n\n  case X | 1 ? 2 : 3\n    local\n      expr A call f:\n    break\n  case 4\n"
        "    block\n      body\n        local\n          expr B call f:\n        break\n  case 5\n    return\n"
        "  case 6\n    break\n  case default\n    while\n      expr A name x\n      body\n        break\n    break\n");
    check_body(
        "while (A.x) { switch (A.n) { case 1: default: continue; } } switch (A.n) { }",
        "while\n  expr A name x\n  body\n    switch\n      expr A name n\n      case 1 default\n        continue\n"
        "switch\n  expr A name n\n");
    check_body("return A.e, {B, C}.(f), A.{x, y}; return g(A.x); return;",
               "return\n  value A name e\n  value {B, C} c f\n  value A tuple: x | y\nreturn\n  call g\n"
               "    arg A name x\nreturn\n");
}

static void checkpoints(void **state)
{
    (void)state;
    check_body("checkpoint { } checkpoint { } rescue { A.f(); } checkpoint retry 3 within 500ms { } rescue (why) { }",
               "checkpoint\n  body\ncheckpoint\n  body\n  rescue\n    local\n      expr A call f:\n"
               "checkpoint within 500000000ns retry 3 fault why\n  body\n  rescue\n");
    check_body("checkpoint within 7 us { } checkpoint within 2s retry 1 { } checkpoint within 1min { }",
               "checkpoint within 7000ns\n  body\ncheckpoint within 2000000000ns retry 1\n  body\n"
               "checkpoint within 60000000000ns\n  body\n");
}

static void spans_are_exact(void **state)
{
    (void)state;
    Test test =
        parse("choreography(t, (A, B), def f ( A.int  a[3] ) { {A, B}.f( x , y ) ~> B.{ q } ; A.n  += (1) ; })");
    const TreeDef *def = test.tree->defs.items[0];
    const Stmt *delivery = def->body.statements.items[0], *assign = def->body.statements.items[1];
#define CHECK_SPAN(span, text) assert_string_equal(span_copy(test.arena, test.sources, (span)), (text))
    CHECK_SPAN(test.tree->name.span, "t");
    CHECK_SPAN(test.tree->roles.items[1].span, "B");
    CHECK_SPAN(def->name.span, "f");
    CHECK_SPAN(def->params.items[0].span, "A.int  a[3]");
    CHECK_SPAN(def->params.items[0].type.before, "int");
    CHECK_SPAN(def->params.items[0].type.span, "int  a[3]");
    CHECK_SPAN(def->params.items[0].type.sizes.items[0].span, "3");
    CHECK_SPAN(delivery->span, "{A, B}.f( x , y ) ~> B.{ q }");
    CHECK_SPAN(delivery->expr->span, "{A, B}.f( x , y )");
    CHECK_SPAN(delivery->expr->at.span, "{A, B}");
    CHECK_SPAN(delivery->expr->c.span, "f( x , y )");
    CHECK_SPAN(delivery->expr->parts.items[1].span, "y");
    CHECK_SPAN(delivery->target.span, "B.{ q }");
    CHECK_SPAN(delivery->target.target->span, "{ q }");
    CHECK_SPAN(delivery->target.target->parts.items[0]->name.span, "q");
    CHECK_SPAN(assign->span, "A.n  += (1)");
    CHECK_SPAN(assign->op_span, "+=");
    CHECK_SPAN(assign->value.span, "(1)");
    CHECK_SPAN(def->body.span, "{ {A, B}.f( x , y ) ~> B.{ q } ; A.n  += (1) ; }");
#undef CHECK_SPAN
    test_fini(&test);
}

static void tokens_are_dumped(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Sources *sources = sources_new(arena);
    const char *text = "choreography(Al\\\nice 5ms L\"a\\\"b\" 'x' ~\n> <: ->)";
    Source *source = source_add(sources, "test.c", text, strlen(text));
    Found found;
    find_blocks(arena, sources, source, &found);
    char *chars = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&chars, &size);
    assert_non_null(out);
    dump_tokens(sources, &found.blocks.items[0], out);
    fclose(out);
    assert_string_equal(chars,
                        "1:14: identifier Al\\\nice\n2:5: number 5ms\n2:9: string L\"a\\\"b\"\n2:17: character 'x'\n"
                        "2:21: arrow ~\n>\n3:3: punctuator <:\n3:6: punctuator ->\n3:8: end\n");
    free(chars);
    arena_free(arena);
}

// ---- what is wrong ----

static void located_c_needs_parentheses(void **state)
{
    (void)state;
    check_fix("if (A.n < 6) { A.f(); }", "A.(n < 6)", "write 'A.(n < 6)'");
    check_fix("A.n + 1 ~> B.x;", "A.(n + 1)", "write 'A.(n + 1)'");
    check_fix("A.3 ~> B.x;", "A.(3)", "write 'A.(3)'");
    check_fix("A.\"s\" ~> B.x;", "A.(\"s\")", "write 'A.(\"s\")'");
    check_fix("A.a * b ~> B.x;", "A.(a * b)", "write 'A.(a * b)'");
    check_fix("A.f(x).y ~> B.x;", "A.(f(x).y)", "write 'A.(f(x).y)'");
    check_fix("A.x ~> B.3;", "B.(3)", "write 'B.(3)'");
    check_fix("return A.n - 1, B.x;", "A.(n - 1)", "write 'A.(n - 1)'");
    check_fix("g(A.n ? 1 : 2);", "A.(n ? 1 : 2)", "write 'A.(n ? 1 : 2)'");
    check_fix("if (!A.x) { }", "A.(!x)", "write 'A.(!x)'");
    check_errors("if (A.n < 6) { A.x; }", "2:5: an expression of A stands in parentheses: 'A.(n < 6)'\n"
                                          "2:16: 'A.x' alone does nothing: send it with '~>', assign to it, or call a "
                                          "function\n");
}

static void deliveries_gone_wrong(void **state)
{
    (void)state;
    check_fix("A.x -> B.y;", "~>", "write '~>'");
    check_fix("A.x > B.y;", "~>", "write '~>'");
    check_fix("A.x => B.y;", "~>", "write '~>'");
    check_fix("A.f(x) -> {B, C}.y;", "~>", "write '~>'");
    check_fix("A.x ~> B;", ".x", "write 'B.x'");
    check_errors("x ~> B.y;", "2:1: what is sent must say whose it is: 'A.x'\n");
    check_errors("A ~> B.y;", "2:1: what is sent is missing behind 'A': 'A.x'\n");
    check_errors("if (B) { }", "2:5: a condition is missing behind 'B': 'B.x'\n");
    check_errors("(x + 1) ~> B.y;", "2:1: what is sent must say whose it is: 'A.((x + 1))'\n");
    check_errors("A.x ~> y;", "2:8: what receives a value must say whose it is: 'A.y'\n");
    check_errors("A.x ~> ;", "2:8: the receiver is missing after '~>'\n");
    check_errors("A.x ~> B.f(y);", "2:10: 'f(...)' can't take a value: bind it to a variable first, then call 'f'\n");
    check_errors("A.x ~> B.y ~> C.z;",
                 "2:12: a value goes one way in one statement: end this delivery with ';' and start another\n");
    check_errors("A.x ~> B.y, C.z;", "2:11: a delivery to several roles names them as a set: '{B, ...}.x'\n");
    check_errors("A.{.x} ~> B.y;", "2:3: '{.field}' takes a struct apart: it stands only where a value goes to\n");
    check_errors("A.{} ~> B.y;", "2:3: a tuple needs at least one value\n");
    check_errors("A.x ~> B.{};", "2:10: a pattern needs at least one variable\n");
    check_errors("A.x ~> B.{a, {b}};", "2:14: a pattern can't stand inside of another one\n");
    check_errors("A.() ~> B.y;", "2:3: an expression is missing between '(' and ')'\n");
    check_errors("A.f(1,) ~> B.y;", "2:7: an expression is missing before ')'\n");
    check_errors("A.(x ~> B.y);", "2:6: a delivery can't stand inside local C\n");
    check_errors("A._ ~> B.y;", "2:5: expected '=' after 'A._', not '~>'\n");
}

static void assignments_gone_wrong(void **state)
{
    (void)state;
    check_errors("A.x;", "2:1: 'A.x' alone does nothing: send it with '~>', assign to it, or call a function\n");
    check_errors("A.x = ;", "2:7: a value is missing after '='\n");
    check_errors("A.x = {1};", "2:7: a value in braces needs a type: 'A.type name = {...}'\n");
    check_errors("A.int x = 1, y = 2;", "2:12: ',' can't stand here: write one statement for each variable\n");
    check_errors("A.int x, y;", "2:10: one statement declares one variable: expected ';' before ','\n");
    check_errors("A.{x, y} = e;", "2:1: a tuple comes from a delivery or a call; 'A.{.x, .y}' takes a struct apart\n");
    check_errors("A._ = e;", "2:1: to compute a value and drop it, write 'A.(...)'\n");
    check_errors("A.x, B.y = 3;", "2:1: several targets need the call of a choreographic function on the right\n");
    check_errors("B.x = g(A.n) + 1;", "2:7: the result of 'g' must be bound on its own\n");
    check_errors("B.x = 1 + g(A.n);", "2:11: the result of 'g' must be bound on its own\n");
    check_errors("B.x += g(A.n);", "2:8: the result of 'g' must be bound on its own\n");
    check_errors("g(A.n) ~> C.x;", "2:1: the result of 'g' must be bound on its own\n");
    check_errors("g(3, x + 1);", "2:3: an argument must say whose it is: 'A.(3)'\n"
                                 "2:6: an argument must say whose it is: 'A.(x + 1)'\n");
    check_errors("g(A.x,);", "2:7: an argument is missing before ')'\n");
    check_errors("A.x = B.y;", "2:7: this is B's, not A's: a delivery brings it, 'B.y ~> A.x;'\n");
    check_errors("A.int x = B.f(y);", "2:11: this is B's, not A's: a delivery brings it, 'B.f(y) ~> A.int x;'\n");
    check_errors("A.x = B.y + 1;", "2:7: 'y' is B's, not A's\n");
    check_errors("A.x <- B.y;", "2:5: a delivery goes from left to right: 'B.y ~> A.x;'\n");
    check_errors("A.x <~ B.(y + 1);", "2:5: a delivery goes from left to right: 'B.(y + 1) ~> A.x;'\n");
    check_fix("A.x = A.y + 1;", "", "leave 'A.' out");
    check_errors("A.struct { int x; } y;",
                 "2:10: a type can't be defined here: define it in C, before the choreography\n");
    check_errors("A.int (*f)(void);",
                 "2:7: parentheses can't stand in a declaration here: give the type a name with 'typedef'\n");
    check_errors("A.static int x;", "2:3: 'static' can't stand in a choreography\n");
    check_errors("A.int a[] = {1};", "2:8: the size of the array is missing\n");
    check_errors("A.int while = 3;", "2:7: 'while' is a word of the language, it can't be a variable's name\n");
}

static void c_without_a_role(void **state)
{
    (void)state;
    check_errors("int x = 3;", "2:1: local C must say whose it is: 'A.int x = 3'\n");
    check_errors("x = 3;", "2:1: local C must say whose it is: 'A.x = 3'\n");
    check_errors("printf(\"x\\n\");", "2:1: local C must say whose it is: 'A.(printf(\"x\\n\"))'\n");
    check_errors("A x ~> B.y;", "2:2: '.' is missing between the role and what it has\n");
    check_errors("A (x) ~> B.y;", "2:2: '.' is missing between the role and what it has\n");
    check_errors("A(x);", "2:2: '.' is missing between the role and what it has\n");
    check_errors("A->x ~> B.y;", "2:2: a role and what it has are joined by '.', not '->'\n");
    check_errors("if (A(x)) { }", "2:6: '.' is missing between the role and what it has\n");
    check_errors("A.x = B.y; } def g() -> A.int B.int {",
                 "2:7: this is B's, not A's: a delivery brings it, 'B.y ~> A.x;'\n"
                 "2:30: expected ',' between two results\n");
    check_errors("} def g() => A.int {", "2:11: results are written behind '->', not '=>'\n");
    check_errors("} def g() : A.int {", "2:11: results are written behind '->', not ':'\n");
    check_errors("while (1) { }", "2:8: a condition must say whose it is; a loop without one is written 'for (;;)'\n");
    check_errors("while (true) { }",
                 "2:8: a condition must say whose it is; a loop without one is written 'for (;;)'\n");
    check_errors("++x;", "2:1: local C must say whose it is: 'A.(++x)'\n");
    check_errors("if (A.x) notify { A.f(); }", "2:17: expected '(' and the roles after 'notify'\n");
    check_errors("++A.x ~> B.y;", "2:1: what is sent must say whose it is: 'A.(++x)'\n");
    check_errors("++B.x;", "2:1: local C must say whose it is: 'B.(++x)'\n");
    check_errors("A.__auto_type x = 3;", "2:3: '__auto_type' can't stand in a choreography\n");
    check_errors("if (x) { }", "2:5: a condition must say whose it is: 'A.x'\n");
    check_errors("return 3;", "2:8: a result must say whose it is: 'A.(3)'\n");
    check_errors("if (A.x && B.y) { }", "2:12: 'y' is B's, not A's\n");
    check_errors("if (g(A.x)) { }", "2:5: the result of 'g' must be bound on its own, before it decides\n");
}

static void semicolons_are_missed_once(void **state)
{
    (void)state;
    check_fix("A.f(x)\nB.f(y);", ";", "add ';'");
    check_fix("A.x = 3\nB.f(y);", ";", "add ';'");
    check_fix("A.x ~> B.y\ng(A.x);", ";", "add ';'");
    check_fix("A.x ~> B.y\nif (B.y) { }", ";", "add ';'");
    check_fix("A.f(x)", ";", "add ';'");
    check_fix("return A.x\n", ";", "add ';'");
    check_errors("A.f(x)\nB.f(y);", "2:7: expected ';'\n");
    check_errors("A.f(x) B.y;", "2:7: expected ';'\n2:8: 'B.y' alone does nothing: send it with '~>', assign to it, or "
                                "call a function\n");
}

static void control_gone_wrong(void **state)
{
    (void)state;
    check_errors("if (A.x) B.f();", "2:10: the body of 'if' needs braces: '{ ... }'\n");
    check_errors("if (A.x) { } else B.f();", "2:19: the body of 'else' needs braces: '{ ... }'\n");
    check_errors("while (A.x) {A, B}.x = 3;", "2:13: the body of 'while' needs braces: '{ ... }'\n");
    check_errors("if A.x { A.y; }",
                 "2:4: expected '(' after 'if', not 'A'\n2:10: 'A.y' alone does nothing: send it with "
                 "'~>', assign to it, or call a function\n");
    check_errors("if () { }", "2:5: the condition of 'if' is missing\n");
    check_errors("else { A.f(); }", "2:1: 'else' without an 'if' before it\n");
    check_errors("rescue { A.f(); }", "2:1: 'rescue' without a checkpoint block before it\n");
    check_errors("break;", "2:1: 'break' outside of a loop or switch\n");
    check_errors("continue;", "2:1: 'continue' outside of a loop\n");
    check_errors("do { } A.f();", "2:8: expected 'while' after the body of 'do', not 'A'\n");
    check_errors("for (A.x ~> B.y; A.z; ) { }", "2:6: 'for' starts with a declaration or an assignment of one role\n");
    check_errors("for (A.int i = 0; i < 3; A.i++) { }", "2:19: a condition must say whose it is: 'A.(i < 3)'\n");
    check_errors("for (A.int i = 0; A.x) { }", "2:22: expected ';' in the head of 'for', not ')'\n");
    check_errors("for (;;) notify(B) { break; }",
                 "2:10: 'notify' stands only once, after the condition of 'if', 'while' or 'switch'\n");
    check_errors("checkpoint { A.f(); } else { B.g(); }", "2:23: a checkpoint has 'rescue', not 'else'\n");
    check_errors("checkpoint { A.f(); } catch { B.g(); } A.f();", "2:23: a checkpoint has 'rescue', not 'catch'\n");
    check_errors("checkpoint { A.f(); } catch (x) { } A.f();", "2:23: a checkpoint has 'rescue', not 'catch'\n");
    check_errors("checkpoint { A.f(); } rescue why { } A.f();",
                 "2:30: the name of the fault stands in parentheses: 'rescue (why)'\n");
    check_errors("try { A.f(); } catch (x) { B.g(); } finally { } A.f();",
                 "2:1: what can fail is written 'checkpoint { ... } rescue { ... }', not 'try'\n");
    check_errors("try(A.x); goto x;", "2:11: a choreography has no 'goto'\n");
    check_errors("goto x;", "2:1: a choreography has no 'goto'\n");
    check_errors("return g(A.x), A.y;", "2:8: the result of 'g' must be bound on its own, before it is returned\n");
}

static void cases_end_properly(void **state)
{
    (void)state;
    // Whether a case is left on every way is known later, in check/.
    check_errors("switch (A.n) { case 1: A.f(); case 2: break; }", "");
    check_errors("switch (A.n) { case 1: if (A.x) { break; } else { { break; } } }", "");
    check_errors("switch (A.n) { case 1: checkpoint { break; } rescue { break; } }", "");
    check_errors("switch (A.n) { case 1: if (A.x) { break; } else { break; } A.f(); break; }",
                 "2:35: 'break' may only end the case\n");
    check_errors("switch (A.n) { case 1: if (A.x) { break; } break; }", "2:35: 'break' may only end the case\n");
    check_errors("while (A.x) { switch (A.n) { default: break; A.f(); break; } }",
                 "2:39: 'break' may only end the case\n");
    check_errors("switch (A.n) { A.f(); case 1: break; }", "2:16: expected 'case' or 'default', not 'A'\n");
    check_errors("switch (A.n) { default: default: break; }",
                 "2:25: this switch has another 'default' label already\n");
    check_errors("switch (A.n) { case 1 ... 3: break; }",
                 "2:23: a range of values is not supported: write a label for each\n");
    check_errors("switch (A.n) { case: break; }", "2:20: the value of the case is missing\n");
    check_errors("switch (A.n) A.f();", "2:14: expected '{' and cases after 'switch (...)', not 'A'\n");
    check_errors("if (A.x) { case 1: A.f(); }", "2:12: 'case' stands only directly inside of a switch\n");
}

static void checkpoints_gone_wrong(void **state)
{
    (void)state;
    check_errors("checkpoint within 0ms { }", "2:19: no block is over within no time\n");
    check_errors("checkpoint within 5 { }",
                 "2:19: a time is a whole number and 'us', 'ms', 's' or 'min', such as '500ms'\n");
    check_errors("checkpoint within 1.5s { }",
                 "2:19: a time is a whole number and 'us', 'ms', 's' or 'min', such as '500ms'\n");
    check_errors("checkpoint within 99999999999999999999s { }",
                 "2:19: this time is too long: the limit is 100 years\n");
    check_errors("checkpoint within 99999999999999999999999999999999us { }",
                 "2:19: this time is too long: the limit is 100 years\n");
    check_errors("checkpoint within 52560001min { }", "2:19: this time is too long: the limit is 100 years\n");
    check_errors("checkpoint within 010ms { }", "2:19: a time is a whole decimal number and a unit, such as '500ms'\n");
    check_errors("checkpoint retry 0 { }", "2:18: 'retry 0' tries nothing again: leave it out\n");
    check_errors("checkpoint retry 1000000001 { }", "2:18: 'retry' needs a whole decimal number up to 1000000000\n");
    check_errors("checkpoint retry 4294967295 { }", "2:18: 'retry' needs a whole decimal number up to 1000000000\n");
    check_errors("checkpoint retry 18446744073709551617 { }",
                 "2:18: 'retry' needs a whole decimal number up to 1000000000\n");
    check_errors("checkpoint retry 010 { }", "2:18: 'retry' needs a whole decimal number up to 1000000000\n");
    check_errors("checkpoint retry 3u { }", "2:18: 'retry' needs a whole decimal number up to 1000000000\n");
    check_errors("checkpoint retry many { }", "2:18: expected a number after 'retry', not 'many'\n");
    check_errors("checkpoint retry 1 retry 2 { }", "2:26: a checkpoint has one 'retry'\n");
    check_errors(
        "checkpoint twice { A.f(); }",
        "2:12: expected '{', 'while', 'for', 'durable', 'within' or 'retry' after 'checkpoint', not 'twice'\n");
    check_errors("checkpoint do { } while (A.x);",
                 "2:12: a checkpoint repeats its body with 'while (...)' or 'for (;;)': what else a loop does belongs "
                 "before it or into its body\n");
    check_errors("checkpoint for (A.int i = 0; A.(i < 3); A.i++) { }",
                 "2:12: a checkpoint repeats its body with 'while (...)' or 'for (;;)': what else a loop does belongs "
                 "before it or into its body\n");
    check_errors("checkpoint while (true) { }",
                 "2:19: a condition must say whose it is; a loop without one is written 'for (;;)'\n");
    check_errors("checkpoint { break; } rescue { continue; }",
                 "2:14: 'break' outside of a loop or switch\n2:32: 'continue' outside of a loop\n");
    check_errors("checkpoint { } rescue (int) { }",
                 "2:24: 'int' is a word of the language, it can't be the name of the fault\n");
}

static void stage_two_is_not_supported_yet(void **state)
{
    (void)state;
    check_errors("unordered { A.f(); }", "2:1: 'unordered' is not supported yet\n");
}

static void families_gone_wrong(void **state)
{
    (void)state;
    check_errors("A[*].f(x);", "2:2: 'A' is one role, not a family: leave the brackets out\n");
    check_errors("for (i : A) { A.f(); }", "2:10: 'A' is one role, not a family: a family is declared 'A[]'\n");
    check_errors("for (i : R) { A.f(); }", "2:10: there is no family 'R'\n");
    check_block_errors("choreography(t, (A, R[]), def f() { for (i : R, A) { A.f(); } })",
                       "1:47: expected ')' behind the family, not ','\n");
    check_block_errors("choreography(t, (A, R[]), def f() { R[].f(); })",
                       "1:38: which of them? 'R[*]' are all, 'R[0]' is the first\n");
    check_block_errors("choreography(t, (A, R[2]), def f() { A.f(); })",
                       "1:22: a family is declared 'R[]': how many members it has is said by the cast\n");
}

static void blocks_gone_wrong(void **state)
{
    (void)state;
    check_block_errors("choreography()", "1:1: a choreography needs a name, its roles and definitions\n");
    check_block_errors("choreography(t, (), def f() { })", "1:17: a choreography needs at least one role\n");
    check_block_errors("choreography(t, A, def f() { })",
                       "1:17: expected the roles in parentheses, such as '(Alice, Bob)', not 'A'\n");
    check_block_errors("choreography(t, (A))", "1:14: the choreography 't' defines nothing: it needs a 'def'\n");
    check_block_errors("choreography(t, (A) def f() { })", "1:20: expected ',' after the roles\n");
    check_block_errors("choreography(t, (A, while), def f() { })",
                       "1:21: 'while' is a word of the language, it can't be a role\n");
    check_block_errors("choreography(t, (A),\n#if 0\ndef f() { })",
                       "2:1: no preprocessor directives inside a choreography\n");
    check_block_errors("choreography(t, (A), int f(void); def f() { })",
                       "1:22: expected 'def', or a prototype that says whose function it is: 'int A.f(void);'\n");
    check_block_errors("choreography(t, (A), A.f(void); def f() { })",
                       "1:22: the result type of the prototype is missing: 'int A.f(void);'\n");
    check_block_errors("choreography(t, (A), int A.f(void) { return 1; } def f() { })",
                       "1:36: a role's function is defined in C, outside of the choreography: expected ';'\n");
    check_block_errors("choreography(t, (A), int A.f(void) def f() { })", "1:35: expected ';'\n");
    check_block_errors(
        "choreography(t, (A), def f(A.int) { A.x; })",
        "1:33: expected a variable's name before ')'\n1:37: 'A.x' alone does nothing: send it with '~>', "
        "assign to it, or call a function\n");
    check_block_errors("choreography(t, (A), def f() -> A.int x { })",
                       "1:39: only a type stands here, without a name\n");
    check_block_errors("choreography(t, (A), def if() { })",
                       "1:26: 'if' is a word of the language, it can't be a definition's name\n");
}

static void brackets_gone_wrong(void **state)
{
    (void)state;
    check_errors("A.(n + 1 ~> B.x;\nA.y;", "2:3: this '(' is never closed\n3:1: 'A.y' alone does nothing: send it with "
                                           "'~>', assign to it, or call a function\n");
    check_errors("if (A.n { B.f(); }", "2:4: this '(' is never closed\n");
    check_errors("A.x = a[3;\nA.f();", "2:8: this '[' is never closed\n");
    check_errors("A.f(x]);", "2:6: no bracket is open that this ']' could close\n");
    check_errors("A.f(\"x);\nA.f();", "2:5: this string is never closed\n");
    check_block_errors("choreography(t, (A),\ndef f() { if (A.x) {\n}\ndef g() { }\n)\nint main(void) { return 0; }",
                       "2:9: this '{' is never closed\n");
    check_block_errors("choreography(t, (A),\ndef f() { }\nint main(void) { return 0; }",
                       "1:1: this choreography is never closed: its last ')' is missing\n");
    check_block_errors("choreography(t, (A),\ndef f() { A.f(x)); }\n)", "2:9: this '{' is never closed\n");
    // One that ends the block: what follows is not C.
    check_block_errors("choreography(t, (A),\ndef f() { })\ndef g(A.int x) { A.h(x); }\n)",
                       "2:12: this ')' ends the choreography, but more of it follows\n");
    check_block_errors("choreography(t, (A, B),\ndef f() { })\ndef g() { A.x ~> B.y; }\n)",
                       "2:12: this ')' ends the choreography, but more of it follows\n");
    check_block_errors("choreography(t, (A),\nvoid A.h(int x));\ndef g() -> A.int { A.h(x); }\n)",
                       "2:16: this ')' ends the choreography, but more of it follows\n");
    check_block_errors("choreography(t, (A),\ndef f() { })\nconst char *A.h(int x);\ndef g() { }\n)",
                       "2:12: this ')' ends the choreography, but more of it follows\n");
    // C, with a type of that name.
    check_block_errors("choreography(t, (A),\ndef f() { A.h(); })\ndef g(void);\ndef g(void) { return x.y; }", "");
    check_block_errors("choreography(t, (A),\ndef f() { A.h(); });\ndef g(int x, ...) { return ~x > y; }", "");
    check_block_errors("choreography(t, (A),\ndef f() { } /* x\n)", "2:13: this comment is never closed\n");
    check_block_errors("choreography(t, (A,\ndef f() { }\n)\n#include \"x\"\nint x;",
                       "1:17: this '(' is never closed\n");
}

static void add_times(Text *text, const char *part, size_t times)
{
    for (size_t i = 0; i < times; i++)
        text_puts(text, part);
}

static void check_limit(const char *before, const char *part, const char *message)
{
    Arena *arena = arena_new();
    Text text;
    text_init(&text, arena);
    text_puts(&text, before);
    add_times(&text, part, 100000);
    Test test = parse(text.chars);
    if (strstr(messages(&test), message) == NULL)
        print_error("expected '%s'\n", message);
    assert_non_null(strstr(messages(&test), message));
    test_fini(&test);
    arena_free(arena);
}

static void depth_and_errors_are_limited(void **state)
{
    (void)state;
    check_limit("choreography(t, (A), def f() {", "{", "nested too deeply");
    check_limit("choreography(t, (A), def f() { A.x = ", "(", "nested too deeply");
    check_limit("choreography(t, (A), def f() { A.x = ", "-", "too many operators (the limit is 1000)");
    check_limit("choreography(t, (A), def f() { A.x = ", "(int)", "too many operators (the limit is 1000)");
    check_limit("choreography(t, (A), def f() { A.x = ", "sizeof ", "too many operators (the limit is 1000)");
    check_limit("choreography(t, (A), def f() { A.x = 1", " + 1", "too many operators (the limit is 1000)");
    check_limit("choreography(t, (A), def f() { A.x = a", "[0]", "too many operators (the limit is 1000)");
    check_limit("choreography(t, (A), def f() { A.int ", "*", "too many operators (the limit is 1000)");
    check_limit("choreography(t, (A), def f() { if (A.x) { }", "else if (A.x) { }", "is too long (the limit is 2000)");
    check_limit("choreography(t, (A), def f() { ", "if (A.x) ", "too many errors");
    check_limit("choreography(t, (A), def f(", "f(", "nested too deeply");
    check_limit("choreography(t, (A), def f() {", "A.x;", "too many errors");
    check_limit("choreography(t, (A), def f() {", "( } {", "too many errors");
    check_limit("choreography(t, (A), ", "def;", "too many errors");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definitions_and_prototypes),
        cmocka_unit_test(words_are_words_only_where_expected),
        cmocka_unit_test(deliveries),
        cmocka_unit_test(assignments_and_local_steps),
        cmocka_unit_test(calls),
        cmocka_unit_test(choices_and_loops),
        cmocka_unit_test(checkpoints),
        cmocka_unit_test(spans_are_exact),
        cmocka_unit_test(tokens_are_dumped),
        cmocka_unit_test(located_c_needs_parentheses),
        cmocka_unit_test(deliveries_gone_wrong),
        cmocka_unit_test(assignments_gone_wrong),
        cmocka_unit_test(c_without_a_role),
        cmocka_unit_test(semicolons_are_missed_once),
        cmocka_unit_test(control_gone_wrong),
        cmocka_unit_test(cases_end_properly),
        cmocka_unit_test(checkpoints_gone_wrong),
        cmocka_unit_test(stage_two_is_not_supported_yet),
        cmocka_unit_test(families_gone_wrong),
        cmocka_unit_test(blocks_gone_wrong),
        cmocka_unit_test(brackets_gone_wrong),
        cmocka_unit_test(depth_and_errors_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
