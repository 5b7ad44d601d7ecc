# What is just not too deep, or long, is accepted, and gcc and clang take what is made of it.
set -eu
. "$(dirname "$0")/common.bash"
times()
{
    local i
    for ((i = 0; i < $1; i++)); do printf '%s' "$2"; done
}
# compiles NAME: x.c, projected and sequential
compiles()
{
    rm -rf out && mkdir out
    "$CHORCC" -w --emit --emit-dir=out x.c || fail "$1: chorcc"
    { cat x.c; echo; for file in out/*.chor.h; do echo "#include \"${file#out/}\""; done; } >whole.c
    "$CHORCC" -w --central x whole.c -o central.c || fail "$1: chorcc --central"
    { echo '#include "x.c"'; for file in out/*.chor.h; do echo "#include \"$file\""; done; } >all.c
    for compiler in gcc clang; do
        for file in all.c central.c; do
            "$compiler" -w -fsyntax-only $("$CHORCC" --cflags) "$file" || fail "$1: $compiler $file"
        done
    done
}
# body TEXT: x.c with this as its definition
body()
{
    { echo '#include <chorex.h>'; echo 'choreography(x, (A, B), def run(A.int n) {'; printf '%s' "$1"; echo ' })'; } >x.c
}
# nested HEAD END
nested()
{
    body "$(times 190 "$1") A.(n); $(times 190 "$2")"
    compiles "190 times $1 $2"
}
nested '{' '}'
nested 'if (A.n) {' '}'
nested 'if (A.n) { A.n ~> B.int x; B.(x);' '} else { A.n ~> B.int x; B.(x); }'
nested 'if (A.n) { B.f(1);' '} else { B.f(2); }'
nested 'while (A.n) { B.f(1); ' '}'
nested 'do { B.f(1); ' '} while (A.n);'
nested 'for (;;) { B.f(1); ' 'break; }'
nested 'checkpoint {' '} rescue { B.f(1); }'
nested 'checkpoint { B.f(1); } rescue {' '}'
nested 'switch (A.n) { case 1: B.f(1); ' 'break; default: B.f(2); break; }'
nested 'switch (A.n) { case 1: A.n ~> B.int x; B.(x); ' 'break; default: A.n ~> B.int x; B.(x); break; }'
expression()
{
    body "A.x = $(times "$1" "$2") n $(times "$1" "$3"); A.(x);"
    compiles "$1 times $2 $3"
}
expression 190 '(' ')'
expression 95 '({' ';})'
expression 95 '(int[]){' '}[0]'
expression 490 '*&' ''
expression 990 '- ' ''
expression 990 '(int)' ''
expression 490 'n ? 1 : ' ''
expression 990 'n + ' ''

# Chains of else-ifs. $1: how many, $2: what to do in number I
chain()
{
    echo '#include <chorex.h>'
    echo '#include <stdio.h>'
    echo 'choreography(x, (A, B, C), void C.f(int n); def run(A.int n) -> B.int { B.int r = -1;'
    local i other=''
    for ((i = 0; i < $1; i++)); do
        echo "$other if (A.(n == $i)) { ${2//I/$i} }"
        other=else
    done
    echo "else { ${2//I/-2} } A.n ~> B._; B.r ~> C._; return B.r; })"
    echo '#include "x.A.chor.h"'
    echo '#include "x.B.chor.h"'
    echo '#include "x.C.chor.h"'
    echo 'void C_f(int n) { (void)n; }'
    echo 'int main(void) { for (int i = 0; i <= '"$1"'; i++) { struct x_run_result r;'
    echo 'if (x_run(&r, NULL, i) != CHX_OK || r.B != '"${3:-(i == $1 ? -2 : i)}"') { printf("%d gives %d\n", i, r.B); return 1; } }'
    echo 'return 0; }'
}
# Seen by what arrives, told, decided by nobody else's, left by a return; in a loop, left by break and continue.
for what in 'A.(I) ~> B.int x; B.r = x;' 'C.f(I); B.r = I;' 'B.r = I; return B.r;' \
    'A.(I) ~> B.r; if (A.(n == 7)) { C.f(7); } else { A.(n) ~> C._; }' \
    'for (;;) { B.r = I; if (A.(n % 2)) { break; } A.n++; continue; } if (B.(r % 2)) { B.(0); }'; do
    result='i == 40 ? -2 : i'
    chain 40 "$what" "($result)" >x.c
    for compiler in gcc clang; do
        CHORCC_CC=$compiler "$CHORCC" -w x.c -o x
        ./x || fail "a chain of $what behind $compiler"
    done
    "$CHORCC" -w --central x x.c -o central.c
    gcc -w $("$CHORCC" --cflags) central.c $("$CHORCC" --libs) -o central
    ./central || fail "a sequential chain of $what"
    chain 300 "$what" >x.c
    "$CHORCC" -w --emit --emit-dir=long x.c
    "$CHORCC" -w --central x x.c -o central.c
    clang -w -fsyntax-only -Ilong $("$CHORCC" --cflags) x.c
    clang -w -fsyntax-only $("$CHORCC" --cflags) central.c
done
# In a loop, where a branch is left by break and continue: the loop ends at 30.
what='B.r = I; if (A.(I >= 30)) { break; }'
{ chain 40 "$what" "(i < 30 ? 30 : i == 40 ? -2 : i)"; } | sed 's/B.int r = -1;/B.int r = -1; for (;;) {/; s/ A.n ~> B._; B.r/ A.n++; if (A.(n > 41)) { break; } } A.n ~> B._; B.r/' >x.c
for compiler in gcc clang; do
    CHORCC_CC=$compiler "$CHORCC" -w x.c -o x
    ./x || fail "a chain in a loop behind $compiler"
done
"$CHORCC" -w --central x x.c -o central.c
gcc -w $("$CHORCC" --cflags) central.c $("$CHORCC" --libs) -o central
./central || fail "a sequential chain in a loop"
