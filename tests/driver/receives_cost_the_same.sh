# A message costs the same however many receives its function has.
set -eu
. "$(dirname "$0")/common.bash"
command -v valgrind >/dev/null || { echo "no valgrind here"; exit 0; }

# program N: a round sends N messages from N lines, so that a function has N receives
program()
{
    local i
    echo '#include <chorex.h>'
    echo '#include <stdlib.h>'
    echo 'choreography(many, (Ann, Ben),'
    echo '    def run({Ann, Ben}.int rounds) -> Ann.int {'
    echo '        Ann.int x = 0; Ben.int y = 0;'
    echo '        while ({Ann, Ben}.(rounds > 0)) {'
    for ((i = 0; i < $1; i++)); do
        echo '            Ann.x ~> Ben.y;'
        echo '            Ben.y ~> Ann.x;'
    done
    echo '            {Ann, Ben}.rounds = rounds - 1;'
    echo '        }'
    echo '        return Ann.x;'
    echo '    }'
    echo ')'
    echo '#include "many.Ann.chor.h"'
    echo '#include "many.Ben.chor.h"'
    echo 'int main(int argc, char **argv)'
    echo '{'
    echo '    struct many_run_result result;'
    echo '    return many_run(&result, NULL, argc > 1 ? atoi(argv[1]) : 1) != CHX_OK;'
    echo '}'
}

# instructions PROGRAM ROUNDS
instructions()
{
    valgrind --tool=callgrind --callgrind-out-file=counted "./$1" "$2" >/dev/null 2>messages || fail "$1 under valgrind"
    sed -n 's/^totals: //p' counted
}

# per_message N: of two runs the difference, so that what a program does once does not count
per_message()
{
    local rounds=$((8000 / $1))
    program "$1" >"many$1.c"
    "$CHORCC" -O1 --emit-dir="emitted$1" "many$1.c" -o "many$1" || fail "many$1.c"
    echo $((($(instructions "many$1" $((2 * rounds))) - $(instructions "many$1" "$rounds")) / (2 * rounds * $1)))
}

few=$(per_message 4)
many=$(per_message 400)
[ "$few" -gt 20 ] || fail "a message takes $few instructions: not counted"
[ "$many" -lt $((few + few / 4)) ] ||
    fail "a message takes $many instructions where a function has 400 receives, $few where it has 4"
