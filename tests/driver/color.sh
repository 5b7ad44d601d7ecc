# --color: escape sequences always, never, or by terminal.
set -eu
. "$(dirname "$0")/common.bash"
hello
sed -i 's/Alice.x ~>/Alice.val ~>/' hello.c
escape=$(printf '\033')
status 1 "$CHORCC" --color=always hello.c
contains messages "$escape["
status 1 "$CHORCC" --color=never hello.c
lacks messages "$escape["
status 1 "$CHORCC" hello.c
lacks messages "$escape["
status 2 "$CHORCC" --color=sometimes hello.c
