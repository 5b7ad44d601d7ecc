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
