"""The steps of a whole choreography: docs/semantics.md, section 4. Each rule is a function of its name."""

from control import Failure, Machine
from syntax import FAULT, evaluate, instantiate


def can_recover(node, attempt):
    """Has the block another attempt? 0 to `retry` are the body, then comes the rescue; that of a round again and again."""
    return attempt < node.retry or ((attempt == node.retry or node.is_round) and node.rescue is not None)


class World:
    """What is outside of the roles, and is never undone: how often each frail function was called."""

    def __init__(self, limit):
        self.counts, self.left, self.dropped = {}, limit, 0

    def frail_fails(self, node):
        self.counts[node.number] = self.counts.get(node.number, 0) + 1
        return self.counts[node.number] <= node.times

    def tick(self):
        self.left -= 1
        if self.left < 0:
            raise TimeoutError


class Whole(Machine):
    """A configuration: the variables of each role, in frames, and what is left to do."""

    RULES = {"Step": "g_step", "Deliver": "g_deliver", "Agree": "g_agree", "Must": "g_must", "Frail": "g_frail", "Choice": "g_choice",
             "Loop": "g_loop", "Test": "g_test", "Call": "g_call", "Return": "g_return", "Checkpoint": "g_enter", "Leave": "g_leave",
             "Par": "g_fork", "Join": "g_join"}

    def __init__(self, program, world, chance, env, body, instance):
        super().__init__(env, body, instance)
        self.program, self.world, self.chance = program, world, chance

    def body_of(self, instance):
        return instance.body

    def value(self, role, expr):
        return evaluate(expr, self.frame.env[role])

    def run(self):
        while not self.is_over:
            self.world.tick()
            self.try_step()
        return self.result

    def try_step(self):
        try:
            self.step()
        except Failure as failure:
            self.g_fail(failure)

    # ---- communication ----

    def g_step(self, node):  # G-Step
        for role, value in [(role, self.value(role, node.expr)) for role in node.at]:
            self.frame.env[role][node.var] = value

    def g_deliver(self, node):  # G-Deliver, G-Mismatch
        values = [self.value(node.frm, expr) for expr in node.exprs]
        for role in node.to:
            for pattern, value in zip(node.patterns, values):
                if pattern[0] == "match" and self.value(role, pattern[1]) != value:
                    raise Failure(role, "PATTERN")
            for pattern, value in zip(node.patterns, values):
                if pattern[0] == "bind":
                    self.frame.env[role][pattern[1]] = value

    def g_agree(self, node):  # G-Agree, G-Differ
        values = [self.value(role, expr) for role, expr in node.values]
        if any(value != values[0] for value in values):
            raise Failure(node.at[0], "AGREE")
        for role in node.at:
            self.frame.env[role][node.var] = values[0]

    def g_must(self, node):  # G-Break
        if not self.value(node.role, node.expr):
            raise Failure(node.role, "FAIL")

    def g_frail(self, node):
        if self.world.frail_fails(node):
            raise Failure(node.role, "FAIL")

    # ---- control that depends on values ----

    def decide(self, node):
        values = {self.value(role, node.expr) for role in node.at}
        assert len(values) == 1, "the roles of a set do not agree"
        return values.pop()

    def g_choice(self, node):  # G-Choice
        value = self.decide(node)
        self.push(node.branches[node.labels.index(value) if value in node.labels else -1])

    def g_test(self, frame, node):  # G-Test
        return self.c_round(node, node.expr is None or self.decide(node) != 0)

    def g_loop(self, node):
        if node.init is not None:
            self.g_step(node.init)
        self.c_loop(node)

    def g_call(self, node):  # G-Call
        instance = instantiate(self.program, node.function, node.roles, node.functions)
        env = {role: {} for role in self.frame.env}
        for (at, name), (_, expr) in zip(instance.params, node.args):
            for role in at:
                env[role][name] = self.value(role, expr)
        self.c_call(node, instance, env)

    def g_return(self, node):
        values = {role: [self.value(role, expr) for expr in exprs] for at, exprs in node.values for role in at}
        self.frame.jump = ("return", values)

    def bind_results(self, node, values):
        if node.is_returned:
            self.frame.jump = ("return", values)
        for at, name in node.results:
            for role in at:
                self.frame.env[role][name.replace("int ", "")] = values[role][0]

    # ---- blocks ----

    def g_enter(self, node):  # G-Enter
        saved = {role: dict(env) for role, env in self.frame.env.items()}
        self.frame.stack.append(("block", node, 0, saved))
        self.push(node.body)

    def g_leave(self, frame, entry, is_jump):  # G-Leave, G-Renew
        node = entry[1]
        frame.stack.pop()
        if node.is_round and frame.jump == ("continue",):
            frame.jump = None
        return True

    def g_fail(self, failure):
        """G-Retry, G-Rescue, G-Up, G-Lost: the innermost block with an attempt left takes the failure up."""
        while self.frames:
            frame = self.frame
            while frame.stack:
                entry = frame.stack.pop()
                if entry[0] == "block" and can_recover(entry[1], entry[2]):
                    self.g_again(frame, entry, failure)
                    return
            self.frames.pop()
        raise failure

    def g_again(self, frame, entry, failure):
        _, node, attempt, saved = entry
        frame.env = {role: dict(env) for role, env in saved.items()}
        frame.jump = None
        frame.stack.append(("block", node, attempt + 1, saved))
        if attempt + 1 <= node.retry:
            self.push(node.body)
            return
        for env in frame.env.values():
            if node.has_fault:
                env[FAULT] = failure.kind
        self.push(node.rescue)

    # ---- arms ----

    def g_fork(self, node):  # G-Fork
        arms = []
        for body in node.arms:
            env = {role: dict(own) for role, own in self.frame.env.items()}
            arms.append(Whole(self.program, self.world, self.chance, env, body, self.frame.instance))
        before = {role: dict(own) for role, own in self.frame.env.items()}
        self.frame.stack.append(("par", arms, before))

    def g_join(self, frame, entry):  # G-Arm, G-Join
        running = [arm for arm in entry[1] if not arm.is_over]
        if running:
            arm = self.chance.choice(running)
            arm.env = arm.frames[0].env
            arm.try_step()
            return True
        frame.stack.pop()
        for arm in entry[1]:
            for role, env in arm.env.items():
                for name, value in env.items():
                    if name in entry[2][role] and value != entry[2][role][name]:
                        frame.env[role][name] = value
        return True


def run_whole(program, chance, limit=4000):
    """("done", results by role) or ("failed", role, kind)."""
    instance = instantiate(program, "run", (), ())
    world = World(limit)
    whole = Whole(program, world, chance, {role: {} for role in program.all_roles()}, instance.body, instance)
    try:
        return ("done", whole.run())
    except Failure as failure:
        return ("failed", failure.role, failure.kind)
