# Broken and hostile blocks: an error, never a crash or a hang.
set -eu
. "$(dirname "$0")/common.bash"
try()
{
    code=0
    timeout 20 "$CHORCC" --emit bad.c >output 2>messages || code=$?
    [ $code -eq 1 ] || { head -c 3000 messages >&2; fail "$1: status $code"; }
    [ "$(wc -l <messages)" -lt 1000 ] || fail "$1: $(wc -l <messages) lines of messages"
}
begin='#include <chorex.h>'
{ echo "$begin"; echo 'choreography'; echo '('; } >bad.c; try "nothing"
{ echo "$begin"; echo 'choreography()'; } >bad.c; try "no arguments"
{ echo "$begin"; echo 'choreography(x)'; } >bad.c; try "only a name"
{ echo "$begin"; echo 'choreography(x, (A, B), def run() { "unclosed )'; } >bad.c; try "unclosed string"
{ echo "$begin"; echo 'choreography(x, (A, B), def run() { /* unclosed )'; } >bad.c; try "unclosed comment"
{ echo "$begin"; echo 'choreography(x, (A, B), def run() {'; for i in $(seq 5000); do printf '{ if (A.(1)) '; done; echo ')'; } >bad.c
try "deep nesting of blocks"
{ echo "$begin"; printf 'choreography(x, (A, B), def run() { A.'; head -c 100000 /dev/zero | tr '\0' '('; echo; } >bad.c
try "deep parentheses"
{ echo "$begin"; echo 'choreography(x, (A, B),'; for i in $(seq 3000); do echo 'def ~> }} ] A. ;'; done; echo ')'; } >bad.c
try "thousands of mistakes"
# What nests without brackets, or is only long.
times()
{
    local i
    for ((i = 0; i < $1; i++)); do printf '%s' "$2"; done
}
for part in '-' '!' '*&' '(int)' 'sizeof ' 'n = ' 'n ? 1 : ' '1 + ' '__extension__ '; do
    { echo "$begin"; printf 'choreography(x, (A, B), def run(A.int n) { A.x = '; times 10000 "$part"; echo 'n; A.(x); })'; } >bad.c
    try "10,000 times '$part'"
    contains messages "this expression has too many operators (the limit is 1000)"
done
for part in '*' 'const *'; do
    { echo "$begin"; printf 'choreography(x, (A, B), def run() { A.int '; times 10000 "$part"; echo 'x; })'; } >bad.c
    try "10,000 times '$part' in a type"
done
{ echo "$begin"; printf 'choreography(x, (A, B), def run() { A.int x'; times 10000 '[1]'; echo '; })'; } >bad.c
try "an array of 10,000 dimensions"
{ echo "$begin"; printf 'choreography(x, (A, B), def run(A.int n) { if (A.n) { }'; times 10000 ' else if (A.n) { }'; echo '})'; } >bad.c
try "a chain of 10,000 else-ifs"
contains messages "this chain of 'else if' is too long (the limit is 2000)"
{ echo "$begin"; printf 'choreography(x, (A, B), def run(A.int n) { A.n ~> {'; times 50000 'A, B, '; echo 'A}.x; })'; } >bad.c
try "a set of 100,000 roles"
{ echo "$begin"; printf 'choreography(x, (A, B'; for i in $(seq 20000); do printf ', R%d' "$i"; done; echo '), def run() { })'; } >bad.c
try "20,000 roles"
{ echo "$begin"; printf 'choreography(x, (A, B), def run(A.int n) { A.{'; times 20000 'n, '; printf 'n} ~> B.{'; times 20000 '_, '; echo '_}; })'; } >bad.c
try "a tuple of 20,000 values"
# In a macro it is not seen; libclang runs out of stack, which is an error like others.
{ printf '#define MINUS '; times 300000 '- '; echo; echo "$begin"; echo 'choreography(x, (A, B), def run(A.int n) { A.x = MINUS n; A.(x); })'; } >bad.c
try "300,000 times '-' in a macro"
contains messages "bad.c:3:14: error: libclang can't read this file"

{ echo "$begin"; printf 'choreography(x, (A, B), def run() { A.'; head -c 200000 /dev/zero | tr '\0' 'a'; echo ' ~> B.y; })'; } >bad.c
try "a very long name"
