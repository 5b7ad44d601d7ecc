"""The rules of recovery, played along with the events of a simulated session, whose trace is in the order of time.

A block goes to its next attempt when a role fails whose innermost block with an attempt left it is; a failure in an
attempt that is abandoned already changes nothing; what everybody does must follow from that.
"""

from reading import ARM, instance

DEADLINE = "not at the end of the block"


class Protocol:
    def __init__(self, blocks, session):
        self.blocks, self.session = blocks, session
        self.attempts = {}    # by instance
        self.culprits = {}    # by instance: the role whose failure led to its latest attempt; None: a deadline
        self.failed = False   # the session, by a failure outside of all blocks
        self.restarting = set()
        self.complaints = []
        self.done = set()
        self.given_up = []    # failures that no block of their arm takes up

    def play(self):
        handlers = {"fail": self.fail, "enter": self.enter, "recover": self.go_back, "restart": self.go_back,
                    "arrive": self.arrive, "leave": self.leave}
        for event in self.session.events:
            if event.kind in handlers:
                handlers[event.kind](event)
        if self.failed and self.session.succeeded:
            self.complaints.append("a failure outside of all blocks, and the session goes on")
        for event in self.given_up:
            if self.session.succeeded and self.outermost_abandoned(event.path) is None:
                self.complain(event, "no block of the arm takes the failure up, and the role does not fail where the par stands")
        # A deadline of a block without a rescue can be everybody's.
        is_late = self.session.why.startswith(DEADLINE) and any(
            block.within_ns and not block.has_rescue for block in self.blocks.values())
        if not self.failed and not self.session.succeeded and not is_late:
            self.complaints.append("the session failed (%s) though every failure was in a block" % self.session.status)
        return self

    def attempt_of(self, path):
        return self.attempts.get(instance(path), 0)

    def outermost_abandoned(self, path, base=()):
        """How many blocks are outside of it; None: the path is a current one. An arm goes on until its role, which learns
        that a block around the arm is abandoned, gives it up: only its own blocks, behind the base, concern it."""
        for i in range(len(base), len(path)):
            if path[i][0] != ARM and self.attempt_of(path[:i + 1]) > path[i][2]:
                return i
        return None

    def complain(self, event, text):
        self.complaints.append("%s: %s" % (event, text))

    def decide(self, path, culprit):
        name = instance(path)
        self.attempts[name] = self.attempt_of(path) + 1
        self.culprits[name] = culprit

    def fail(self, event):
        self.restarting.add(event.who)
        # Arms go on until their role knows that the session has failed.
        if (self.failed and not event.base) or self.outermost_abandoned(event.path, event.base) is not None:
            return
        for i in range(len(event.path), 0, -1):
            site, _, attempt = event.path[i - 1]
            if site == ARM:
                # Its role fails next, at the end of the par, and with it the roles that are in the arm with it.
                self.given_up.append(event)
                return
            if attempt < self.blocks[site].last_attempt:
                if instance(event.path[:i]) in self.done:
                    self.complain(event, "fails in a block that is over")
                self.decide(event.path[:i], event.role)
                return
        self.failed = True

    def enter(self, event):
        if self.outermost_abandoned(event.path[:-1], event.base) is not None:
            self.complain(event, "enters a block in an abandoned attempt")
        expected = self.attempt_of(event.path)
        # Who learns late that a round has begun enters it, and then goes back if somebody has failed in it.
        if event.round is not None and event.path[-1][1] > 0 and event.attempt == 0:
            return
        if event.attempt == expected + 1 and self.blocks[event.site].within_ns:
            self.decide(event.path, None)
        elif event.attempt != expected:
            self.complain(event, "begins with attempt %d, the block is at %d" % (event.attempt, expected))

    def go_back(self, event):
        depth = self.outermost_abandoned(event.left, event.base)
        if (event.why or "").startswith(DEADLINE) and event.attempt == self.attempt_of(event.path) + 1:
            self.decide(event.path, None)
            depth = self.outermost_abandoned(event.left, event.base)
        if depth is None:
            self.complain(event, "goes back without a reason")
        elif depth != event.depth or event.attempt != self.attempt_of(event.path):
            self.complain(event, "goes back to attempt %d at depth %d instead of %d at %d" % (
                event.attempt, event.depth, self.attempt_of(event.left[:depth + 1]), depth))
        # In an arm the role goes back, but does not begin anew.
        if (event.kind == "restart") != (event.who in self.restarting and not event.base):
            self.complain(event, "a failed role is restarted, others recover")
        self.restarting.discard(event.who)

    def arrive(self, event):
        if self.outermost_abandoned(event.path, event.base) is not None:
            self.complain(event, "is at the end of an abandoned attempt")

    def leave(self, event):
        # A block that is over is over for all: who learns it later leaves it, and then goes back to one further out.
        abandoned = self.outermost_abandoned(event.path, event.base)
        is_over = instance(event.path) in self.done and abandoned != len(event.path) - 1
        if abandoned is not None and not is_over:
            self.complain(event, "leaves in an abandoned attempt")
        self.done.add(instance(event.path))
