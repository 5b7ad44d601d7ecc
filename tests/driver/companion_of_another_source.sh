# A companion that was made from another source is an error that says what to do.
set -eu
. "$(dirname "$0")/common.bash"
hello one.c
hello two.c
"$CHORCC" one.c -o one
status 1 "$CHORCC" two.c -o two
contains messages "one.c"
contains messages "--emit-dir"
"$CHORCC" --emit-dir=second two.c -o two
prints 42 ./two
mkdir user
echo '/* my own file */' >user/hello.chor.h
hello user/hello.c
status 1 "$CHORCC" --emit user/hello.c
contains user/hello.chor.h "my own file"
