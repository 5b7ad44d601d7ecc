# Sources, headers, response files and outputs that are no ordinary files, or strange ones: a clear error or the right
# thing, soon.
set -eu
. "$(dirname "$0")/common.bash"

# refused TEXT FILE: --emit says so in one message
refused()
{
    local code=0
    timeout 30 "$CHORCC" --emit "$2" >output 2>messages || code=$?
    [ $code -eq 1 ] || { head -c 2000 messages >&2; fail "$2: status $code"; }
    contains messages "$2: $1"
    [ "$(wc -l <messages)" -eq 1 ] || { cat messages >&2; fail "$2: more than one line"; }
}
mkfifo pipe.c
refused "is a pipe" pipe.c
ln -s /dev/zero zero.c
refused "is not a regular file" zero.c
ln -s /dev/null null.c
refused "is not a regular file" null.c
mkdir folder.c
refused "is a directory" folder.c
ln -s nowhere.c link.c
refused "no such file" link.c
ln -s self.c self.c
refused "can't be read: Too many levels of symbolic links" self.c
hello nul.c
printf '\0' >>nul.c
refused "contains a NUL byte" nul.c
# Sparse files: two gigabytes and more are refused without being read.
hello large.c
truncate -s 3G large.c
refused "is larger than 64 MiB" large.c
rm large.c

# A pipe can be read only once. Plain C that the shell gives us goes on to the C compiler as it is.
plain='int main(void) { return 0; }'
echo "$plain" >pipe.c &
writer=$!
status 1 timeout 20 "$CHORCC" pipe.c -o program
contains messages "pipe.c: is a pipe: chorcc reads a source more than once, so it must be a file"
cat pipe.c >/dev/null
wait $writer
echo "$plain" | timeout 20 "$CHORCC" -x c - -o program
echo "$plain" | timeout 20 "$CHORCC" -x c /dev/stdin -o program
timeout 20 "$CHORCC" -x c <(echo "$plain") -o program
timeout 20 "$CHORCC" -x c -fsyntax-only /dev/null

# Companions are not written where the system keeps its devices and processes.
hello
for path in /dev/stdin /dev/fd/0 /proc/self/fd/0; do
    status 1 timeout 20 "$CHORCC" -x c "$path" -o program <hello.c
    contains messages "the companions of 'hello' can't be written beside '$path': use a file"
    [ -z "$(find /dev -maxdepth 1 -name 'hello.*')" ] || fail "there are companions in /dev"
    timeout 20 "$CHORCC" --emit-dir=companions -x c "$path" -o program <hello.c
    prints 42 ./program
    rm -r companions
done
rm hello.c

# A header of that size with a block, found through the C compiler's eyes.
cat >wide.h <<'END_OF_HEADER'
#include <chorex.h>
choreography(wide, (A), def run() { })
END_OF_HEADER
{ printf '/*'; head -c 70000000 /dev/zero | tr '\0' x; printf '*/\n'; } >>wide.h
printf '#include "wide.h"\n#include "wide.A.chor.h"\n' >wide.c
code=0
timeout 60 "$CHORCC" --emit wide.c >output 2>messages || code=$?
[ $code -eq 1 ] || fail "a large header: status $code"
contains messages "wide.h: is larger than 64 MiB"
rm wide.h

# Empty files, no newline at the end, only a block, carriage returns, a byte order mark.
: >empty.c
status 0 "$CHORCC" --emit empty.c
printf '#include <chorex.h>\nchoreography(last, (A), def run() { })' >last.c
status 0 "$CHORCC" --emit last.c
[ -f last.A.chor.h ] || fail "no newline at the end"
printf '#include <chorex.h>\nchoreography(last, (A), def run() { }' >last.c
status 1 "$CHORCC" --emit last.c
hello dos.c
sed -i 's/$/\r/' dos.c
"$CHORCC" dos.c -o program
prints 42 ./program
rm ./*.chor.h
hello mark.c
{ printf '\357\273\277'; cat mark.c; } >bom.c
"$CHORCC" bom.c -o program
prints 42 ./program
rm ./*.chor.h

# Response files: ordinary files are read; one that names itself ends.
hello
printf -- '-o program hello.c' >words
"$CHORCC" @words
prints 42 ./program
mkfifo words.pipe
mkdir words.folder
status 2 timeout 20 "$CHORCC" @words.pipe hello.c
contains messages "'words.pipe' is a named pipe"
status 2 timeout 20 "$CHORCC" @words.folder hello.c
contains messages "'words.folder' is a directory"
status 2 timeout 20 "$CHORCC" @/dev/zero hello.c
contains messages "'/dev/zero' is a device"
printf '@loop hello.c' >loop
code=0
timeout 20 "$CHORCC" @loop >output 2>messages || code=$?
[ $code -ne 0 ] && [ $code -ne 124 ] || fail "a response file that names itself: status $code"

# Outputs of our own: a folder, a full device, a pipe, a link.
status 1 "$CHORCC" --stubs hello.Bob -o words.folder hello.c
contains messages "'words.folder' can't be written: is a directory"
status 1 "$CHORCC" --stubs hello.Bob -o /dev/full hello.c
contains messages "No space left on device"
mkfifo out.pipe
cat out.pipe >read &
timeout 20 "$CHORCC" --stubs hello.Bob -o out.pipe hello.c
wait
contains read "hello.Bob.chor.h"
printf 'old' >target
ln -s target link
"$CHORCC" --stubs hello.Bob -o link hello.c
[ -L link ] || fail "the link was replaced"
contains target "hello.Bob.chor.h"
status 1 "$CHORCC" --stubs hello.Bob -o no/such/folder hello.c

# The C compiler behind it: none, not one, empty.
CHORCC_CC=/no/such/cc status 127 "$CHORCC" hello.c -o program
contains messages "the C compiler '/no/such/cc' can't be started"
CHORCC_CC=/ status 127 "$CHORCC" hello.c -o program
CHORCC_CC='   ' "$CHORCC" hello.c -o program
prints 42 ./program
CHORCC_PREFIX=/no/such status 2 "$CHORCC" hello.c -o program
contains messages "CHORCC_PREFIX is '/no/such'"
# A place with characters that are special in patterns, and the library in a folder of the machine's.
prefix="$PWD/a [place]*?"
mkdir -p "$prefix/lib/machine"
real=$(dirname "$(dirname "$(readlink -f "$CHORCC")")")
cp -r "$real/include/." "$prefix/include"
cp "$real"/lib/libchorex.a "$prefix/lib/machine/"
CHORCC_PREFIX=$prefix "$CHORCC" hello.c -o program
prints 42 ./program
