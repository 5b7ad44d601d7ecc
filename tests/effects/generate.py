#!/usr/bin/env python3
"""Makes a program of blocks, loops, choices and calls with effects everywhere: generate.py SEED FILE

What is decided and how often loops turn differs between the attempts of a block (luck). Not all roles take part in every
block. Each role carries a model of where it is (effects.h) in the variable `m`.
"""

import random
import sys

ROLES = ("A", "B", "C")
FUNCTIONS = 2


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.indent = [], 1
        self.places, self.blocks, self.names = 0, 0, 0
        self.functions = []
        self.budget = 0

    def put(self, text):
        self.lines.append("    " * self.indent + text)

    def act(self, roles):
        role = self.random.choice(roles)
        # One place for many effects, in bodies, rescues and outside of blocks.
        if self.random.random() < 0.5:
            self.put("%s.m = leaf%s(%s.m);" % (role, role, role))
            return
        self.places += 1
        self.put("%s.m = act(m, %d);" % (role, self.places))

    def define_leaves(self):
        for role in ROLES:
            self.places += 1
            self.put("def leaf%s(%s.model m) -> %s.model {" % (role, role, role))
            self.put("    %s.m = act(m, %d);" % (role, self.places))
            self.put("    return %s.m;" % role)
            self.put("}")

    def send(self, roles):
        if len(roles) > 1:
            sender, receiver = self.random.sample(roles, 2)
            self.places += 1
            # The index is computed, too, by a function: another effect, in a step of its own.
            self.put("%s.m.acts ~> %s.seen[act_at(&m, %d)];" % (sender, receiver, self.places))

    def block(self, roles, depth):
        inside = self.random.sample(roles, self.random.randint(max(1, len(roles) - 1), len(roles)))
        block, self.blocks = self.blocks, self.blocks + 1
        retry = self.random.randint(0, 3)
        self.put("checkpoint%s {" % (" retry %d" % retry if retry else ""))
        self.indent += 1
        for role in inside:
            self.put("%s.m = model_body(m, %d);" % (role, block))
        self.sequence(inside, depth)
        for role in inside:
            self.put("%s.m = model_leave(m);" % role)
        self.indent -= 1
        self.put("} rescue {")
        self.indent += 1
        for role in inside:
            self.put("%s.m = model_rescue(m, %d);" % (role, block))
        self.sequence(inside, depth - 1)
        for role in inside:
            self.put("%s.m = model_leave(m);" % role)
        self.indent -= 1
        self.put("}")

    def choice(self, roles, depth):
        self.put("if (%s.(luck(m, %d, 2))) {" % (self.random.choice(roles), self.random.randrange(1000)))
        self.indent += 1
        self.sequence(roles, depth)
        self.indent -= 1
        if self.random.random() < 0.5:
            self.put("} else {")
            self.indent += 1
            self.sequence(roles, depth)
            self.indent -= 1
        self.put("}")

    def loop(self, roles, depth):
        self.names += 1
        role, counter = self.random.choice(roles), "i%d" % self.names
        self.put("%s.int %s = 0;" % (role, counter))
        self.put("while (%s.(%s < 3 && !luck(m, %s + %d, 3))) {" % (role, counter, counter, self.names * 10))
        self.indent += 1
        self.sequence(roles, depth)
        self.put("%s.%s++;" % (role, counter))
        self.indent -= 1
        self.put("}")

    def call(self, roles, function, n):
        assert len(roles) == len(ROLES)
        self.put("A.m, B.m, C.m = %s({A, B, C}.(%s), A.m, B.m, C.m);" % (function, n))

    def sequence(self, roles, depth):
        self.act(roles)
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.choice(("act", "act", "send", "block", "choice", "loop", "call"))
            self.budget -= 1
            if self.budget < 0 or depth <= 0 or self.places > 56 or self.blocks > 20:
                kind = "act" if self.places < 60 else "nothing"
            if kind == "act":
                self.act(roles)
            elif kind == "send":
                self.send(roles)
            elif kind == "block":
                self.block(roles, depth - 1)
            elif kind == "choice":
                self.choice(roles, depth - 1)
            elif kind == "loop":
                self.loop(roles, depth - 1)
            elif kind == "call" and self.functions and len(roles) == len(ROLES):
                self.call(ROLES, self.random.choice(self.functions), "n")

    def define(self):
        name = "f%d" % len(self.functions)
        self.put("def %s({A, B, C}.int n, A.model m, B.model m, C.model m) -> A.model, B.model, C.model {" % name)
        self.indent += 1
        for role in ROLES:
            self.put("%s.int seen[2] = {0, 0};" % role)
        self.budget = 5
        self.sequence(ROLES, 2)
        self.put("if ({A, B, C}.(n > 0)) {")
        self.indent += 1
        self.call(ROLES, name, "n - 1")
        self.indent -= 1
        self.put("}")
        self.budget = 2
        self.block(ROLES, 1)
        for role in ROLES:
            self.put("%s.(use(seen));" % role)
        self.put("return A.m, B.m, C.m;")
        self.indent -= 1
        self.put("}")
        self.functions.append(name)

    def run(self):
        self.put("def run({A, B, C}.int n) -> A.int, B.int, C.int {")
        self.indent += 1
        for role in ROLES:
            self.put("%s.model m = model_new();" % role)
            self.put("%s.int seen[2] = {0, 0};" % role)
        block, self.blocks = self.blocks, self.blocks + 1
        self.put("checkpoint retry 1000 {")
        self.indent += 1
        for role in ROLES:
            self.put("%s.m = model_body(m, %d);" % (role, block))
        self.budget = 6
        self.sequence(ROLES, 3)
        self.call(ROLES, self.functions[-1], "n")
        self.act(ROLES)
        for role in ROLES:
            self.put("%s.m = model_leave(m);" % role)
        self.indent -= 1
        self.put("}")
        for role in ROLES:
            self.put("%s.(use(seen));" % role)
        self.put("return A.(m.acts), B.(m.acts), C.(m.acts);")
        self.indent -= 1
        self.put("}")

    def text(self):
        self.define_leaves()
        for _ in range(FUNCTIONS):
            self.define()
        self.run()
        return "\n".join(self.lines)


TEXT = """// Made by tests/effects/generate.py from seed %d.
#include "effects.h"

static inline void use(const int *numbers)
{
    (void)numbers;
}

choreography(effects, (A, B, C),
    void A.init(void);
    void A.fini(void);
    void B.init(void);
    void C.fini(void);

%s
)

#include "effects.A.chor.h"
#include "effects.B.chor.h"
#include "effects.C.chor.h"

static void A_init(void)
{
    hook_init();
}

static void A_fini(void)
{
    hook_fini();
}

static void B_init(void)
{
    hook_init();
}

static void C_fini(void)
{
    hook_fini();
}

static chx_status session(void)
{
    struct effects_run_result result;
    return effects_run(&result, NULL, 1);
}

int main(int argc, char **argv)
{
    return effects_main(argc, argv, session);
}
"""


def generate(seed):
    return TEXT % (seed, Program(seed).text())


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        output.write(generate(int(sys.argv[1])))
