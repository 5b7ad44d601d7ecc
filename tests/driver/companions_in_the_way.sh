# What is not a companion is never replaced, written to or waited for: pipes, devices, sockets, folders, links to them,
# files of the user's, files that can't be read. Links to companions stay links.
set -eu
. "$(dirname "$0")/common.bash"
hello

# refused WHAT: one error that names the companion, soon, and what is there stays
refused()
{
    local before code=0
    before=$(stat -c '%F %i %s' hello.chor.h)
    timeout 20 "$CHORCC" --emit hello.c >output 2>messages || code=$?
    [ $code -eq 1 ] || { cat messages >&2; fail "$1: status $code"; }
    contains messages "'hello.chor.h' is in the way"
    [ "$(grep -c error: messages)" -eq 1 ] || { cat messages >&2; fail "$1: more than one error"; }
    [ "$(stat -c '%F %i %s' hello.chor.h)" = "$before" ] || fail "$1: is not what it was"
    [ -z "$(find . -name '*.tmp')" ] || fail "$1: left $(find . -name '*.tmp')"
    rm -rf hello.chor.h
    [ ! -e hello.Alice.chor.h ] || fail "$1: other companions were written"
}
mkfifo hello.chor.h
refused "a pipe"
mkdir hello.chor.h
refused "a folder"
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("hello.chor.h")'
refused "a socket"
for device in /dev/null /dev/zero /dev/full /dev/tty; do
    ln -s $device hello.chor.h
    refused "a link to $device"
done
ln -s nowhere hello.chor.h
refused "a link that leads nowhere"
ln -s hello.chor.h hello.chor.h
refused "a link to itself"
printf 'mine\n' >hello.chor.h
refused "a file of the user's"
printf '// not Made by chorcc from hello.c\n' >hello.chor.h
refused "a file that speaks of companions"
mkfifo pipe
ln -s pipe hello.chor.h
refused "a link to a pipe"

# The same for the companion of a role, which the file includes, in another folder.
mkdir made
mkfifo made/hello.Alice.chor.h
status 1 timeout 20 "$CHORCC" --emit-dir=made hello.c -o program
contains messages "'made/hello.Alice.chor.h' is in the way"
rm -r made

# Unreadable: only who is not root can't read.
mkdir open
chmod 777 open .
hello open/hello.c
"$CHORCC" --emit open/hello.c
run=
if [ "$(id -u)" -eq 0 ]; then
    run="setpriv --reuid=65534 --regid=65534 --clear-groups"
    $run "$CHORCC" --emit-dir="$PWD/open" --emit "$PWD/open/hello.c" 2>/dev/null || run=none
fi
if [ "$run" != none ]; then
    printf 'secret\n' >open/hello.chor.h
    chmod 000 open/hello.chor.h
    status 1 $run "$CHORCC" --emit-dir="$PWD/open" --emit "$PWD/open/hello.c"
    contains messages "hello.chor.h' is in the way: it can't be read"
    chmod 600 open/hello.chor.h
    prints secret cat open/hello.chor.h
fi

# A link to a companion stays a link, and what it leads to is replaced.
mkdir elsewhere
"$CHORCC" --emit hello.c
mv hello.chor.h elsewhere/
ln -s elsewhere/hello.chor.h hello.chor.h
echo '// old' >>elsewhere/hello.chor.h
"$CHORCC" hello.c -o program
prints 42 ./program
[ -L hello.chor.h ] || fail "the link was replaced"
lacks elsewhere/hello.chor.h "// old"
[ -z "$(find . -name '*.tmp')" ] || fail "left $(find . -name '*.tmp')"

# An empty file, as a crash of the machine can leave it, holds nothing to lose. A read-only companion is still ours.
: >hello.Bob.chor.h
chmod 444 hello.Alice.chor.h
sed -i 's/y + 1/y + 2/' hello.c
"$CHORCC" hello.c -o program
prints 43 ./program
