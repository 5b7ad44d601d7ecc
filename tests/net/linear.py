#!/usr/bin/env python3
"""Is a history of reads, writes and compare-and-swaps linearizable?

That is: is there for each request one moment between asking and being answered at which it can have happened, so that each was told
what was there just before its moment? Keys are independent of each other, so each is looked at by itself. What was asked and never
answered may have happened at any time after it was asked, or not at all.

The search goes through the history in the order of time and keeps all states that are possible so far (which of the open requests
have happened, and what is there). When a request is answered it must have happened: the open ones are tried, in each order, as far
as that helps (just-in-time linearization, after Wing and Gong, and Lowe).

    tests/net/linear.py          checks itself, with histories that are linearizable and others that are not
"""

import random
import sys

READ, WRITE, SWAP = range(3)
NEVER = float("inf")


class Request:
    """`told`: what was there before it; None: it was not answered, and `end` is NEVER."""

    __slots__ = ("begin", "end", "kind", "value", "expected", "told", "name")

    def __init__(self, begin, end, kind, value=0, expected=0, told=None, name=""):
        self.begin, self.end, self.kind = begin, end, kind
        self.value, self.expected, self.told, self.name = value, expected, told, name

    def __repr__(self):
        kind = ("read", "write %s" % self.value, "swap %s for %s" % (self.expected, self.value))[self.kind]
        return "%s: %s at %s..%s, told %s" % (self.name, kind, self.begin, self.end, self.told)

    def after(self, value):
        """What is there when it has happened; None: it can't have happened to this value."""
        if self.told is not None and self.told != value:
            return None
        if self.kind == WRITE or (self.kind == SWAP and self.expected == value):
            return self.value
        return value


def answered(states, pending, answer):
    """The states that are possible after `answer` was given."""
    result, seen = set(), set()
    stack = [(happened, value, None) for happened, value in states]
    while stack:
        happened, value, last = stack.pop()
        if answer in happened:
            result.add((happened - {answer}, value))
            continue
        if (happened, value, last) in seen:
            continue
        seen.add((happened, value, last))
        for number, request in pending.items():
            if number in happened:
                continue
            after = request.after(value)
            if after is None:
                continue
            if request.told is None:
                # Without an effect, or overwritten by one that nobody has heard of either: as if it had not happened.
                if after == value or (last == "unheard" and request.kind == WRITE):
                    continue
            stack.append((happened | {number}, after, "unheard" if request.told is None else None))
    return result


def check_key(requests, initial=0):
    """None: it is linearizable. Else the request whose answer can't be."""
    events = []
    for number, request in enumerate(requests):
        if request.kind == READ and request.told is None:
            continue
        events.append((request.begin, 0, number))
        if request.told is not None:
            events.append((request.end, 1, number))
    states, pending = {(frozenset(), initial)}, {}
    for _, is_end, number in sorted(events):
        if not is_end:
            pending[number] = requests[number]
            continue
        states = answered(states, pending, number)
        if not states:
            return requests[number]
        del pending[number]
    return None


# ---- of itself ----

def simulate(draw, clients, count):
    """A history that is linearizable, since each request happens at a moment that was drawn."""
    moments = []
    for client in range(clients):
        time = 0
        for number in range(count):
            begin = time + draw.random()
            at = begin + draw.random()
            end = at + draw.random()
            time = end
            moments.append((at, begin, end, client, number))
    value, requests, history = 0, [], []
    for at, begin, end, client, number in sorted(moments):
        kind, new = draw.randrange(3), 1 + client * 100000 + number
        expected = value if draw.random() < 0.6 else (draw.choice(history) if history else 0)
        request = Request(begin, end, kind, new, expected, value, "%d.%d" % (client, number))
        history.append(value)
        value = request.after(value)
        requests.append(request)
    return requests


def forget(draw, requests, share):
    """Some answers are lost; of these some have never happened: only such as nobody has seen."""
    seen = {request.told for request in requests}
    result = []
    for request in requests:
        if draw.random() < share:
            request = Request(request.begin, NEVER, request.kind, request.value, request.expected, None, request.name)
        result.append(request)
    return result, seen


GOOD = {
    "one after the other": [(0, 1, WRITE, 5, 0, 0), (2, 3, READ, 0, 0, 5), (4, 5, SWAP, 6, 5, 5), (6, 7, READ, 0, 0, 6)],
    "side by side, either is right": [(0, 9, WRITE, 5, 0, 0), (1, 2, READ, 0, 0, 0), (3, 4, READ, 0, 0, 5)],
    "a swap that fails": [(0, 1, WRITE, 5, 0, 0), (2, 3, SWAP, 7, 9, 5), (4, 5, READ, 0, 0, 5)],
    "never answered, happens late": [(0, NEVER, WRITE, 5, 0, None), (1, 2, READ, 0, 0, 0), (3, 4, READ, 0, 0, 5)],
    "never answered, does not happen": [(0, NEVER, SWAP, 5, 0, None), (1, 2, WRITE, 6, 0, 0), (3, 4, READ, 0, 0, 6)],
    "a swap of what nobody was told": [(0, NEVER, WRITE, 5, 0, None), (1, NEVER, SWAP, 6, 5, None), (3, 4, READ, 0, 0, 6)],
}
BAD = {
    "an acknowledged write is lost": [(0, 1, WRITE, 5, 0, 0), (2, 3, READ, 0, 0, 0)],
    "a value that nobody has written": [(0, 1, WRITE, 5, 0, 0), (2, 3, READ, 0, 0, 6)],
    "new, then old again": [(0, 9, WRITE, 5, 0, 0), (1, 2, READ, 0, 0, 5), (3, 4, READ, 0, 0, 0)],
    "two swaps of the same value": [(0, 9, SWAP, 5, 0, 0), (1, 8, SWAP, 6, 0, 0), (10, 11, READ, 0, 0, 6)],
    "a write that happens twice": [(0, 1, WRITE, 5, 0, 0), (2, 3, WRITE, 6, 0, 5), (4, 5, READ, 0, 0, 5)],
    "read before it was written": [(0, 1, READ, 0, 0, 5), (2, 3, WRITE, 5, 0, 0)],
    "a swap that should have failed": [(0, 1, WRITE, 5, 0, 0), (2, 3, SWAP, 6, 4, 5), (4, 5, READ, 0, 0, 6)],
    "never answered, but happens twice": [(0, NEVER, WRITE, 5, 0, None), (1, 2, READ, 0, 0, 5), (3, 4, WRITE, 6, 0, 5),
                                         (5, 6, READ, 0, 0, 5)],
}


def mutate(draw, requests):
    """An answer that was given long before or long after its value was there."""
    ordered = sorted(requests, key=lambda request: request.begin)
    for _ in range(100):
        victim, other = draw.sample(ordered, 2)
        if victim.told is None or other.kind != WRITE or other.value == victim.told:
            continue
        overwritten = [late for late in ordered if late.told == other.value and late.kind == WRITE]
        if other.begin > victim.end or (overwritten and overwritten[0].end < victim.begin):
            victim.told = other.value
            return True
    return False


def check_itself():
    passed = failed = 0
    cases = [(name, lines, True) for name, lines in GOOD.items()] + [(name, lines, False) for name, lines in BAD.items()]
    for name, lines, is_good in cases:
        wrong = check_key([Request(*line) for line in lines])
        if (wrong is None) == is_good:
            passed += 1
        else:
            failed += 1
            print("%s: %s" % (name, "taken for linearizable" if wrong is None else "refused: %r" % wrong))
    for seed in range(200):
        draw = random.Random(seed)
        requests = simulate(draw, draw.randrange(1, 7), 30)
        lossy, _ = forget(draw, requests, 0.05)
        good = check_key(requests) is None and check_key(lossy) is None
        bad = check_key(requests) if mutate(draw, requests) else True
        passed, failed = passed + (good and bad is not None), failed + (not good or bad is None)
        if not good or bad is None:
            print("seed %d: %s" % (seed, "a good history is refused" if not good else "a bad one is taken"))
    return passed, failed


if __name__ == "__main__":
    counts = check_itself()
    print("%d passed, %d failed" % counts)
    sys.exit(counts[1] > 0)
