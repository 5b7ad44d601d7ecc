"""Reads what the checkers know: the blocks of a choreography, from `chorcc --dump=local`, and the trace of a run.

Nothing here knows the runtime's code. Where a role is, in which block and which attempt, is worked out from its own
events, so that a runtime that mixes up two blocks is seen to do so.
"""

import json
import math
import re


class Block:
    """A checkpoint in the choreography."""

    def __init__(self, site, participants, retries, within_ns, is_round):
        self.site, self.participants, self.retries, self.within_ns = site, participants, retries, within_ns
        self.is_round = is_round
        self.has_rescue = False

    @property
    def last_attempt(self):
        if self.is_round and self.has_rescue:
            return math.inf
        return self.retries + (1 if self.has_rescue else 0)


def read_blocks(dump):
    """{site: Block} from the text that --dump=local prints. All roles say the same about a block, or it is an error."""
    blocks, open_at = {}, {}
    for line in dump.splitlines():
        indent = len(line) - len(line.lstrip())
        open_at = {at: block for at, block in open_at.items() if at <= indent}
        match = re.match(r"\s*(round, )?checkpoint of (.*?)\s*\[(\d+)(?: as (\d+))?\]$", line)
        if match:
            participants, retries, within_ns = [], 0, 0
            for word in match.group(2).split(", "):
                if re.match(r"retry \d+$", word):
                    retries = int(word.split()[1])
                elif re.match(r"within \d+ ns$", word):
                    within_ns = int(word.split()[1])
                else:
                    participants.append(word)
            block = Block(int(match.group(4) or match.group(3)), frozenset(participants), retries, within_ns, bool(match.group(1)))
            known = blocks.setdefault(block.site, block)
            if (known.participants, known.retries, known.within_ns) != (block.participants, retries, within_ns):
                raise ValueError("roles disagree about the block at site %d" % block.site)
            open_at[indent] = known
        elif re.match(r"\s*rescue\b", line) and indent in open_at:
            open_at.pop(indent).has_rescue = True
        else:
            open_at.pop(indent, None)
    return blocks


ARM = "arm"


class Event:
    """One event of a role. `path` says where it is: a tuple of (site, ordinal, attempt), outermost first. At `enter`
    that is inside of the block; at `recover` and `restart` it is where the role is from now on, and `left`
    where it was. An arm is a part of the path, too: (ARM, number, 0); `base` is the path up to there, and `depth` counts
    the whole path."""

    __slots__ = ("kind", "role", "site", "line", "peer", "sequence", "epoch", "attempt", "depth", "digest", "why",
                 "flow", "path", "left", "number", "round", "arm", "around", "base")

    def __init__(self, raw, number):
        arguments = raw.get("args", {})
        self.number, self.kind, self.role = number, raw["cat"], arguments.get("role")
        for name in ("site", "line", "peer", "sequence", "epoch", "attempt", "depth", "digest", "why", "round", "arm",
                     "around"):
            setattr(self, name, arguments.get(name))
        self.flow = raw.get("bind_id")
        self.path = self.left = self.base = ()

    @property
    def who(self):
        """The role, in its arm: what is in one block at a time."""
        return self.role, self.base

    def __str__(self):
        return "event %d: %s %s at line %s" % (self.number, self.role, self.kind, self.line)


class Position:
    """Where one role is, or one arm of it. The ordinal of a block says how often the role entered it directly under this
    attempt. The path begins with the `base`."""

    def __init__(self, base=()):
        self.base = self.path = base
        self.counts = [{} for _ in range(len(base) + 1)]

    def next_round(self, event):
        """A process died after the end of a round, before it noticed that the next one had begun: what it did then."""
        site, ordinal, attempt = self.path[event.depth]
        for kind in ("leave", "enter"):
            implied = Event({"cat": kind, "args": {"role": event.role, "site": site, "line": event.line, "epoch": 0,
                                                   "attempt": attempt if kind == "leave" else 0,
                                                   "depth": event.depth, "round": ordinal + 1,
                                                   "digest": event.digest}}, event.number)
            implied.base = self.base
            self.follow(implied)
            yield implied

    def implied(self, event):
        """What must have happened since the role's last event, in the order of time."""
        is_ahead = (event.kind == "restart" and event.round is not None and event.depth < len(self.path)
                    and event.round > self.path[event.depth][1] + 1)
        return list(self.next_round(event)) if is_ahead else []

    def follow(self, event):
        before = self.path
        if event.kind == "enter":
            ordinal = self.counts[-1].get(event.site, 0)
            self.counts[-1][event.site] = ordinal + 1
            self.path += ((event.site, ordinal, event.attempt),)
            self.counts.append({})
        elif event.kind in ("recover", "restart"):
            if not len(self.base) <= event.depth < len(self.path):
                raise ValueError("%s: goes back to a block that it is not in" % event)
            site, ordinal, _ = self.path[event.depth]
            self.path = self.path[:event.depth] + ((site, ordinal, event.attempt),)
            self.counts = self.counts[:event.depth + 1] + [{}]
        event.path, event.left = self.path, before
        if event.kind == "leave":
            if self.path == self.base:
                raise ValueError("%s: leaves a block that it is not in" % event)
            self.path = self.path[:-1]
            self.counts.pop()


def instance(path):
    """The name of the innermost block of a path, without its own attempt."""
    return path[:-1] + (path[-1][:2],)


class Session:
    def __init__(self, number):
        self.number, self.status, self.why, self.events, self.roles, self.positions = number, None, "", [], [], {}

    @property
    def succeeded(self):
        return self.status == "success"

    def final_attempts(self):
        """{instance: attempt} of the latest attempt that anybody saw."""
        attempts = {}
        for event in self.events:
            if event.kind in ("enter", "recover", "restart"):
                name = instance(event.path)
                attempts[name] = max(attempts.get(name, 0), event.attempt)
        return attempts

    def is_abandoned(self, path, attempts):
        return any(path[i][0] != ARM and attempts[instance(path[:i + 1])] != path[i][2] for i in range(len(path)))

    def position(self, event):
        """Of the role, or of its arm, which begins where the role, or its arm around, is at that time and stays."""
        key = event.role, event.arm
        if event.arm is None:
            return self.positions.setdefault(key, Position())
        if key not in self.positions:
            around = self.positions.setdefault((event.role, event.around), Position())
            self.positions[key] = Position(around.path + ((ARM, event.arm, 0),))
        return self.positions[key]


def read_trace(text):
    """The sessions of a trace file, in order. An unfinished file is read as far as it goes."""
    sessions = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.rstrip().rstrip(",")
        if not line.startswith("{"):
            continue
        raw = json.loads(line)
        if "cat" not in raw:
            if raw.get("name") == "thread_name":
                sessions[raw["pid"]].roles.append(raw["args"]["name"])
            continue
        session = sessions.setdefault(raw["pid"], Session(raw["pid"]))
        if raw["cat"] == "end":
            session.status, session.why = raw["args"]["status"], raw["args"].get("why", "")
        elif raw["cat"] != "start":
            event = Event(raw, number)
            position = session.position(event)
            event.base = position.base
            if event.depth is not None:
                event.depth += len(position.base)
            session.events.extend(position.implied(event))
            position.follow(event)
            session.events.append(event)
    return [sessions[number] for number in sorted(sessions)]
