# --dump=model prints a choreography as tables for the model checker, and says what they can't express.
set -eu
. "$(dirname "$0")/common.bash"

# model ROLES BODY: a choreography of these roles
model()
{
    printf '#include <chorex.h>\nchoreography(small, (%s),\n%s\n)\n' "$1" "$2" >small.c
}

refused()
{
    status 1 "$CHORCC" --dump=model small.c
    contains messages "the model can't express this: $1"
    [ ! -s output ] || fail "tables are printed all the same"
}

model "A, B" 'def run() { checkpoint retry 1 { A.(1) ~> B._; } rescue { B.(2) ~> A._; } }'
"$CHORCC" --dump=model small.c >tables
contains tables "/* choreography small: 0 A 1 B */"
contains tables "#define ROLES 2"
contains tables "hidden byte RETRY[1] = {1};"
contains tables "hidden byte LAST[1] = {2};"
contains tables "hidden byte MEMBERS[1] = {3};"

# Each role: enter, body, arrive, rescue, arrive, end. The body and the rescue lead to the same end.
contains tables "hidden byte OP[12] = {6, 1, 7, 2, 7, 0, 6, 2, 7, 1, 7, 0};"
contains tables "hidden byte NEXT[12] = {1, 2, 5, 4, 5, 0, 1, 2, 5, 4, 5, 0};"

# Without a rescue there is nothing after the last attempt of the body.
model "A, B" 'def run() { checkpoint retry 1 { A.(1) ~> B._; } }'
"$CHORCC" --dump=model small.c >tables
contains tables "hidden byte LAST[1] = {1};"

# A choreography without messages and blocks has tables too.
model "A" 'def run() { A.step(); }'
"$CHORCC" --dump=model small.c >tables
contains tables "hidden byte OP[1] = {0};"

model "A, B, C, D, E" 'def run() { A.(1) ~> {B, C, D, E}.x; {B, C, D, E}.(x + 1); }'
refused "there are too many roles"
model "A, B" 'def run() { checkpoint retry 3 { A.(1) ~> B._; } }'
refused "there are too many retries"
model "A, B" 'def run() { checkpoint { checkpoint { checkpoint { checkpoint { A.(1) ~> B._; } } } } }'
refused "checkpoints are nested too deeply"
model "A, B" 'def f0() { A.step(); A.(1) ~> B._; }
def f1() { f0(); f0(); f0(); } def f2() { f1(); f1(); f1(); } def f3() { f2(); f2(); f2(); } def f4() { f3(); f3(); f3(); }
def f5() { f4(); f4(); f4(); } def f6() { f5(); f5(); f5(); } def f7() { f6(); f6(); f6(); } def f8() { f7(); f7(); f7(); }
def run() { f8(); f8(); f8(); }'
refused "it is too large"
model "A, B" 'def run() { for (A.int i = 0; A.(i < 9); A.i++) { for (A.int j = 0; A.(j < 9); A.j++) {
for (A.int k = 0; A.(k < 9); A.k++) { for (A.int l = 0; A.(l < 9); A.l++) { for (A.int m = 0; A.(m < 9); A.m++) {
checkpoint { A.(1) ~> B._; } } } } } } }'
refused "there are too many checkpoints"

printf '#include <chorex.h>\nchoreography(x, (A), def run() { A.f(); })\nchoreography(y, (A), def run() { A.f(); })\n' >two.c
status 1 "$CHORCC" --dump=model two.c
contains messages "a model is of one choreography"
