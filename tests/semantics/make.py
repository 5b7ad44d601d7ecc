"""Random choreographies, well typed by construction: all statements of syntax.py, nested at random.

Numbers stay below 1009. Every loop has a counter of its own. There are two kinds of programs, so that what they print does not depend on
who is faster: in one, any role may fail, always by the values of its variables; in the other, only one role fails, the first so many
times that it comes to a place, and rescues look at the fault.
"""

import random
from dataclasses import dataclass, field, replace

from syntax import (Agree, Break, Call, Checkpoint, Choice, Continue, Def, Deliver, Each, Frail, Loop, Must, Par, Program, Return,
                    Scope, Step)

MODULUS = 1009
NAMES = ["Ann", "Ben", "Cid", "Dot"]


@dataclass
class Place:
    """What may be used where a statement is to stand."""
    roles: tuple
    names: dict  # by role: the variables that may be read and assigned
    agreed: tuple = ()  # all roles agree on `k`
    depth: int = 3
    in_loop: bool = False  # `break` and `continue` are possible
    in_block: bool = False
    in_arm: bool = False
    in_rescue: bool = False  # of a round, which would be run again for ever
    has_fault: bool = False
    is_durable: bool = False  # blocks here may be durable
    results: tuple = ()  # of the definition
    callees: tuple = ()
    counters: dict = field(default_factory=dict)  # by role: loops' variables, to be read


class Maker:
    def __init__(self, seed, name):
        self.chance = random.Random(seed)
        self.name, self.count, self.frails = name, 0, 0
        self.has_arms = self.has_families = self.is_durable = False

    def some(self, *things):
        return self.chance.choice(things)

    def likely(self, chance):
        return self.chance.random() < chance

    def new(self, letter):
        self.count += 1
        return "%s%d" % (letter, self.count)

    # ---- expressions ----

    def variable(self, place, role):
        names = list(place.names[role]) + list(place.counters.get(role, ())) + ["k"] * bool(place.agreed)
        return ("v", self.chance.choice(names))

    def expr(self, place, role):
        one = ("*", self.variable(place, role), ("n", self.chance.randint(1, 8)))
        two = ("+", one, ("n", self.chance.randint(0, 99)))
        if self.likely(0.5):
            two = ("+", two, self.variable(place, role))
        return ("%", two, ("n", MODULUS))

    def condition(self, place, role):
        if place.has_fault and self.likely(0.3):
            return ("kind", self.some("FAIL", "PATTERN", "AGREE"))
        n = self.chance.randint(2, 3)
        return (self.some("==", "!="), ("%", self.variable(place, role), ("n", n)), ("n", self.chance.randrange(n)))

    def decider(self, place):
        """Who decides, and by what."""
        if len(place.agreed) > 1 and self.likely(0.25):
            n = self.chance.randint(2, 3)
            return place.agreed, ("==", ("%", ("v", "k"), ("n", n)), ("n", self.chance.randrange(n)))
        role = self.chance.choice(place.roles)
        return (role,), self.condition(place, role)

    # ---- statements of one line ----

    def target(self, place, role):
        return self.chance.choice(place.names[role])

    def make_step(self, place):
        if place.agreed and self.likely(0.2):
            return [Step(place.agreed, "k", ("%", ("+", ("*", ("v", "k"), ("n", self.chance.randint(2, 5))),
                                                   ("n", self.chance.randint(0, 9))), ("n", 256)))]
        role = self.chance.choice(place.roles)
        return [Step((role,), self.target(place, role), self.expr(place, role))]

    def make_delivery(self, place):
        if len(place.roles) < 2:
            return self.make_step(place)
        frm, to = self.chance.sample(place.roles, 2)
        kind = self.chance.random()
        if kind < 0.15:
            a, b = self.target(place, to), ("drop",)
            if self.likely(0.5):
                others = [name for name in place.names[to] if name != a]
                b = ("bind", self.chance.choice(others)) if others else b
            patterns = [("bind", a), b]
            self.chance.shuffle(patterns)
            return [Deliver(frm, (self.expr(place, frm), self.expr(place, frm)), (to,), tuple(patterns))]
        if kind < 0.25 and place.agreed:
            return [Deliver(frm, (("%", self.variable(place, frm), ("n", 256)),), place.agreed, (("bind", "k"),))]
        if kind < 0.35 and len(place.roles) > 2:
            some = tuple(role for role in place.roles if role == to or self.likely(0.5))
            common = [name for name in place.names[to] if all(name in place.names[role] for role in some)]
            if common and some != (frm,):
                return [Deliver(frm, (self.expr(place, frm),), some, (("bind", self.chance.choice(common)),))]
        return [Deliver(frm, (self.expr(place, frm),), (to,), (("bind", self.target(place, to)),))]

    def make_failure(self, place):
        """Outside of blocks seldom: it ends the session."""
        if place.in_rescue and self.failer is None:
            return self.make_step(place)
        if not place.in_block and not self.likely(0.05):
            return self.make_delivery(place)
        if self.failer is not None:
            if self.failer not in place.roles:
                return self.make_delivery(place)
            self.frails += 1
            return [Frail(self.failer, self.chance.randint(0, 3), self.frails)]
        role = self.chance.choice(place.roles)
        kind = self.chance.random()
        if kind < 0.2 and len(place.roles) > 1:
            frm, to = self.chance.sample(place.roles, 2)
            small = lambda who: ("%", self.variable(place, who), ("n", 2))
            return [Deliver(frm, (small(frm),), (to,), (("match", small(to)),))]
        plain = [one for one in place.roles if self.family is None or one in NAMES_OF(self.name)]  # members can't `agree`
        if kind < 0.35 and len(plain) > 1 and not place.in_arm:
            some = self.chance.sample(plain, self.chance.randint(2, len(plain)))
            some = tuple(role for role in place.roles if role in some)
            common = [name for name in place.names[some[0]] if all(name in place.names[role] for role in some)]
            if common:
                values = tuple((who, ("%", self.variable(place, who), ("n", self.some(1, 2)))) for who in some)
                return [Agree(some, self.chance.choice(common), values)]
        return [Must(role, ("!=", ("%", self.variable(place, role), ("n", self.some(2, 3, 5))), ("n", 0)))]

    # ---- statements with others inside ----

    def make_choice(self, place):
        at, expr = self.decider(place)
        inner = replace(place, depth=place.depth - 1, in_loop=False if self.likely(0.2) else place.in_loop)
        if not place.in_loop and self.likely(0.2):
            labels = (0, 1) if len(at) == 1 else (0,)
            value = ("%", self.variable(place, at[0]) if len(at) == 1 else ("v", "k"), ("n", 3))
            inner = replace(inner, in_loop=False)
            branches = [self.body(inner)]
            branches += [self.variant(branches[0]) if self.likely(0.6) else self.body(inner) for _ in labels]
            return [Choice(at, value, labels, tuple(branches), is_switch=True)]
        first = self.body(inner)
        jump = self.jump(place)
        if jump is not None and self.likely(0.4):
            return [Choice(at, expr, (1,), (first + (jump,), self.body(inner) if self.likely(0.3) else ()))]
        second = self.variant(first) if self.likely(0.6) else self.body(inner) if self.likely(0.7) else ()
        return [Choice(at, expr, (1,), (first, second))]

    def jump(self, place):
        ways = [Break(), Continue()] if place.in_loop else []
        if place.results and not place.in_arm and self.likely(0.3):
            ways.append(self.returned(place))
        return self.chance.choice(ways) if ways else None

    def returned(self, place):
        return Return(tuple((at, tuple(self.expr(place, at[0]) for _ in range(count))) for at, count in place.results))

    def variant(self, body):
        """Statements that are the same for some roles, and not for others."""
        changed = []
        loser = self.chance.random()
        for node in body:
            if isinstance(node, Step) and len(node.at) == 1 and self.likely(loser):
                node = Step(node.at, node.var, ("%", ("+", node.expr, ("n", 1)), ("n", MODULUS)))
            elif isinstance(node, Deliver) and node.patterns[0][0] == "bind" and len(node.to) == 1 and self.likely(loser):
                more = (("%", ("+", node.exprs[0], ("n", 1)), ("n", MODULUS)),) + node.exprs[1:]
                node = Deliver(node.frm, more, node.to, node.patterns)
            elif isinstance(node, Choice):
                node = replace(node, branches=tuple(self.variant(branch) for branch in node.branches))
            elif isinstance(node, Loop):
                node = replace(node, body=self.variant(node.body))
            elif isinstance(node, Checkpoint) and not node.is_round:
                node = replace(node, body=self.variant(node.body))
            changed.append(node)
        return tuple(changed)

    def make_loop(self, place):
        times, name = self.chance.randint(1, 3), self.new("i")
        at = (self.chance.choice(place.roles),)
        if len(place.agreed) > 1 and self.likely(0.3):
            at = place.agreed
        counters = {role: tuple(place.counters.get(role, ())) + (name,) * (role in at) for role in place.roles}
        inner = replace(place, depth=place.depth - 1, in_loop=True, counters=counters)
        begin, more = ("n", 0), ("+", ("v", name), ("n", 1))
        condition = ("<", ("v", name), ("n", times))
        declare, count = Step(at, name, begin, True), Step(at, name, more)
        kind = self.some("for", "while", "do", "ever")
        if kind == "for":
            return [Loop("for", at, condition, self.body(inner), (count,), Step(at, name, begin, True))]
        if kind == "ever":
            last = Choice(at, condition, (1,), ((), (Break(),)))
            return [declare, Loop("ever", (), None, (last, count) + self.body(inner))]
        return [declare, Loop(kind, at, condition, (count,) + self.body(inner))]

    def make_rounds(self, place):
        times, name = self.chance.randint(1, 3), self.new("i")
        at = (self.chance.choice(place.roles),)
        counters = {role: tuple(place.counters.get(role, ())) + (name,) * (role in at) for role in place.roles}
        inner = replace(place, depth=place.depth - 1, in_loop=True, counters=counters, in_block=True, is_durable=False, has_fault=False)
        count = Step(at, name, ("+", ("v", name), ("n", 1)))
        rescue = (count,) + self.rescue(replace(inner, in_rescue=True))
        round_ = self.body(inner) + (count,)
        # `continue` must count, too: it stands only behind the count.
        round_ = (count,) + self.body(inner)
        condition = Choice(at, ("<", ("v", name), ("n", times)), (1,), (round_, (Break(),)), is_round_condition=True)
        block = Checkpoint((condition,), rescue, retry=self.some(0, 0, 1, 2), is_round=True, is_durable=self.durable(place))
        return [Step(at, name, ("n", 0), True), Loop("ever", (), None, (block,))]

    def durable(self, place):
        is_durable = place.is_durable and self.likely(0.4)
        self.is_durable |= is_durable
        return is_durable

    def make_block(self, place):
        is_durable = self.durable(place)
        inner = replace(place, depth=place.depth - 1, in_block=True, is_durable=False, has_fault=False)
        body = self.body(inner)
        has_fault = self.failer is not None and self.likely(0.5)
        has_rescue = self.likely(0.85)
        outer = replace(inner, in_block=place.in_block, has_fault=has_fault)
        rescue = self.rescue(outer) if has_rescue else None
        return [Checkpoint(body, rescue, self.some(0, 0, 1, 2), self.some("", "", "", "within 50min"), has_fault and has_rescue,
                           is_durable)]

    def rescue(self, place):
        return self.body(replace(place, depth=min(place.depth, 1)))

    def make_call(self, place):
        fitting = [one for one in place.callees if len(one.roles) <= len(place.roles)]
        if not fitting:
            return self.make_delivery(place)
        callee = self.chance.choice(fitting)
        roles = tuple(self.chance.sample(place.roles, len(callee.roles)))
        table = dict(zip(callee.roles, roles))
        args, functions, results = [], [], []
        for (formal,), name in callee.params:
            role = table[formal]
            small = name == "n"
            args.append(((role,), ("n", self.chance.randint(0, 3)) if small else self.expr(place, role)))
        for _, (frm,), (to,) in callee.functions:
            functions.append((self.some("relay", "shift"), (table[frm], table[to])))
        is_declared = self.likely(0.3)
        for (formal,), _ in callee.results:
            role = table[formal]
            if self.likely(0.85):
                results.append(((role,), "int " + self.new("r") if is_declared else self.target(place, role)))
        return [Call(callee.name, roles, tuple(functions), tuple(args), tuple(results))]

    def make_scope(self, place):
        role, name = self.chance.choice(place.roles), self.new("t")
        names = {one: place.names[one] + [name] * (one == role) for one in place.roles}
        if place.in_arm:
            names = place.names
        inner = replace(place, names=names, depth=place.depth - 1)
        return [Scope((Step((role,), name, self.expr(place, role), True),) + self.body(inner))]

    def make_arms(self, place):
        if len(place.roles) < 2 or place.in_arm and self.likely(0.7):
            return self.make_delivery(place)
        self.has_arms = True
        shares = [{role: [] for role in place.roles} for _ in range(2)]
        for role in place.roles:
            for name in place.names[role]:
                self.chance.choice(shares)[role].append(name)
        arms = []
        for share in shares:
            roles = tuple(role for role in place.roles if share[role])
            if not roles:
                return self.make_delivery(place)
            inner = replace(place, roles=roles, names=share, agreed=(), in_loop=False, in_arm=True, results=(), depth=place.depth - 1,
                            counters={}, is_durable=False, has_fault=False)
            arms.append(self.body(inner))
        return [Par(tuple(arms))]

    def make_each(self, place):
        """Of a family: its members are roles besides those of the place, and have `x` and `y`, too."""
        if self.family is None or place.roles[0] not in NAMES_OF(self.name):
            return self.make_delivery(place)
        kind, role, family = self.chance.random(), self.chance.choice(place.roles), self.family
        member = lambda: {"x": 0, "y": 0}
        if kind < 0.2:
            return [Step((family + "[*]",), "x", ("%", ("+", ("*", ("v", "x"), ("n", 3)), ("v", "y")), ("n", MODULUS)))]
        if kind < 0.35:
            return [Deliver(role, (self.expr(place, role),), (family + "[*]",), (("bind", self.some("x", "y")),))]
        if kind < 0.5:
            one = "%s[%d]" % (family, self.chance.randrange(self.members))
            if self.likely(0.5):
                return [Deliver(role, (self.expr(place, role),), (one,), (("bind", self.some("x", "y")),))]
            return [Deliver(one, (("v", self.some("x", "y")),), (role,), (("bind", self.target(place, role)),))]
        w = self.new("w")
        is_par = kind > 0.9 and not place.in_arm
        names = {**{one: place.names[one] for one in place.roles}, w: list(member())}
        inner = replace(place, roles=place.roles + (w,), names=names, in_loop=False, depth=place.depth - 1, agreed=(),
                        is_durable=False)
        if is_par:
            self.has_arms = True
            inner = replace(inner, roles=(w,), names={w: ["x", "y"]}, in_arm=True, results=(), counters={}, has_fault=False)
        return [Each(w, family, self.body(inner), is_par)]

    SIMPLE = [make_step] * 3 + [make_delivery] * 6 + [make_failure] * 2
    NESTED = [make_choice] * 4 + [make_loop] * 2 + [make_block] * 4 + [make_rounds, make_call, make_call, make_scope, make_arms,
                                                                      make_each, make_each]

    def body(self, place):
        done = []
        for _ in range(self.chance.randint(1, 3)):
            self.weight += 1
            nested = place.depth > 0 and self.weight < 40 and self.likely(0.45)
            done += self.chance.choice(self.NESTED if nested else self.SIMPLE)(self, place)
        return tuple(done)

    # ---- definitions ----

    def definition(self, name, callees):
        roles = ("P", "Q", "R")[:self.some(2, 2, 3)]
        params = tuple(((role,), "x") for role in roles if self.likely(0.7)) or (((roles[0],), "x"),)
        given = {role for (role,), _ in params}
        functions = (("go", ("P",), ("Q",)),) if self.likely(0.3) else ()
        results = tuple(((role,), 1) for role in roles if self.likely(0.6))
        start = [Step((role,), "x", ("n", self.chance.randint(0, 99)), True) for role in roles if role not in given]
        start += [Step((role,), "y", ("n", self.chance.randint(0, 99)), True) for role in roles]
        place = Place(roles, {role: ["x", "y"] for role in roles}, depth=2, results=results, callees=callees)
        body = list(self.body(place))
        if functions:
            body.append(Call("go", (), (), ((("P",), self.expr(place, "P")),), ((("Q",), "y"),)))
        return Def(name, roles, functions, params, results, tuple(start + body) + ((self.returned(place),) if results else ()))

    def recursive(self, name):
        """Calls itself n times, at its end or before it."""
        roles = ("P", "Q")
        place = Place(roles, {"P": ["x"], "Q": ["x"]}, depth=1, results=((("Q",), 1),))
        params = ((("P",), "n"), (("P",), "x"), (("Q",), "x"))
        stop = Choice(("P",), ("<", ("v", "n"), ("n", 1)), (1,), ((Return(((("Q",), (("v", "x"),)),)),), ()))
        args = ((("P",), ("+", ("v", "n"), ("n", -1))), (("P",), self.expr(place, "P")), (("Q",), self.expr(place, "Q")))
        body = (stop,) + self.body(place)
        if self.likely(0.5):
            return Def(name, roles, (), params, ((("Q",), 1),), body + (Call(name, roles, (), args, (), True),))
        again = Call(name, roles, (), args, ((("Q",), "x"),))
        return Def(name, roles, (), params, ((("Q",), 1),), body + (again, self.returned(place)))

    def program(self, role_count=None, with_families=True):
        chance, self.weight = self.chance, 0
        count = role_count or chance.choice([2, 3, 3, 4])
        roles = tuple("%s%s" % (one, self.name) for one in NAMES[:count])
        self.failer = chance.choice(roles) if self.likely(0.4) else None
        self.family, self.members = ("W" + self.name, chance.randint(1, 3)) if with_families and self.likely(0.3) else (None, 0)
        x = (("v", "x"),)
        relay = Def("relay", ("P", "Q"), (), ((("P",), "x"),), ((("Q",), 1),),
                    (Deliver("P", x, ("Q",), (("bind", "y"),)), Return(((("Q",), (("v", "y"),)),))))
        shift = replace(relay, name="shift", body=(Deliver("P", (("%", ("+", x[0], ("n", 7)), ("n", MODULUS)),), ("Q",), (("bind", "z"),)),
                                                   Return(((("Q",), (("v", "z"),)),))))
        library = None
        defs = [relay, shift]
        real, self.failer = self.failer, None
        defs.append(self.recursive("again"))
        defs.append(self.definition("second", tuple(defs)))
        defs.append(self.definition("first", tuple(defs)))
        self.failer = real
        callees = tuple(defs)
        if self.likely(0.4):
            swap = Def("swap", (), (), ((("One",), "a"), (("Other",), "b")), ((("One",), 1), (("Other",), 1)),
                       (Deliver("One", (("v", "a"),), ("Other",), (("bind", "a"),)),
                        Deliver("Other", (("v", "b"),), ("One",), (("bind", "b"),)),
                        Return(((("One",), (("v", "b"),)), (("Other",), (("v", "a"),))))))
            library = Program("lib" + self.name, ("One", "Other"), {}, {"swap": swap}, has_functions=False)
            callees += (replace(swap, name=library.name + ".swap", roles=("One", "Other")),) * 2
        results = tuple(((role,), 2) for role in roles)
        if self.family:
            results += (((self.family + "[*]",), 2),)
        place = Place(roles, {role: ["x", "y"] for role in roles}, agreed=roles, depth=3, results=results, callees=callees,
                      is_durable=self.family is None)
        everybody = roles + ((self.family + "[*]",) if self.family else ())
        start = [Step((role,), name, ("n", chance.randint(0, 99)), True) for role in everybody for name in ("x", "y")]
        start.append(Step(roles, "k", ("n", chance.randint(0, 9)), True))
        values = tuple((at, (("v", "x"), ("v", "y"))) for at, _ in results)
        place = replace(place, results=results if self.likely(0.3) else ())
        if place.results and self.family:
            place = replace(place, results=())
        self.weight = 0
        body = tuple(start) + self.body(place) + self.body(place) + (Return(values),)
        all_roles = roles + ((self.family,) if self.family else ())
        families = {self.family: self.members} if self.family else {}
        defs = {one.name: one for one in defs}
        defs["run"] = Def("run", (), (), (), results, body)
        return Program("m" + self.name, all_roles, families, defs, library)


def NAMES_OF(suffix):
    return [one + suffix for one in NAMES]
