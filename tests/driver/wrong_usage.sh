# Wrong usage is told in terms of what was typed, with status 2.
set -eu
. "$(dirname "$0")/common.bash"
hello
# refused TEXT ARGUMENTS...
refused()
{
    text=$1
    shift
    status 2 "$CHORCC" "$@"
    contains messages "chorcc: error: $text"
    [ "$(wc -l <messages)" -eq 1 ] || { cat messages >&2; fail "$*: more than one message"; }
}
# What chorcc adds to the command must not become an option's argument.
refused "'-o' needs an argument" hello.c -o
refused "'-I' needs an argument" hello.c -I
refused "'-D' needs an argument" -c hello.c -D
refused "'--stubs' needs NAME.ROLE" --stubs hello. hello.c
refused "'--stubs' needs NAME.ROLE" --stubs .Bob hello.c
refused "'notes.txt' is not a C file" --emit notes.txt
refused "'main.cc' is not a C file" --dump=tree main.cc
refused "unknown option '--emitt'" --emitt hello.c

# A compiler behind that is chorcc again would call itself for ever.
export CHORCC_CC=$CHORCC
refused "CHORCC_CC must be a C compiler, not chorcc again" hello.c -o hello
unset CHORCC_CC
export CHORCC_PREFIX=/nowhere
refused "CHORCC_PREFIX is '/nowhere', but include/chorex.h is not there" hello.c -o hello
unset CHORCC_PREFIX
"$CHORCC" hello.c -o hello
prints 42 ./hello
