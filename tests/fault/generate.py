"""Random choreographies for the fault matrix: deliveries, agreements, choices, loops, calls, and blocks in all of them.

Every role has one variable `x`. Numbers stay small, loops are short, a frail function fails for some arguments, and a
patient one waits for the outside now and then. A rescue of a round that fails is run again, for ever if it fails each time:
nothing frail stands there, and no deadline.
"""

import random
import re

DEPTH_MAX = 4
ROLES = "ABCD"


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.roles = ROLES[:self.random.choice([2, 2, 3, 3, 4])]
        self.lines, self.loops, self.weight, self.frail, self.patient = [], 0, 0, set(), set()
        self.is_firm = False  # nothing here may fail by itself

    def line(self, depth, text):
        self.lines.append("    " * (depth + 1) + text)

    def some(self, *choices):
        return self.random.choice(choices)

    def role(self, among=None):
        return self.random.choice(among or self.roles)

    def expression(self):
        return "(x * %d + %d) %% 1009" % (self.random.randrange(1, 9), self.random.randrange(100))

    def condition(self, role):
        return "%s.(x %% %d %s 0)" % (role, self.random.choice([2, 3]), self.some("==", "!="))

    def returns(self):
        return "return %s;" % ", ".join("%s.x" % role for role in self.roles)

    # ---- statements ----

    def delivery(self, depth, among):
        if len(among) < 2:
            return self.step(depth, among)
        if self.random.random() < 0.06 and not self.is_firm:
            return self.agreement(depth, among)
        sender, receiver = self.random.sample(among, 2)
        self.line(depth, "%s.(%s) ~> %s.x;" % (sender, self.expression(), receiver))

    def agreement(self, depth, among):
        """Of small numbers, so that it comes off now and then."""
        some = self.random.sample(among, self.random.randrange(2, len(among) + 1))
        values = ", ".join("%s.(x %% %d)" % (role, self.random.choice([1, 2])) for role in some)
        self.line(depth, "{%s}.x = agree(%s);" % (", ".join(some), values))

    def step(self, depth, among):
        role, kind = self.role(among), self.random.random()
        if kind < 0.15 and not self.is_firm:
            self.frail.add(role)
            self.line(depth, "%s.x = frail(x);" % role)
        elif kind < 0.3:
            self.patient.add(role)
            self.line(depth, "%s.x = patient(%s);" % (role, self.expression()))
        else:
            self.line(depth, "%s.x = %s;" % (role, self.expression()))

    def choice(self, depth, among, in_loop, callees):
        self.line(depth, "if (%s) {" % self.condition(self.role(among)))
        first = len(self.lines)
        self.block_of(depth + 1, among, in_loop, callees)
        last = len(self.lines)
        if self.random.random() < 0.7:
            self.line(depth, "} else {")
            if self.random.random() < 0.5:
                self.lines += [self.variant(line) for line in self.lines[first:last]]
            else:
                self.block_of(depth + 1, among, in_loop, callees)
        self.line(depth, "}")

    def variant(self, line):
        """The line, or one in which the sender or the role of a step computes something else: the others do the same."""
        if self.random.random() < 0.3:
            return re.sub(r"\(x \* \d+ \+ \d+\) % 1009", self.expression(), line, count=1)
        return line

    def loop(self, depth, among, callees):
        self.loops += 1
        role, name = self.role(among), "i%d" % self.loops
        self.line(depth, "for (%s.int %s = 0; %s.(%s < %d); %s.%s++) {" % (
            role, name, role, name, self.random.choice([2, 3]), role, name))
        self.block_of(depth + 1, among, True, callees)
        self.line(depth, "}")

    def checkpoint(self, depth, among, in_loop, callees):
        options = self.some("", "", "", "retry 1 ", "within 3ms ", "retry 1 within 8ms ")
        if self.is_firm:
            options = ""
        inside = self.random.sample(among, self.random.randrange(min(2, len(among)), len(among) + 1))
        self.line(depth, "checkpoint %s{" % options)
        self.block_of(depth + 1, inside, in_loop, callees)
        if self.random.random() < 0.85:
            self.line(depth, "} rescue {")
            self.block_of(depth + 1, inside, in_loop, callees)
        self.line(depth, "}")

    def rounds(self, depth, among, callees):
        options = self.some("", "", "", "retry 1 ", "within 5ms ", "retry 1 within 9ms ")
        if self.is_firm:
            options = ""
        inside = self.random.sample(among, self.random.randrange(min(2, len(among)), len(among) + 1))
        self.loops += 1
        role, name = self.role(inside), "i%d" % self.loops
        self.line(depth, "%s.int %s = 0;" % (role, name))
        self.line(depth, "checkpoint %swhile (%s.(%s < %d)) {" % (options, role, name, self.random.choice([2, 3])))
        self.line(depth + 1, "%s.%s++;" % (role, name))
        self.block_of(depth + 1, inside, True, callees)
        self.line(depth, "} rescue {")
        self.line(depth + 1, "%s.%s++;" % (role, name))
        was_firm, self.is_firm = self.is_firm, True
        self.block_of(depth + 1, inside, True, [])
        self.is_firm = was_firm
        self.line(depth, "}")

    def call(self, depth, callees):
        roles = ", ".join("%s.x" % role for role in self.roles)
        arguments = ", ".join("%s.(%s)" % (role, self.expression()) for role in self.roles)
        self.line(depth, "%s = %s(%s);" % (roles, self.random.choice(callees), arguments))

    def jump(self, depth, among, in_loop):
        self.line(depth, "if (%s) {" % self.condition(self.role(among)))
        self.line(depth + 1, self.some("break;", "continue;", self.returns()) if in_loop else self.returns())
        self.line(depth, "}")

    def block_of(self, depth, among, in_loop, callees):
        for _ in range(self.random.randrange(1, 4)):
            self.statement(depth, among, in_loop, callees)

    def statement(self, depth, among, in_loop, callees):
        self.weight += 1
        kind = self.random.random()
        if depth >= DEPTH_MAX or self.weight > 30 or kind < 0.45:
            self.delivery(depth, among) if self.random.random() < 0.7 else self.step(depth, among)
        elif kind < 0.52:
            self.rounds(depth, among, callees)
        elif kind < 0.72:
            self.checkpoint(depth, among, in_loop, callees)
        elif kind < 0.80:
            self.choice(depth, among, in_loop, callees)
        elif kind < 0.87:
            self.loop(depth, among, callees)
        elif kind < 0.93 and callees and len(among) == len(self.roles):
            self.call(depth, callees)
        else:
            self.jump(depth, among, in_loop)

    def definition(self, name, callees):
        self.weight = 0
        parameters = ", ".join("%s.int x" % role for role in self.roles)
        results = ", ".join("%s.int" % role for role in self.roles)
        self.line(0, "def %s(%s) -> %s {" % (name, parameters, results))
        self.block_of(1, list(self.roles), False, callees)
        self.checkpoint(1, list(self.roles), False, callees)
        self.block_of(1, list(self.roles), False, callees)
        self.line(1, self.returns())
        self.line(0, "}")


def generate(name, seed):
    """The text of a C program."""
    generator = Generator(seed)
    callees = ["f"] if generator.random.random() < 0.5 else []
    if callees:
        generator.definition("f", [])
    generator.definition("run", callees)
    roles, frail, patient = generator.roles, sorted(generator.frail), sorted(generator.patient)
    lines = ["// Made by generate.py, seed %s." % seed, "// matrix crash: 0.01 0.05 0.1",
             "#include <chorex.h>", "#include <stdio.h>", "#include <stdlib.h>", "",
             "choreography(%s, (%s)," % (name, ", ".join(roles))]
    lines += ["    int %s.frail(int x);" % role for role in frail]
    lines += ["    int %s.patient(int x);" % role for role in patient]
    lines += generator.lines + [")", ""]
    lines += ['#include "%s.%s.chor.h"' % (name, role) for role in roles]
    for role in frail:
        lines += ["", "int %s_frail(int x)" % role, "{", "    if (x % 4 == 1)", '        chx_fail("%d", x);',
                  "    return x + 1;", "}"]
    # A sequential program can't wait.
    for role in patient:
        lines += ["", "int %s_patient(int x)" % role, "{", "    static unsigned calls;",
                  '    if (getenv("FAULT_OUTCOMES") == NULL && (calls++ * 2654435761U >> 24) % 2 == 0)',
                  "        chx_again_after(%d);" % generator.random.choice([0, 1, 50000, 700000]), "    return x;", "}"]
    values = ", ".join("result.%s" % role for role in roles)
    arguments = ", ".join("123"[i % 3] for i in range(len(roles)))
    lines += ["", "int main(void)", "{", "    struct %s_run_result result;" % name,
              "    if (%s_run(&result, NULL, %s) != CHX_OK)" % (name, arguments),
              '        return puts("failed") < 0;',
              '    printf("%s\\n", %s);' % (" ".join(["%d"] * len(roles)), values),
              "    return 0;", "}", ""]
    return "\n".join(lines)
