# Companions that can't be written: a clear error that names the file.
set -eu
. "$(dirname "$0")/common.bash"
hello
: >blocked
status 1 "$CHORCC" --emit --emit-dir=blocked/below hello.c
contains messages "blocked"
mkdir hello.chor.h
status 1 "$CHORCC" --emit hello.c
contains messages "hello.chor.h"
contains messages "--emit-dir=DIR"
