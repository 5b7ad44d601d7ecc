"""Who has a part in what, who is told of choices, and what is left for each role: docs/semantics.md, sections 5 and 6."""

from dataclasses import dataclass, field
from typing import Any, Optional

from syntax import (Agree, Break, Call, Checkpoint, Choice, Continue, Deliver, Frail, Loop, Must, Par, Return, Scope, Step,
                    instantiate)

# ---- a role's program: its own Step, Must, Frail, Break, Continue, and these ----


@dataclass(eq=False)
class Send:
    node: Any
    to: str
    keeps: bool = False  # the sender, who is one of the receivers, binds it too


@dataclass(eq=False)
class Receive:
    node: Any
    frm: str


@dataclass(eq=False)
class Compare:  # of `agree`: what another one has sent
    node: Any
    frm: str
    is_last: bool


@dataclass(eq=False)
class Decision:  # of a choice or loop. teller: who tells this role, None: it decides. tells: whom it tells
    node: Any
    teller: Optional[str]
    tells: tuple
    branches: tuple = ()
    body: tuple = ()
    step: tuple = ()

    @property
    def kind(self):
        return self.node.kind


@dataclass(eq=False)
class Invoke:
    node: Any
    instance: Any


@dataclass(eq=False)
class Block:
    node: Any
    participants: tuple
    body: tuple
    rescue: Optional[tuple]


@dataclass(eq=False)
class Arms:
    node: Any
    arms: tuple  # of (number, participants, body)


@dataclass(eq=False)
class Instance:
    key: tuple
    definition: Any
    part: set = field(default_factory=set)
    acting: dict = field(default_factory=dict)  # by id of a statement
    unaware: dict = field(default_factory=dict)  # by id of a choice
    bodies: dict = field(default_factory=dict)  # by role


def lists_of(node):
    """The statements inside of a statement."""
    if isinstance(node, Choice):
        return list(node.branches)
    if isinstance(node, Loop):
        return [node.body, node.step]
    if isinstance(node, Checkpoint):
        return [node.body] + [node.rescue] * (node.rescue is not None)
    if isinstance(node, Par):
        return list(node.arms)
    return [node.body] if isinstance(node, Scope) else []


def own_roles(instance, node):
    """The roles that do something in the statement itself."""
    if isinstance(node, (Step, Agree)):
        return set(node.at)
    if isinstance(node, Deliver):
        return {node.frm, *node.to}
    if isinstance(node, (Must, Frail)):
        return {node.role}
    if isinstance(node, (Choice, Loop)):
        return set(node.at)
    if isinstance(node, Return) or (isinstance(node, Call) and node.is_returned):
        return {role for at, _ in instance.definition.results for role in at}
    return set()


class Projector:
    def __init__(self, program):
        self.program, self.instances, self.same = program, {}, {}
        self.find_instances("run", (), ())
        self.close_parts()
        for instance in self.instances.values():
            self.find_acting(instance, instance.definition.body)
            while self.walk(instance):
                pass
        for instance in self.instances.values():
            self.find_unaware(instance, instance.definition.body)
        for instance in self.instances.values():
            for role in program.all_roles():
                instance.bodies[role] = self.p_list(instance, role, instance.definition.body)

    # ---- instances, and who has a part in them ----

    def find_instances(self, name, roles, functions):
        key = (name, roles, functions)
        if key in self.instances:
            return
        instance = self.instances[key] = Instance(key, instantiate(self.program, *key))
        for node in all_nodes(instance.definition.body):
            if isinstance(node, Call):
                self.find_instances(node.function, node.roles, node.functions)

    def callee(self, node):
        return self.instances[(node.function, node.roles, node.functions)]

    def close_parts(self):
        """part(f) is the least set with all who act in f's statements and in what f calls."""
        changed = True
        while changed:
            changed = False
            for instance in self.instances.values():
                before = len(instance.part)
                for node in all_nodes(instance.definition.body):
                    instance.part |= own_roles(instance, node)
                    if isinstance(node, Call):
                        instance.part |= self.callee(node).part
                    if isinstance(node, Checkpoint) and node.is_durable:
                        instance.part |= set(self.program.all_roles())
                changed |= len(instance.part) > before

    def find_acting(self, instance, body):
        """Who acts in a statement: by itself, in something inside, in what it calls."""
        everybody = set()
        for node in body:
            acting = own_roles(instance, node)
            if isinstance(node, Call):
                acting |= self.callee(node).part
            for inner in lists_of(node):
                acting |= self.find_acting(instance, inner)
            if isinstance(node, Checkpoint) and node.is_durable:
                acting |= set(self.program.all_roles())
            instance.acting[id(node)] = acting
            everybody |= acting
        return everybody

    # ---- who goes on differently: next(place, role) ----

    def walk(self, instance):
        """Adds whoever goes on differently behind two ways of a choice, loop or block. True: somebody was added."""
        self.changed, self.around = False, []
        self.walk_list(instance, instance.definition.body, {role: "end" for role in instance.part})
        return self.changed

    def walk_list(self, instance, body, after):
        for node in reversed(body):
            after = self.walk_node(instance, node, after)
        return after

    def walk_node(self, instance, node, after):
        acting = instance.acting[id(node)]
        if isinstance(node, (Break, Continue, Return)) or (isinstance(node, Call) and node.is_returned):
            return self.walk_jump(instance, node, after)
        if isinstance(node, Scope):
            self.around.append((node, None, None))
            after = self.walk_list(instance, node.body, after)
            self.around.pop()
            return after
        self.around.append((node, after, None))
        if isinstance(node, Choice):
            ways = [self.walk_list(instance, branch, after) for branch in node.branches]
            for way in ways[1:]:
                self.differ(instance, ways[0], way)
            after = ways[0]
        elif isinstance(node, Loop):
            head = {**after, **{role: (id(node), "test") for role in acting}}
            again = self.walk_list(instance, node.step, head)
            self.around[-1] = (node, after, again)
            if node.kind != "ever":
                self.differ(instance, self.walk_list(instance, node.body, again), after)
            else:
                self.walk_list(instance, node.body, again)
        elif isinstance(node, Checkpoint):
            end = {**after, **{role: (id(node), "leave") for role in acting}}
            ways = [self.walk_list(instance, inner, end) for inner in lists_of(node)]
            if len(ways) > 1:
                self.differ(instance, *ways)
        elif isinstance(node, Par):
            for arm in node.arms:
                self.walk_list(instance, arm, {**after, **{role: (id(node), "arm") for role in acting}})
        self.around.pop()
        acting = instance.acting[id(node)]
        return {**after, **{role: (id(node), "enter") for role in acting}}

    def walk_jump(self, instance, node, after):
        place = {role: "end" for role in after}
        crossed = []
        for outer, behind, again in reversed(self.around):
            if isinstance(node, (Break, Continue)) and isinstance(outer, Loop):
                place = dict(behind if isinstance(node, Break) else again)
                break
            if isinstance(outer, Checkpoint):
                crossed.append(outer)
        for outer in reversed(crossed):
            ends_round = outer.is_round and isinstance(node, Continue)
            way = "leave" if ends_round else ("leave", type(node).__name__ if not isinstance(node, Call) else "Return")
            place.update({role: (id(outer), way) for role in instance.acting[id(outer)]})
        place.update({role: (id(node), "enter") for role in instance.acting[id(node)]})
        return place

    def differ(self, instance, one, other):
        for role in one:
            if one[role] != other[role]:
                for node, _, _ in self.around:
                    acting = instance.acting[id(node)]
                    self.changed |= role not in acting
                    acting.add(role)

    # ---- who need not know ----

    def find_unaware(self, instance, body):
        """Inner choices first. A role that does the same in all branches does what stands in the first."""
        for node in body:
            for inner in lists_of(node):
                self.find_unaware(instance, inner)
            if isinstance(node, Choice) and not node.is_round_condition:
                instance.unaware[id(node)] = {role for role in instance.acting[id(node)] - set(node.at)
                                              if self.does_the_same(instance, node, role)}

    def does_the_same(self, instance, node, role):
        parts = [self.p_list(instance, role, branch) for branch in node.branches]
        alike = [same_list(parts[0], part) for part in parts[1:]]
        if not all(one is not None for one in alike):
            return False
        for pairs in alike:
            for one, other in pairs:
                self.same[self.number(other)] = self.number(one)
        return True

    def number(self, node):
        """Of statements that a role can't tell apart, one stands for all of them: what messages and blocks are called."""
        where = id(node)
        while where in self.same and self.same[where] != where:
            where = self.same[where]
        return where

    def told(self, instance, node):
        unaware = instance.unaware.get(id(node), set())
        return tuple(role for role in self.program.all_roles()
                     if role in instance.acting[id(node)] and role not in node.at and role not in unaware)

    # ---- projection ----

    def p_list(self, instance, role, body):
        done = []
        for node in body:
            acts = role in instance.acting[id(node)]
            if isinstance(node, (Break, Continue)) or acts or isinstance(node, Return) or (
                    isinstance(node, Call) and node.is_returned):
                done += getattr(self, "p_" + type(node).__name__.lower())(instance, role, node)
        return tuple(done)

    def p_step(self, instance, role, node):
        return [node]

    p_must = p_frail = p_break = p_continue = p_step

    def p_deliver(self, instance, role, node):
        if role != node.frm:
            return [Receive(node, node.frm)]
        others = [to for to in node.to if to != role]
        return [Send(node, to, role in node.to and to == others[-1]) for to in others]

    def p_agree(self, instance, role, node):
        others = [other for other in node.at if other != role]
        return [Send(node, to) for to in others] + [Compare(node, frm, frm == others[-1]) for frm in others]

    def p_choice(self, instance, role, node):
        if role in instance.unaware.get(id(node), ()):
            return list(self.p_list(instance, role, node.branches[0]))
        branches = tuple(self.p_list(instance, role, branch) for branch in node.branches)
        return [self.decision(instance, role, node, branches=branches)]

    def decision(self, instance, role, node, **inside):
        tells = self.told(instance, node) if role == (node.at or (None,))[0] else ()
        return Decision(node, None if role in node.at or not node.at else node.at[0], tells, **inside)

    def p_loop(self, instance, role, node):
        body, step = self.p_list(instance, role, node.body), self.p_list(instance, role, node.step)
        init = [node.init] if node.init is not None and role in node.init.at else []
        return init + [self.decision(instance, role, node, body=body, step=step)]

    def p_call(self, instance, role, node):
        callee = self.callee(node)
        if role in callee.part:
            return [Invoke(node, callee)]
        return [Return(())] if node.is_returned else []

    def p_return(self, instance, role, node):
        return [Return(tuple((at, exprs) for at, exprs in node.values if role in at))]

    def p_checkpoint(self, instance, role, node):
        participants = tuple(one for one in self.program.all_roles() if one in instance.acting[id(node)])
        rescue = None if node.rescue is None else self.p_list(instance, role, node.rescue)
        return [Block(node, participants, self.p_list(instance, role, node.body), rescue)]

    def p_par(self, instance, role, node):
        arms = []
        for number, arm in enumerate(node.arms):
            acting = set().union(*[instance.acting[id(one)] for one in arm])
            participants = tuple(one for one in self.program.all_roles() if one in acting)
            if role in acting:
                arms.append((number, participants, self.p_list(instance, role, arm)))
        return [Arms(node, tuple(arms))]

    def p_scope(self, instance, role, node):
        return list(self.p_list(instance, role, node.body))


def all_nodes(body):
    for node in body:
        yield node
        if isinstance(node, Loop) and node.init is not None:
            yield node.init
        for inner in lists_of(node):
            yield from all_nodes(inner)


# ---- the same, after projection ----


def same_list(one, other):
    """The pairs of statements that correspond, or None if the parts differ."""
    if len(one) != len(other):
        return None
    pairs = []
    for a, b in zip(one, other):
        found = same_node(a, b)
        if found is None:
            return None
        pairs += found
    return pairs


def shape(op):
    """What must be equal, besides what is inside."""
    node = getattr(op, "node", op)
    if isinstance(op, (Break, Continue)):
        return (type(op),)
    if isinstance(op, Step):
        return (Step, op.at, op.var, op.expr, op.declares)
    if isinstance(op, Must):
        return (Must, op.expr)
    if isinstance(op, Frail):
        return (Frail, op.times, op.number)
    if isinstance(op, Send):
        values = node.exprs if isinstance(node, Deliver) else node.values
        kept = node.patterns if op.keeps else None
        return (Send, values, op.to, kept, node.at if isinstance(node, Agree) else None)
    if isinstance(op, Receive):
        return (Receive, op.frm, node.to, node.patterns, node.declares, len(node.exprs))
    if isinstance(op, Compare):
        return (Compare, op.frm, node.var)
    if isinstance(op, Decision):
        known = (node.expr,) if op.teller is None else ()
        return (Decision, type(node), op.teller, op.tells, known, node.at, getattr(node, "kind", None), node.labels
                if isinstance(node, Choice) and op.teller is None else None, len(op.branches))
    if isinstance(op, Invoke):
        return (Invoke, op.instance.key, node.args, node.results, node.is_returned)
    if isinstance(op, Return):
        return (Return, op.values)
    if isinstance(op, Block):
        return (Block, op.participants, node.retry, node.within, node.has_fault, node.is_durable, node.is_round, op.rescue is None)
    return (Arms, len(op.arms), [arm[:2] for arm in op.arms])


def same_node(a, b):
    if shape(a) != shape(b):
        return None
    pairs = [(getattr(a, "node", a), getattr(b, "node", b))]
    lists = []
    if isinstance(a, Decision):
        lists = list(zip(a.branches, b.branches)) + [(a.body, b.body), (a.step, b.step)]
    elif isinstance(a, Block):
        lists = [(a.body, b.body)] + ([(a.rescue, b.rescue)] if a.rescue is not None else [])
    elif isinstance(a, Arms):
        lists = [(one[2], other[2]) for one, other in zip(a.arms, b.arms)]
    for one, other in lists:
        found = same_list(one, other)
        if found is None:
            return None
        pairs += found
    return pairs


__all__ = ["Arms", "Block", "Compare", "Decision", "Invoke", "Projector", "Receive", "Send"]
