# The interface's table of blocks says what the roles' own tables say: for every program of the tests and examples with checkpoints.
set -eu
. "$(dirname "$0")/common.bash"
root=$(cd "$(dirname "$0")/../.." && pwd)

cat >check.py <<'END'
import collections, glob, os, re, sys

def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()

def lists(companion):
    return {name: roles for name, roles in re.findall(r"static const unsigned (\w+)_participants\[\] = \{([^}]*)\}", companion)}

blocks_seen = collections.Counter()
for path in sorted(glob.glob("*/*.chor.h")):
    if os.path.basename(path).count(".") != 2:
        continue
    interface = text(path)
    participants = lists(interface)
    table = re.search(r"static const chx_block \w+_chx_all_blocks\[\] = \{\n(.*?)\};", interface, re.S)
    rows = re.findall(r"\{(\d+), (\d+), UINT64_C\((\d+)\), (\w+)_participants, (\d+), (\w+), (\w+), (\w+)\},",
                      table.group(1) if table else "")
    names = [int(row[0]) for row in rows]
    assert names == sorted(set(names)), (path, names)
    assert "%d, UINT64_C(0x" % len(rows) in interface, path
    wanted = {}
    for name, retries, within, list_name, count, rescue, is_round, is_durable in rows:
        roles = participants[list_name]
        assert int(count) == len(roles.split(", ")), (path, name)
        wanted[name] = (retries, within, roles, rescue, is_round, is_durable)
    played = set()
    for role_path in sorted(glob.glob(path[:-len("chor.h")] + "*.chor.h")):
        role = text(role_path)
        own = lists(role)
        for block, body in re.findall(r"static const chx_checkpoint (\w+) = \{\n(.*?)\n\};", role, re.S):
            part = re.match(r"\s*\d+, (\d+), \d+, (\d+),\s+(\d+), UINT64_C\((\d+)\),\s+\w+, \d+, \d+, (\w+), \d+, (\w+),", body)
            name, rescue_at, retries, within, is_round, is_durable = part.groups()
            got = (retries, within, own[block], "true" if rescue_at != "0" else "false", is_round, is_durable)
            assert wanted.get(name) == got, (role_path, name, wanted.get(name), got)
            played.add(name)
    assert played == set(wanted), (path, played, set(wanted))
    blocks_seen["blocks"] += len(wanted)
    for row in wanted.values():
        blocks_seen["rounds"] += row[4] == "true"
        blocks_seen["retries"] += row[0] != "0"
        blocks_seen["deadlines"] += row[1] != "0"
        blocks_seen["without rescue"] += row[3] == "false"
for what in ("blocks", "rounds", "retries", "deadlines", "without rescue"):
    assert blocks_seen[what] >= 5, (what, blocks_seen)
END
number=0
for file in $(grep -lw checkpoint "$root"/tests/run/*.c "$root"/tests/pass/*.c "$root"/tests/fault/programs/*.c \
    "$root"/tests/model/*.c "$root"/examples/*/*.c); do
    number=$((number + 1))
    "$CHORCC" --emit --emit-dir="$number" "$file" >messages 2>&1 || true
done
python3 check.py || fail "the tables differ"
