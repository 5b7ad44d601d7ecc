# --help and --version; no arguments at all is wrong usage.
set -eu
. "$(dirname "$0")/common.bash"
"$CHORCC" --help >help
for option in --emit --emit-dir --showme --stubs --dump --central --diagnostics --color CHORCC_CC; do
    contains help "$option"
done
"$CHORCC" --version >version
head -n 1 version | grep -q '^chorcc .*[0-9]' || fail "the first line of --version is not chorcc's own"
status 2 "$CHORCC"
contains messages "no input files"
