# A companion whose content would not change is not touched; one whose content changes is.
set -eu
. "$(dirname "$0")/common.bash"
hello
times() { stat -c '%n %Y %i' hello.chor.h hello.Alice.chor.h hello.Bob.chor.h; }
"$CHORCC" hello.c -o hello
touch -d '2001-01-01' hello*.chor.h
times >before
"$CHORCC" hello.c -o hello
"$CHORCC" --emit hello.c
times >after
cmp before after || fail "companions were touched"
sed -i 's/y + 1/y + 2/' hello.c
"$CHORCC" hello.c -o hello
prints 43 ./hello
times >changed
! cmp -s before changed || fail "no companion was renewed"
ls | grep -v -e '^hello' -e before -e after -e changed && fail "something is left over"
exit 0
