"""The steps of the roles, each by its own program: docs/semantics.md, section 7. Each rule is a function of its name.

A Session has a Part for each role, channels among them, and the records of blocks. An arm is a Session of its own. Who makes the next
step is decided by chance; that something can always be done, and that no message is taken for another one, is checked.
"""

from collections import deque
from dataclasses import dataclass, field
from typing import Any, Optional

from control import Failure, Machine
from project import Projector
from syntax import Deliver, FAULT, Frail, Must, Step, evaluate
from whole import World, can_recover


class Wrong(Exception):
    """What must never happen: a deadlock, a message that is not the expected one, an invariant that does not hold."""


@dataclass(eq=False)
class Record:
    """One instance of a block, which its participants share (R2)."""
    op: Any
    parent: Optional["Record"]
    ordinal: int
    attempt: int = 0
    epoch: int = 0
    inside: set = field(default_factory=set)
    arrived: set = field(default_factory=set)
    is_done: bool = False
    is_deleted: bool = False
    children: dict = field(default_factory=dict)
    kind: str = ""


@dataclass(eq=False)
class Position:
    """A block that a role is in, and what the role goes back to."""
    record: Record
    op: Any
    ordinal: int
    attempt: int
    depth: int  # of the frame
    env: dict
    stack: list
    arrived: bool = False
    counts: dict = field(default_factory=dict)  # how often blocks and arms were come to, directly inside, in this attempt


class Session:
    def __init__(self, projector, world, chance, bound):
        self.projector, self.world, self.chance, self.bound = projector, world, chance, bound
        self.parts, self.channels, self.records, self.arms, self.epoch = {}, {}, {}, {}, 0

    def channel(self, frm, to):
        return self.channels.setdefault((frm, to), deque())


class Part(Machine):
    """A role at work: its frames, the blocks that it is in, and the epochs of its ends of channels."""
    RULES = {"Step": "l_step", "Must": "l_must", "Frail": "l_frail", "Send": "l_send", "Receive": "l_receive", "Compare": "l_compare",
             "Decision": "l_choose", "Test": "l_test", "Invoke": "l_call", "Return": "l_return", "Block": "l_enter", "Leave": "l_leave",
             "Arms": "l_fork", "Join": "l_join"}

    def __init__(self, session, role, env, body, instance, parent=None):
        super().__init__(env, body, instance)
        self.session, self.role, self.parent = session, role, parent
        self.positions, self.counts, self.sends, self.takes, self.is_gone = [], {}, {}, {}, False

    def body_of(self, instance):
        return instance.bodies[self.role]

    def value(self, expr):
        return evaluate(expr, self.frame.env)

    def everybody(self):
        """This machine and those of its arms that are not over."""
        yield self
        for frame in self.frames:
            for entry in frame.stack:
                if entry[0] == "par":
                    for arm in entry[1]:
                        yield from arm.everybody()

    def try_step(self):
        """One step by any rule; False: there is none."""
        if self.is_gone:
            return False
        behind = self.behind()
        if behind is not None and (not self.acts_alone() or self.session.chance.random() < 0.5):
            self.l_back(behind)
            return True
        if self.is_over:
            return False
        try:
            return self.step()
        except Failure as failure:
            self.l_fail(failure)
            return True

    def acts_alone(self):
        """The next step is one of its own code, during which nobody notices anything."""
        if self.is_over or self.frame.jump is not None or not self.frame.stack or self.frame.stack[-1][0] != "seq":
            return False
        _, body, place = self.frame.stack[-1]
        return place < len(body) and isinstance(body[place], (Step, Must, Frail))

    # ---- messages ----

    def can_do(self, op):
        name = type(op).__name__
        if name == "Send":
            return self.has_room(op.to)
        if name in ("Receive", "Compare"):
            return self.l_drop(op.frm)
        if name == "Decision" and not hasattr(op.node, "kind"):
            return self.can_decide(op)
        return True

    def has_room(self, to):
        """Whoever has to wait for room drops what is left for it of abandoned attempts (L-Drop)."""
        if len(self.session.channel(self.role, to)) < self.session.bound:
            return True
        for frm, taker in list(self.session.channels):
            if taker == self.role:
                self.l_drop(frm)
        return False

    def can_decide(self, op):
        return self.l_drop(op.teller) if op.teller is not None else all(map(self.has_room, op.tells))

    def l_drop(self, frm):  # L-Drop, and whether L-Receive has something to take (R3)
        channel, epoch = self.session.channel(frm, self.role), self.takes.get(frm, 0)
        while channel and channel[0][0] < epoch:
            channel.popleft()
            self.session.world.dropped += 1
        return bool(channel) and channel[0][0] == epoch

    def put(self, to, node, value):  # L-Send
        number = self.session.projector.number(node)
        self.session.channel(self.role, to).append((self.sends.get(to, 0), number, value, self.path()))

    def path(self):
        return [(position.record, position.ordinal, position.attempt) for position in self.positions]

    def take(self, frm, node):  # L-Receive
        _, number, value, path = self.session.channel(frm, self.role).popleft()
        if number != self.session.projector.number(node):
            raise Wrong("%s received another message of %s" % (self.role, frm))
        mine = self.path()
        if self.behind() is None and path != mine:
            raise Wrong("%s received a message of %s from another attempt" % (self.role, frm))
        return value

    def l_send(self, op):
        node = op.node
        if isinstance(node, Deliver):
            values = [self.value(expr) for expr in node.exprs]
            self.put(op.to, node, values)
            if op.keeps:
                self.l_bind(node, values)
        else:
            self.put(op.to, node, self.value(dict(node.values)[self.role]))

    def l_receive(self, op):
        self.l_bind(op.node, self.take(op.frm, op.node))

    def l_bind(self, node, values):
        for pattern, value in zip(node.patterns, values):
            if pattern[0] == "match" and self.value(pattern[1]) != value:
                raise Failure(self.role, "PATTERN")
        for pattern, value in zip(node.patterns, values):
            if pattern[0] == "bind":
                self.frame.env[pattern[1]] = value

    def l_compare(self, op):
        own = self.value(dict(op.node.values)[self.role])
        if self.take(op.frm, op.node) != own:
            raise Failure(self.role, "AGREE")
        if op.is_last:
            self.frame.env[op.node.var] = own

    # ---- a role's own steps, choices, loops, calls ----

    def l_step(self, node):
        self.frame.env[node.var] = self.value(node.expr)

    def l_must(self, node):
        if not self.value(node.expr):
            raise Failure(self.role, "FAIL")

    def l_frail(self, node):
        if self.session.world.frail_fails(node):
            raise Failure(self.role, "FAIL")

    def l_tell(self, op, outcome):
        for to in op.tells:
            self.put(to, op.node, outcome)
        return outcome

    def l_choose(self, op):
        if hasattr(op.node, "kind"):
            self.c_loop(op)
            return
        if op.teller is not None:
            outcome = self.take(op.teller, op.node)
        else:
            value = self.value(op.node.expr)
            outcome = op.node.labels.index(value) if value in op.node.labels else len(op.branches) - 1
            self.l_tell(op, outcome)
        self.push(op.branches[outcome])

    def l_test(self, frame, op):
        if op.node.expr is None:
            return self.c_round(op, True)
        if not self.can_decide(op):
            return False
        if op.teller is not None:
            return self.c_round(op, self.take(op.teller, op.node))
        return self.c_round(op, self.l_tell(op, self.value(op.node.expr) != 0))

    def l_call(self, op):
        env = {}
        for (at, name), (_, expr) in zip(op.instance.definition.params, op.node.args):
            if self.role in at:
                env[name] = self.value(expr)
        self.c_call(op.node, op.instance, env)

    def l_return(self, node):
        self.frame.jump = ("return", [self.value(expr) for _, exprs in node.values for expr in exprs])

    def bind_results(self, node, values):
        if node.is_returned:
            self.frame.jump = ("return", values)
        for at, name in node.results:
            if self.role in at:
                self.frame.env[name.replace("int ", "")] = values[0]

    # ---- blocks ----

    def come_to(self, what):
        """How often the role has come here in this attempt of its innermost block (R1)."""
        counts = self.positions[-1].counts if self.positions else self.counts
        counts[what] = counts.get(what, 0) + 1
        return counts[what]

    def l_enter(self, op):
        """L-Enter (R1, R2, R4)."""
        name = self.session.projector.number(op.node)
        ordinal = self.come_to(name) if not op.node.is_round else self.come_to(name) * 1000000
        parent = self.positions[-1].record if self.positions else None
        records = parent.children if parent is not None else self.session.records
        record = records.setdefault((name, ordinal), Record(op, parent, ordinal))
        position = Position(record, op, record.ordinal, record.attempt, len(self.frames) - 1, dict(self.frame.env),
                            list(self.frame.stack))
        self.positions.append(position)
        record.inside.add(self.role)
        if record.attempt > 0:
            self.set_epochs(op, record.epoch)
        self.begin(position)

    def set_epochs(self, op, epoch):
        """R3: the channels with participants go to the epoch, unless they are ahead; the others stay as they are."""
        for other in op.participants:
            if other != self.role:
                self.sends[other] = max(self.sends.get(other, 0), epoch)
                self.takes[other] = max(self.takes.get(other, 0), epoch)

    def begin(self, position):
        """The attempt begins, from what was saved."""
        node, frame = position.op.node, self.frames[position.depth]
        frame.env, frame.stack, frame.jump = dict(position.env), list(position.stack), None
        frame.stack.append(("block", position.op))
        if position.attempt <= node.retry:
            frame.stack.append(("seq", position.op.body, 0))
            return
        if node.has_fault:
            frame.env[FAULT] = position.record.kind
        frame.stack.append(("seq", position.op.rescue, 0))

    def l_leave(self, frame, entry, is_jump):
        """L-Arrive, L-Leave, L-Renew (R5)."""
        position, op = self.positions[-1], entry[1]
        record = position.record
        renews = op.node.is_round and (not is_jump or frame.jump == ("continue",))
        if not position.arrived:
            position.arrived = True
            record.arrived.add(self.role)
            if len(record.arrived) == len(op.participants):
                self.l_finish(record, renews)
            return True
        if renews and record.ordinal != position.ordinal:
            return self.l_renew(frame, position)
        if record.is_done:
            self.positions.pop()
            frame.stack.pop()
            return True
        return False

    def l_finish(self, record, renews):
        """L-Finish: the last one has arrived. Of a round: the record becomes that of the next one in the same moment."""
        if record.children and any(not child.is_done for child in record.children.values()):
            raise Wrong("a block is over, and one inside of it is not")
        record.arrived, record.children = set(), {}
        if renews:
            record.attempt, record.epoch, record.ordinal, record.kind = 0, 0, record.ordinal + 1, ""
        else:
            record.is_done = True

    def l_renew(self, frame, position):
        position.ordinal += 1
        position.attempt, position.arrived, position.counts = 0, False, {}
        position.env = {name: value for name, value in frame.env.items() if name in position.env}
        self.begin(position)
        return True

    def behind(self):
        """The outermost block that went to another attempt."""
        for position in self.positions:
            record = position.record
            attempt = position.attempt if record.ordinal == position.ordinal else 0
            if record.attempt != attempt:
                return position
        return None

    def l_back(self, position):
        """L-Back (R7): back to the beginning of the current attempt."""
        if position.record.ordinal != position.ordinal:
            # The next round has begun, and failed already. What was saved for it is what the role holds at the end of this one.
            kept = self.frames[position.depth].env
            position.env = {name: value for name, value in kept.items() if name in position.env}
        self.abandon(position.depth)
        del self.frames[position.depth + 1:]
        del self.positions[self.positions.index(position) + 1:]
        record = position.record
        position.ordinal, position.attempt, position.arrived, position.counts = record.ordinal, record.attempt, False, {}
        self.is_over = False
        self.set_epochs(position.op, record.epoch)
        self.begin(position)

    def abandon(self, depth):
        """What the arms of this role do does not count any more."""
        for frame in self.frames[depth:]:
            for entry in frame.stack:
                if entry[0] == "par":
                    for arm in entry[1]:
                        arm.abandon(0)
                        arm.is_gone = True

    def l_fail(self, failure):
        """L-Void, L-Decide, L-Lost (R6)."""
        behind = self.behind()
        if behind is not None:
            self.l_back(behind)
            return
        for position in reversed(self.positions):
            record = position.record
            is_over = record.is_done or (record.ordinal != position.ordinal and not position.op.node.is_round)
            attempt = position.attempt if record.ordinal == position.ordinal else 0
            if not is_over and can_recover(position.op.node, attempt):
                self.l_recover(record, failure)
                self.l_back(position)
                return
        if self.parent is not None:
            self.parent.l_fail(failure)
            return
        raise failure

    def l_recover(self, record, failure):
        self.session.epoch += 1
        record.attempt, record.epoch, record.arrived, record.kind = record.attempt + 1, self.session.epoch, set(), failure.kind
        record.children = {}

    # ---- arms ----

    def l_fork(self, op):
        """L-Fork: an arm is found by its name, and is a session of its own."""
        parts, record = [], self.positions[-1].record if self.positions else None
        where = (id(record), record.ordinal, record.attempt) if record is not None else None
        count = self.come_to(self.session.projector.number(op.node))
        for number, _, body in op.arms:
            name = (where, self.session.projector.number(op.node), number, count)
            arm = self.session.arms.get(name)
            if arm is None:
                session = self.session
                arm = self.session.arms[name] = Session(session.projector, session.world, session.chance, session.bound)
                arm.record = record  # keeps it, so that its id is not given to another one
            arm.parts[self.role] = Part(arm, self.role, dict(self.frame.env), body, self.frame.instance, self)
            parts.append(arm.parts[self.role])
        self.frame.stack.append(("par", parts, dict(self.frame.env)))

    def l_join(self, frame, entry):
        """L-Join: the role's own arms are over."""
        if not all(part.is_over for part in entry[1]):
            return False
        frame.stack.pop()
        for part in entry[1]:
            for name, value in part.last_env.items():
                if name in entry[2] and value != entry[2][name]:
                    frame.env[name] = value
        return True

    def c_return(self, frame, values):
        self.last_env = frame.env
        return super().c_return(frame, values)


def run_local(program, chance, limit=40000, bound=None, projector=None):
    """As run_whole; Wrong: something that must not happen."""
    projector = projector or Projector(program)
    session = Session(projector, World(limit), chance, bound or chance.choice([1, 2, 1000]))
    entry = projector.instances[("run", (), ())]
    for role in program.all_roles():
        session.parts[role] = Part(session, role, {}, entry.bodies[role], entry)
    try:
        while not all(part.is_over for part in session.parts.values()):
            everybody = [one for part in session.parts.values() for one in part.everybody()]
            chance.shuffle(everybody)
            dropped = session.world.dropped
            # Some go far while others wait, so that everything comes at every distance.
            for part in everybody:
                moved = part.try_step()
                for _ in range(chance.choice([0, 0, 1, 5, 50]) if moved else 0):
                    if not part.try_step():
                        break
                    session.world.tick()
                if moved:
                    break
            else:
                if session.world.dropped > dropped:
                    continue  # L-Drop has made room
                raise Wrong("deadlock: " + ", ".join(part.role for part in everybody if not part.is_over))
            session.world.tick()
    except Failure as failure:
        return ("failed", failure.role, failure.kind)
    left = [pair for pair, channel in session.channels.items() for message in channel
            if message[0] == session.parts[pair[1]].takes.get(pair[0], 0)]
    if left:
        raise Wrong("messages that nobody has taken: %s" % left)
    return ("done", {role: part.result for role, part in session.parts.items()})
