# Folders and files with spaces and quotes in their names, sources in other folders than the working one.
set -eu
. "$(dirname "$0")/common.bash"
mkdir -p "some folder/it's"
hello "some folder/it's/hello world.c"
"$CHORCC" -g "some folder/it's/hello world.c" -o "a program"
prints 42 "./a program"
[ -f "some folder/it's/hello.Alice.chor.h" ] || fail "the companion does not stand beside its source"
(cd "some folder" && "$CHORCC" "it's/hello world.c" -o ../again)
prints 42 ./again
(cd / && "$CHORCC" "$WORK/some folder/it's/hello world.c" -o "$WORK/third")
prints 42 ./third
