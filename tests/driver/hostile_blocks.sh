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
{ echo "$begin"; printf 'choreography(x, (A, B), def run() { A.'; head -c 200000 /dev/zero | tr '\0' 'a'; echo ' ~> B.y; })'; } >bad.c
try "a very long name"
