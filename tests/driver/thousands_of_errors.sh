# Every error is reported, however many there are; explanations, each of which looks through the whole choreography, come
# with the first ones only, so that the time grows in proportion.
set -eu
. "$(dirname "$0")/common.bash"

# unknown COUNT: so many uses of names that nobody has
unknown()
{
    printf '#include <chorex.h>\nchoreography(many, (Alice, Bob), def run(Alice.int n) {\n'
    for i in $(seq "$1"); do
        echo "Alice.n ~> Bob.x$i; Bob.use(y$i);"
    done
    echo '})'
}

unknown 4000 >many.c
status 1 timeout 120 "$CHORCC" --emit many.c
[ "$(grep -c "error: Bob has no variable 'y" messages)" -eq 4000 ] || fail "not all errors are there"
contains messages "did you mean 'x1'?"
contains messages "did you mean 'x150'?"
[ "$(grep -c 'note:' messages)" -le 500 ] || fail "explanations for all of thousands of errors"
