# --emit-dir says where companions go; it is made if it is missing, and added to the include path.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" --emit-dir=made/here hello.c -o hello
prints 42 ./hello
[ -f made/here/hello.Alice.chor.h ] || fail "no companion in made/here"
[ ! -e hello.Alice.chor.h ] || fail "a companion beside the source"
"$CHORCC" --emit --emit-dir=other hello.c
[ -f other/hello.chor.h ] || fail "no companion in other"
cmp made/here/hello.Bob.chor.h other/hello.Bob.chor.h

# One beside the source would be included instead. It does not matter while it says the same.
"$CHORCC" --emit hello.c
"$CHORCC" --emit-dir=other hello.c -o hello 2>same.err
[ ! -s same.err ] || fail "a warning about a companion that says the same"
echo "/* of an earlier build */" >>hello.Bob.chor.h
"$CHORCC" --emit-dir=other hello.c -o hello 2>other.err
grep -q "'hello.Bob.chor.h' is of another build and will be included instead of 'other/hello.Bob.chor.h': remove it" \
    other.err || fail "no warning about a companion of another build"
