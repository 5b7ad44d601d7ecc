# A companion that an older chorcc has left behind says so, instead of errors that nobody understands.
set -eu
. "$(dirname "$0")/common.bash"
hello
"$CHORCC" --emit hello.c
include=$("$CHORCC" --cflags | sed 's/^-I//')
cc -c hello.c -I"$include"
cp -rL "$include" newer
sed -i 's/\(define CHX_GENERATED_VERSION\) .*/\1 12345/' newer/chorex/generated.h
status 1 cc -c hello.c -Inewer
contains messages "hello.chor.h was made by another version of chorcc"
contains messages "hello.Bob.chor.h was made by another version of chorcc"
