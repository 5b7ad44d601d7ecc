# Files and folders may have any name: it is data in companions, messages and commands, never code.
set -eu
. "$(dirname "$0")/common.bash"

# runs FOLDER FILE: compiled by gcc and clang, with warnings as errors; the messages name the file
runs()
{
    local compiler json
    mkdir -p "$1"
    hello "$1/$2"
    for compiler in gcc clang; do
        CHORCC_CC=$compiler timeout 60 "$CHORCC" -g -Wall -Wextra -Wpedantic -Werror "$1/$2" -o program 2>messages ||
            { cat messages >&2; fail "$compiler with the folder $(printf %q "$1"), the file $(printf %q "$2")"; }
        prints 42 ./program
    done
    # A second time: the companion is known as one of this file.
    (cd "$1" && timeout 60 "$CHORCC" --emit "./$2") || fail "again, $(printf %q "$1/$2")"
    # An error: one line of text; JSON and SARIF that can be read and name the file.
    sed 's/Alice.x ~>/Alice.wrong ~>/' "$1/$2" >other
    cat other >"$1/$2"
    status 1 "$CHORCC" --emit "$1/$2"
    [ "$(grep -c 'error: Alice has no variable' messages)" -eq 1 ] || { cat messages >&2; fail "the error in $(printf %q "$2")"; }
    [ "$(wc -l <messages)" -eq 3 ] || { cat messages >&2; fail "not three lines for $(printf %q "$1/$2")"; }
    status 1 "$CHORCC" --emit --diagnostics=json "$1/$2"
    python3 - "$1/$2" <<'END_OF_PYTHON' || fail "JSON for $(printf %q "$2")"
import json, os, sys
name = os.fsencode(sys.argv[1]).decode("utf-8", "replace")
found = json.load(open("messages", encoding="utf-8"))["diagnostics"][0]["file"]
assert found == name, (found, name)
END_OF_PYTHON
    status 1 "$CHORCC" --emit --diagnostics=sarif "$1/$2"
    python3 - "$1/$2" <<'END_OF_PYTHON' || fail "SARIF for $(printf %q "$2")"
import json, os, sys, urllib.parse
place = json.load(open("messages"))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
uri = place["artifactLocation"]["uri"]
assert urllib.parse.unquote_to_bytes(uri) == os.fsencode(sys.argv[1]), uri
END_OF_PYTHON
    rm -rf "$1"
}

newline=$'int\n#error injected\n'
runs plain $'a\nint injected = ;\n.c'
runs "$newline" a.c
runs 'with space' 'a b.c'
runs 'quote"s' "it's \"quoted\".c"
runs 'back\slash' 'a\.c'
runs 'ends\' 'a\n\\.c'
runs percent '%s%n%d.c'
runs 'st*ars' '*.c'
runs 'comment *' ' #error x.c'
runs dashes '-c.c'
runs 'shell$(touch injected)`touch injected`' '$(touch injected);a&b|c.c'
runs 'trigraph??' a??=.c
runs umlaut $'\xc3\xa4.c'
runs latin $'\xe4\xff.c'
runs bidi $'\xe2\x80\xaea.c'
runs escape $'\033[31m\007.c'
runs tab $'a\tb\r.c'
runs 'many ??/\' $'\\'$'\n''*.c'
[ ! -e injected ] || fail "a name was run as a command"

# A header with a bad name, whose companions lie beside it; a folder that looks like an option for them.
mkdir -- "-" './-I x'
for folder in "-" "-I x"; do
    cat >"./$folder/-p.h" <<'END_OF_HEADER'
#ifndef P_H
#define P_H
#include <chorex.h>
choreography(p, (A, B), def run(A.int x) -> B.int { A.x ~> B.y; return B.y; })
#endif
END_OF_HEADER
    printf '#include "./%s/-p.h"\n#include "p.A.chor.h"\n#include "p.B.chor.h"\nint main(void)\n{\n' "$folder" >p.c
    printf '    struct p_run_result r;\n    return p_run(&r, NULL, 3) != CHX_OK || r.B != 3;\n}\n' >>p.c
    "$CHORCC" p.c -o program
    ./program
    [ -f "./$folder/p.A.chor.h" ] || fail "no companion in '$folder'"
    rm -f "./$folder"/*.chor.h
    "$CHORCC" --emit-dir="$folder" p.c -o program
    ./program
    status 0 "$CHORCC" --stubs p.A p.c
    rm -rf "./$folder"
done

# --showme prints a command that a shell can run.
hello $'a b\'"$x\n.c'
command=$("$CHORCC" --showme -fsyntax-only $'a b\'"$x\n.c')
"$CHORCC" --emit $'a b\'"$x\n.c'
eval "$command"

# Stubs speak of the file in a comment, or include it.
mkdir stubs
hello $'stubs/a\nint injected;.c'
status 0 "$CHORCC" --stubs hello.Bob $'stubs/a\nint injected;.c'
gcc -x c -fsyntax-only -include stddef.h - <<END_OF_SOURCE || fail "stubs"
$(grep -v '#include' output)
END_OF_SOURCE
lacks <(grep -v '^//' output) injected
