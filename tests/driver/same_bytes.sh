# The same input gives the same bytes.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" --emit --emit-dir=one hello.c
"$CHORCC" --emit --emit-dir=two hello.c
diff -r one two
