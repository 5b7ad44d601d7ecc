# Bad files get one clear message and status 1 or 2: missing, a directory, unreadable, not UTF-8, NUL bytes.
set -eu
. "$(dirname "$0")/common.bash"
refused()
{
    code=0
    "$CHORCC" --emit "$1" >output 2>messages || code=$?
    [ $code -eq 1 ] || [ $code -eq 2 ] || { cat messages >&2; fail "$1: status $code"; }
    contains messages "$1"
    [ "$(wc -l <messages)" -le 2 ] || { cat messages >&2; fail "$1: more than one message"; }
    lacks messages "Sanitizer"
}
refused missing.c
mkdir folder.c
refused folder.c
hello latin.c
printf '/* caf\351 */\n' >>latin.c
refused latin.c
hello nul.c
printf '/* \0 */\n' >>nul.c
refused nul.c
if [ "$(id -u)" -ne 0 ]; then
    hello secret.c
    chmod 000 secret.c
    refused secret.c
fi
: >empty.c
"$CHORCC" --emit empty.c
# Without a choreography such text is cc's business.
printf '/* caf\351 */\nint main(void) { return 0; }\n' >plain.c
"$CHORCC" plain.c -o plain
./plain
