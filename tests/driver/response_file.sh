# @file gives arguments, with quotes and spaces in it.
set -eu
. "$(dirname "$0")/common.bash"
hello "a name.c"
printf '%s\n' '-O1 "-DMESSAGE=a b"' '"a name.c"' "-o 'the program'" >arguments
"$CHORCC" @arguments
prints 42 "./the program"
