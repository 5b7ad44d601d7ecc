#!/usr/bin/env python3
"""Makes a program whose roles have owning values in every frame, and blocks in blocks: generate.py SEED FILE

The value of each variable is known at each place from the text alone: an assignment makes it from a number that is used
there only, plus the depth of the recursion. At the end of a body, of its rescue and of a loop's round the variables that
were changed get the same values on every way. So each check compares with a constant. `tick(N)` is a place to die.
"""

import random
import sys

ROLES = ("K", "W")
# kind: (declaration, the function that makes one (None: it is made in parts), the function that compares one, or an element)
KINDS = {
    "cstr": ("const char *%s", "cstr_make", "cstr_is"),
    "str": ("chx_str %s", "str_make", "str_is"),
    "bytes": ("chx_bytes %s", "bytes_make", "bytes_is"),
    "list": ("list %s", "list_make", "list_is"),
    "record": ("record %s", "record_make", "record_is"),
    "packed": ("packed %s", "packed_make", "packed_is"),
    "box": ("box %s", None, "box_is"),
    "strs": ("chx_str %s[2]", None, "str_is"),
    "lists": ("list %s[2]", None, "list_is"),
}
WHOLE = [kind for kind, (_, make, _) in KINDS.items() if make]
LEVEL = 10000  # what one level of recursion adds to a number
FUNCTIONS = 3


class Variable:
    def __init__(self, role, kind, name, number, is_fixed=False):
        self.role, self.kind, self.name, self.number = role, kind, name, number
        self.is_fixed = is_fixed  # nothing assigns to it


class Function:
    """Arguments and results are made of numbers that depend on the function and the level only."""

    def __init__(self, name):
        self.name = name
        self.params = []  # Variable; the numbers without the level's part
        self.results = {role: [] for role in ROLES}  # (kind, number)


def at_level(number, level):
    return "%d + (%s) * %d" % (number, level, LEVEL)


def joined(parts):
    return parts[0] if len(parts) == 1 else "{%s}" % ", ".join(parts)


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.indent = [], 1
        self.numbers, self.names, self.points = 10, 0, 0
        self.functions = []
        self.begin_function([])

    def begin_function(self, params):
        self.scopes = [list(params)]
        self.ways = []  # bodies, rescues, rounds around this place: (scopes around it, what it changes of these)
        self.faults = []  # (role, what its `fault` was at first)
        self.budget = 3  # blocks, loops and calls that may still come at random

    # ---- small things ----

    def put(self, text):
        self.lines.append("    " * self.indent + text)

    def new_number(self):
        self.numbers += 7
        return self.numbers

    def new_name(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    def fresh(self):
        return at_level(self.new_number(), "n")

    def variables(self, role=None, kinds=None, can_change=False):
        return [v for scope in self.scopes for v in scope
                if role in (None, v.role) and (kinds is None or v.kind in kinds) and not (can_change and v.is_fixed)]

    def state(self):
        return {v: v.number for v in self.variables()}

    def set_state(self, state):
        for variable, number in state.items():
            variable.number = number

    def has_changed(self, variable, number):
        variable.number = number
        for scopes, changed in self.ways:
            if any(variable in scope for scope in self.scopes[:scopes]):
                changed.add(variable)

    # ---- steps ----

    def assign(self, variable, number, declares=False):
        declaration, make, _ = KINDS[variable.kind]
        role, name = variable.role, variable.name
        if make is not None:
            self.put("%s.%s = %s(%s);" % (role, declaration % name if declares else name, make, number))
        elif declares:
            self.put("%s.%s;" % (role, declaration % name))
        if variable.kind == "box":
            self.put("%s.%s.id = %s;" % (role, name, number))
            self.put("%s.%s.items = list_make(%s);" % (role, name, number))
        elif make is None:
            part = "str_make" if variable.kind == "strs" else "list_make"
            self.put("%s.%s[0] = %s(%s);" % (role, name, part, number))
            self.put("%s.%s[1] = %s(%s + 1);" % (role, name, part, number))
        self.has_changed(variable, number)

    def declare(self, role, kind, number=None):
        variable = Variable(role, kind, self.new_name("v"), None)
        self.assign(variable, number or self.fresh(), declares=True)
        self.scopes[-1].append(variable)
        return variable

    def comparison(self, v):
        if "[2]" not in KINDS[v.kind][0]:
            return "%s(%s, %s)" % (KINDS[v.kind][2], v.name, v.number)
        return " && ".join("%s(%s[%d], %s + %d)" % (KINDS[v.kind][2], v.name, i, v.number, i) for i in range(2))

    def check_all(self):
        for role in ROLES:
            checks = ["check(%s, %s)" % (self.comparison(v), v.number) for v in self.variables(role)]
            checks += ["fault_is(%s, fault)" % text for whose, text in self.faults if whose == role]
            self.put("%s.(%s);" % (role, ", ".join(checks)))

    def tick(self, role=None):
        self.points += 1
        self.put("%s.(tick(%d));" % (role or self.random.choice(ROLES), self.points))

    def change(self):
        variables = self.variables(can_change=True)
        if variables:
            self.assign(self.random.choice(variables), self.fresh())

    def send(self):
        sender, receiver = self.random.choice((ROLES, ROLES[::-1]))
        pairs = []
        for _ in range(self.random.choice((1, 1, 2))):
            source = self.random.choice(self.variables(sender, WHOLE))
            targets = [v for v in self.variables(receiver, (source.kind,), can_change=True)
                       if v not in [target for _, target in pairs]]
            if targets:
                pairs.append((source, self.random.choice(targets)))
        if pairs:
            self.put("%s.%s ~> %s.%s;" % (sender, joined([source.name for source, _ in pairs]), receiver,
                                          joined([target.name for _, target in pairs])))
        for source, target in pairs:
            self.has_changed(target, source.number)

    # ---- what contains others ----

    def begin_way(self):
        self.ways.append((len(self.scopes), set()))
        self.scopes.append([])
        self.indent += 1

    def end_way(self):
        self.indent -= 1
        self.scopes.pop()
        return self.ways.pop()[1]

    def settle(self, numbers):
        for variable, number in numbers.items():
            self.assign(variable, number)

    def begin_rescue(self):
        self.put("} rescue (fault) {")
        self.begin_way()
        self.faults = [(role, self.new_name("why")) for role in ROLES]
        for role, text in self.faults:
            self.put("%s.chx_str %s = fault_text(fault);" % (role, text))
        self.check_all()
        self.tick()

    def checkpoint(self, depth, body, retry=None):
        retry = self.random.randrange(3) if retry is None else retry
        before, faults = self.state(), self.faults
        self.put("checkpoint%s {" % (" retry %d" % retry if retry else ""))
        self.begin_way()
        self.tick()
        body(depth)
        self.tick()
        at_end, place = self.state(), len(self.lines)
        changed = self.end_way()

        self.set_state(before)
        self.begin_rescue()
        self.sequence(depth, 3)
        changed |= self.ways[-1][1]
        numbers = {v: self.fresh() for v in sorted(changed, key=lambda v: (v.role, v.name))}
        self.settle(numbers)
        self.tick()
        after = self.state()
        self.end_way()
        self.put("}")
        # Only now it is known what both have changed: the end of the body does the same.
        lines, self.lines = self.lines, []
        self.set_state(at_end)
        self.indent += 1
        self.settle(numbers)
        self.indent -= 1
        lines[place:place] = self.lines
        self.lines = lines
        self.set_state(after)
        self.faults = faults
        self.check_all()

    def loop(self, depth, is_checkpointed):
        counter = self.new_name("i")
        can_change = self.variables(can_change=True)
        numbers = {v: self.fresh() for v in self.random.sample(can_change, min(4, len(can_change)))}
        self.settle(numbers)
        self.put("{K, W}.int %s = 0;" % counter)
        # Only these change in a round: so the values at its beginning are known.
        kept = [v for v in can_change if v not in numbers]
        for variable in kept:
            variable.is_fixed = True
        before, faults = self.state(), self.faults
        self.put("%swhile ({K, W}.(%s < 2)) {" % ("checkpoint " if is_checkpointed else "", counter))
        self.begin_way()
        self.check_all()
        self.turn(depth, numbers, counter)
        if is_checkpointed:
            self.set_state(before)
            self.begin_rescue()
            self.turn(depth, numbers, counter)
            self.faults = faults
        self.put("}")
        for variable in kept:
            variable.is_fixed = False
        self.check_all()

    def turn(self, depth, numbers, counter):
        self.sequence(depth, 3)
        self.settle(numbers)
        self.put("{K, W}.%s = %s + 1;" % (counter, counter))
        self.tick()
        self.end_way()

    def call(self, function, level):
        arguments, results, made = [], [], []
        for param in function.params:
            number = at_level(param.number, level)
            given = [v for v in self.variables(param.role, (param.kind,)) if v.is_fixed and v.number == number]
            if given:  # lent to the callee
                arguments.append("%s.%s" % (param.role, given[0].name))
            elif self.random.random() < 0.5:
                arguments.append("%s.%s" % (param.role, self.declare(param.role, param.kind, number).name))
            else:
                arguments.append("%s.(%s(%s))" % (param.role, KINDS[param.kind][1], number))
        for role in ROLES:
            variables = [Variable(role, kind, self.new_name("v"), at_level(number, level))
                         for kind, number in function.results[role]]
            results.append("%s.%s" % (role, joined([KINDS[v.kind][0] % v.name for v in variables])))
            made += variables
        self.put("%s = %s({K, W}.(%s), %s);" % (", ".join(results), function.name, level, ", ".join(arguments)))
        self.scopes[-1] += made
        self.check_all()

    def sequence(self, depth, most=5):
        for role in ROLES:
            self.declare(role, self.random.choice(list(KINDS)))
        for _ in range(self.random.randint(2, most)):
            kind = self.random.choice(("change", "change", "send", "send", "tick", "block", "loop", "call"))
            if kind in ("block", "loop", "call"):
                self.budget -= 1
                if self.budget < 0 or depth <= 0 or (kind == "call" and not self.functions):
                    kind = "change"
            if kind == "block":
                self.checkpoint(depth - 1, self.sequence)
            elif kind == "loop":
                self.loop(depth - 1, self.random.random() < 0.5)
            elif kind == "call":
                self.call(self.random.choice(self.functions), "n")
            else:
                {"change": self.change, "send": self.send, "tick": self.tick}[kind]()
        self.check_all()

    # ---- functions ----

    def new_function(self):
        function = Function("f%d" % len(self.functions))
        for role in ROLES:
            # The first one has the same number in all functions, so that it is lent from one to the next.
            first = Variable(role, "cstr", "lent", 1 + ROLES.index(role), True)
            others = [Variable(role, kind, "%s%d" % (kind, i), self.new_number(), i == 0)
                      for i, kind in enumerate(self.random.sample(WHOLE, 2))]
            function.params += [first, *others]
            function.results[role] = [(kind, self.new_number())
                                      for kind in self.random.sample(WHOLE, self.random.randint(1, 2))]
        return function

    def define(self):
        function = self.new_function()
        params = [Variable(p.role, p.kind, p.name, at_level(p.number, "n"), p.is_fixed) for p in function.params]
        types = [joined([(KINDS[kind][0] % "").strip() for kind, _ in function.results[role]]) for role in ROLES]
        self.put("def %s({K, W}.int n, %s) -> %s {" % (
            function.name, ", ".join("%s.%s" % (p.role, KINDS[p.kind][0] % p.name) for p in params),
            ", ".join("%s.%s" % pair for pair in zip(ROLES, types))))
        self.indent += 1
        self.begin_function(params)
        self.check_all()
        self.tick()

        def calls(depth):
            self.sequence(depth)
            self.put("if ({K, W}.(n > 0)) {")
            self.begin_way()
            self.tick()
            self.call(function, "n - 1")
            self.tick()
            self.end_way()
            self.put("}")
            if self.functions:
                self.call(self.functions[-1], "n")
            self.tick()

        def blocks(depth):
            self.sequence(depth)
            if not self.functions:
                self.loop(depth - 1, True)
            self.checkpoint(depth - 1, calls)

        self.checkpoint(2, blocks)
        self.tick()
        returned = [joined([self.declare(role, kind, at_level(number, "n")).name
                            for kind, number in function.results[role]]) for role in ROLES]
        self.check_all()
        self.put("return %s;" % ", ".join("%s.%s" % pair for pair in zip(ROLES, returned)))
        self.indent -= 1
        self.put("}")
        self.functions.append(function)

    def run(self):
        self.put("def run({K, W}.int n, K.const char *lent, W.const char *lent) -> K.int, W.int {")
        self.indent += 1
        self.begin_function([Variable(role, "cstr", "lent", at_level(1 + ROLES.index(role), "n"), True)
                             for role in ROLES])
        self.declare("K", "record")
        self.declare("W", "list")

        def body(_):
            self.call(self.functions[-1], "n")
            self.tick("K")
            self.tick("W")

        # All deaths of a plan can be taken up here.
        self.checkpoint(1, body, retry=8)
        self.put("return K.(1), W.(1);")
        self.indent -= 1
        self.put("}")

    def text(self):
        for _ in range(FUNCTIONS):
            self.define()
        self.run()
        return "\n".join(self.lines)


HEAD = """// Made by tests/saved/generate.py from seed %d.
#include "saved.h"

choreography(saved, (K, W),
    void K.fini(void);
    void W.fini(void);

%s
)

#include "saved.K.chor.h"
#include "saved.W.chor.h"

static void K_fini(void)
{
    saved_fini();
}

static void W_fini(void)
{
    saved_fini();
}

static chx_status session(unsigned isolated)
{
    enum { LEVELS = 1, LEVEL = %d };
    struct saved_cast cast = {.K = {.isolation = (isolated & 1) != 0 ? CHX_PROCESS : CHX_THREAD},
                              .W = {.isolation = (isolated & 2) != 0 ? CHX_PROCESS : CHX_THREAD}};
    struct saved_run_result result;
    char first[SAVED_TEXT_SPACE], second[SAVED_TEXT_SPACE];
    saved_fill(first, 1 + LEVELS * LEVEL);
    saved_fill(second, 2 + LEVELS * LEVEL);
    return saved_run(&result, &cast, LEVELS, first, second);
}

int main(void)
{
    return saved_main(session);
}
"""


def generate(seed):
    """The text, and how many points it has."""
    program = Program(seed)
    text = program.text()
    return HEAD % (seed, text, LEVEL), program.points


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        made, points_made = generate(int(sys.argv[1]))
        output.write(made)
    print("%d points" % points_made)
