# C of every shape works in every place where a choreography takes C: projected behind gcc and clang, with roles in
# processes, and as one sequential program. Each definition has one shape, whose value is n, in all places.
set -eu
. "$(dirname "$0")/common.bash"

numbers=(
    'n, n'
    '0, (0, n)'
    '{ int i = n; i; }'
    '{ struct pair p = {n, 1}; p.a; }'
    '({ int n = 1; n; }) + n - 1'
    '({ ({ n; }); })'
    'n ? n : 0'
    'n = n'
    '(struct pair){n, 1}.a'
    '*(int[2]){n, 0}'
    '(int[]){0, n}[1]'
    '_Generic(n, int: n, default: 0)'
    'FIRST(n, 1)'
    'FIRST(((struct pair){n, 1}.a), 1)'
    'PAIR(n).a'
    'COMMA n'
    'BLOCK(n)'
    'OPEN n; CLOSE'
    'LAST(n)'
    'n + COMMA n'
    'sizeof(int[2]) ? n : 0'
    'n // not n, but'
    'n /* , */ /* ( */'
    $'n \\\n + 0'
    $'n + \\\n (0, \\\n 0)'
    $'/* a\n comment */ n'
    $'\n\n n'
    'same(n)'
    '(same)(n)'
    '(&same)(n)'
    '(*same)(n)'
    'apply(same, n)'
    'apply(&same, n)'
    'apply(*same, n)'
    '{ __typeof__(same) *f = same; f(n); }'
    '{ __typeof__(&same) f = &same; (*f)(n); }'
    '{ step f = n ? same : 0; f(n); }'
    'sizeof(same(n)) == sizeof(int) ? n : 0'
    'FIRST(same, 0)(n)'
    '{ int same = n; same; }'
    '{ int *same = &n; *same; }'
    '{ struct pair same = {n, 0}; same.a; }'
    '_Generic(&same, step: n, default: 0)'
    'strlen("a, ( \" b") ? n : 0'
    "',' ? n : 0"
    "same((n, 0) ? 1 : n)"
)
strings=(
    's'
    '0, s'
    '{ const char *q = s; q; }'
    's ? s : "none"'
    '(struct named){s, 1}.name'
    's // "'
    $'s \\\n + 0'
    'echo(s)'
    'chx_cstr(chx_strf("%s", s))'
    '(const char *[]){s, 0}[0]'
    'FIRST(s, 1)'
)

# One definition for each shape. $1: its number, $2: the shape
number_places()
{
    cat <<END
    def number_$1(A.int n) -> B.int {
        A.int m = n;
        A.int a[2] = {0};
        A.($2
        ) ~> B.x;
        A.{($2
        ), 1, ($2
        )} ~> B.{y, int one, z};
        A.m = ($2
        );
        A.long l = ($2
        );
        A.u = ($2
        );
        A.m += ($2
        );
        A.($2
        );
        A.a[($2
        ) - m / 2] = 1;
        A.a[($2
        ) - n] += ($2
        );
        B.(x - 7) ~> A.a[1 + 0 * ($2
        )];
        B.x ~> A.($2
        );
        A.{n, n} ~> B.{_, (1, x)};
        A.{.a = _, .b = c} = (($2
        ), (struct pair){n, 2});
        if (A.($2
        )) {
            A.m++;
        }
        while (A.(($2
        ) > m)) {
            A.m++;
        }
        do {
            A.m++;
        } while (A.(($2
        ) + 20 > m));
        for (A.int i = ($2
        ); A.(i < ($2
        ) + 2); A.i += !!($2
        )) {
            A.m++;
        }
        switch (A.($2
        )) {
        case sizeof(char[2]) ? 7 : 1:
            A.m++;
            break;
        default:
            A.m = -1000;
            break;
        }
        B.r = number_of_$1(A.($2
        ), B.x);
        A.(m + a[0] + a[1] + (int)l + u + c) ~> B.k;
        return B.({ int sum = x + y + one + z + r + k; sum; });
    }
    def number_of_$1(A.int n, B.int k) -> B.int {
        A.{k, _}, B.k = number_to_$1(A.($2
        ), B.(k, k));
        if (A.(k < 0)) {
            return number_of_$1(A.($2
            ), B.(k));
        }
        return B.(k, k);
    }
    def number_to_$1(A.int n, B.int k) -> A.{int, int}, B.int {
        return A.{($2
        ), 0}, B.({ k; });
    }
END
}

string_places()
{
    cat <<END
    def string_$1(A.const char *s) -> B.const char * {
        A.($2
        ) ~> B.x;
        A.{chx_strf("%s", ($2
        )), 1} ~> B.{y, _};
        A.t = ($2
        );
        A.const char *u = ($2
        );
        A.chx_str v = chx_strf("%s", ($2
        ));
        A.struct named w = {($2
        ), 1};
        A.w.name = ($2
        );
        B.x ~> A.($2
        );
        A.v ~> B.(y);
        if (A.($2
        )) {
            A.t = ($2
            );
        }
        B.r = string_of_$1(A.($2
        ));
        A.(t[0] + u[0] + w.name[0]) ~> B.k;
        return B.(k == 3 * 's' ? chx_cstr(chx_strf("%s%s%s", x, chx_cstr(y), r)) : "wrong");
    }
    def string_of_$1(A.const char *s) -> B.const char * {
        A.t = ($2
        );
        A.t ~> B.t;
        return B.(0, t);
    }
END
}

{
    cat <<'END'
#include <chorex.h>
#include <stdio.h>
#include <string.h>
struct pair { int a, b; };
struct named { const char *name; int number; };
typedef int (*step)(int);
static inline int apply(step f, int n) { return f(n); }
#define FIRST(one, other) (one)
#define PAIR(n) (struct pair){n, 1}
#define COMMA 0,
#define BLOCK(x) { int y = x; y; }
#define OPEN {
#define CLOSE }
#define LAST(x) 0, x
choreography(places, (A, B),
    int A.same(int n);
    const char *A.echo(const char *s);
END
    for i in "${!numbers[@]}"; do number_places "$i" "${numbers[$i]}"; done
    for i in "${!strings[@]}"; do string_places "$i" "${strings[$i]}"; done
    cat <<'END'
)
#include "places.A.chor.h"
#include "places.B.chor.h"
int A_same(int n) { return n; }
const char *A_echo(const char *s) { return s; }
int main(void)
{
    int wrong = 0;
END
    for i in "${!numbers[@]}"; do
        echo "    struct places_number_${i}_result n$i = {0};"
        echo "    if (places_number_$i(&n$i, NULL, 7) != CHX_OK || n$i.B != EXPECTED)"
        echo "        wrong++, printf(\"number_$i: %d %s\\n\", n$i.B, chx_last_report()->why);"
    done
    for i in "${!strings[@]}"; do
        echo "    struct places_string_${i}_result s$i = {0};"
        echo "    if (places_string_$i(&s$i, NULL, \"s\") != CHX_OK || strcmp(s$i.B, \"sss\") != 0)"
        echo "        wrong++, printf(\"string_$i: %s %s\\n\", s$i.B, chx_last_report()->why);"
        echo "    places_string_${i}_result_drop(&s$i);"
    done
    echo '    return wrong; }'
} >program.c

# The shape that is no shape tells what the others must give.
expected=$(( 7 + 7 + 1 + 7 + 7 ))
m=$(( 7 + 7 + 1 )) # = n, += n, if
m=$(( m + 12 + 2 + 1 )) # do ... while (n + 20 > m), for, switch
expected=$(( expected + m + 8 + 0 + 7 + 7 + 2 ))
sed -i "s/EXPECTED/$expected/" program.c
for compiler in gcc clang; do
    CHORCC_CC=$compiler "$CHORCC" -w program.c -o program
    ./program || fail "behind $compiler"
done
CHOREX_ISOLATION=process ./program || fail "in processes"
"$CHORCC" -w --central places program.c -o central.c
for compiler in gcc clang; do
    "$compiler" -w $("$CHORCC" --cflags) central.c $("$CHORCC" --libs) -o central
    ./central || fail "sequential, behind $compiler"
done
