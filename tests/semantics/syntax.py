"""The abstract syntax of docs/semantics.md, section 1, and how it is written in C files.

Roles are names; a set of roles is a tuple of names in role order. A family is there as its members, 'W[0]', 'W[1]', ..., once
`unroll` has been at it. Expressions belong to whoever stands before them; they are tuples:

    ("n", 7)  ("v", "x")  ("+", a, b)  ("*", a, b)  ("%", a, b)  ("==", a, b)  ("!=", a, b)  ("<", a, b)  ("kind", "FAIL")
"""

from dataclasses import dataclass, fields, replace
from typing import Optional

OPERATORS = {
    "+": lambda a, b: a + b, "*": lambda a, b: a * b, "%": lambda a, b: a % b,
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b),
}
FAULT = "fault"  # the variable of a rescue; its value is the kind


def evaluate(expr, env):
    if expr[0] == "n":
        return expr[1]
    if expr[0] == "v":
        return env[expr[1]]
    if expr[0] == "kind":
        return int(env[FAULT] == expr[1])
    return OPERATORS[expr[0]](evaluate(expr[1], env), evaluate(expr[2], env))


def text_of(expr):
    if expr[0] in ("n", "v"):
        return str(expr[1])
    if expr[0] == "kind":
        return "(fault.kind == CHX_FAULT_%s)" % expr[1]
    return "(%s %s %s)" % (text_of(expr[1]), expr[0], text_of(expr[2]))


# ---- statements: compared by identity, since each is a place in the choreography ----


@dataclass(eq=False)
class Step:  # R.x = e, at each of the roles
    at: tuple
    var: str
    expr: tuple
    declares: bool = False


@dataclass(eq=False)
class Deliver:  # R.{e, ...} ~> S.{p, ...}; a pattern is ("bind", x), ("drop",) or ("match", e)
    frm: str
    exprs: tuple
    to: tuple
    patterns: tuple
    declares: bool = False


@dataclass(eq=False)
class Agree:  # S.x = agree(R.e, ...)
    at: tuple
    var: str
    values: tuple  # of (role, expr)


@dataclass(eq=False)
class Must:  # the role fails unless the expression holds
    role: str
    expr: tuple


@dataclass(eq=False)
class Frail:  # the role fails the first times that it comes here, whatever it is restored to
    role: str
    times: int
    number: int


@dataclass(eq=False)
class Choice:  # if or switch: the branch whose label is the value, or the last one
    at: tuple
    expr: tuple
    labels: tuple
    branches: tuple
    is_switch: bool = False
    notify: Optional[tuple] = None
    is_round_condition: bool = False


@dataclass(eq=False)
class Loop:  # kind: while, do, for, ever
    kind: str
    at: tuple
    expr: Optional[tuple]
    body: tuple
    step: tuple = ()
    init: Optional[Step] = None


@dataclass(eq=False)
class Break:
    pass


@dataclass(eq=False)
class Continue:
    pass


@dataclass(eq=False)
class Call:  # results: of (roles, variable). `function`: a definition, or a function parameter
    function: str
    roles: tuple
    functions: tuple  # of (name, roles)
    args: tuple  # of (roles, expr)
    results: tuple
    is_returned: bool = False


@dataclass(eq=False)
class Return:
    values: tuple  # of (roles, exprs)


@dataclass(eq=False)
class Checkpoint:
    body: tuple
    rescue: Optional[tuple]
    retry: int = 0
    within: str = ""
    has_fault: bool = False
    is_durable: bool = False
    is_round: bool = False


@dataclass(eq=False)
class Par:
    arms: tuple


@dataclass(eq=False)
class Each:  # for (w : Family), or with is_par an arm for each member
    var: str
    family: str
    body: tuple
    is_par: bool = False


@dataclass(eq=False)
class Scope:
    body: tuple


@dataclass(eq=False)
class Raw:  # a mistake, as text
    text: str


@dataclass(eq=False)
class Def:
    name: str
    roles: tuple  # role parameters; () for those of the choreography itself
    functions: tuple  # function parameters, of (name, parameter's roles, result's roles)
    params: tuple  # of (roles, name)
    results: tuple  # of (roles, number of values)
    body: tuple


@dataclass(eq=False)
class Program:
    name: str
    roles: tuple
    families: dict  # name: number of members
    defs: dict
    library: Optional["Program"] = None  # that it uses
    has_functions: bool = True  # its roles provide `must` and `frail`

    def all_roles(self):
        return tuple(name for role in self.roles for name in members(self, role))


def members(program, role):
    if role not in program.families:
        return (role,)
    return tuple("%s[%d]" % (role, i) for i in range(program.families[role]))


# ---- substitution of roles and functions, families ----


def rewrite(thing, roles, functions=None):
    """The same with other roles, and other functions for function parameters. Loops over families are done for each member."""
    if isinstance(thing, tuple):
        if thing and all(isinstance(one, str) for one in thing) and any(one in roles for one in thing):
            return tuple(new for one in thing for new in as_tuple(roles.get(one, one)))
        done = []
        for one in thing:
            if isinstance(one, Each):
                done += unroll(one, roles, functions)
            else:
                done.append(rewrite(one, roles, functions))
        return tuple(done)
    if isinstance(thing, str):
        new = roles.get(thing, thing)
        return new if isinstance(new, str) else thing
    if isinstance(thing, Call) and functions and thing.function in functions:
        name, given = functions[thing.function]
        changed = rewrite(replace(thing, function=name, roles=()), roles, functions)
        return replace(changed, roles=given)
    if hasattr(thing, "__dataclass_fields__"):
        return type(thing)(**{field.name: rewrite(getattr(thing, field.name), roles, functions) for field in fields(thing)})
    return thing


def as_tuple(role):
    return role if isinstance(role, tuple) else (role,)


def unroll(each, roles, functions):
    """for (w : W) { B } is B[W[0]/w] B[W[1]/w] ..., each in a scope; par (w : W) { B } is par { B[W[0]/w] } and ..."""
    bodies = [rewrite(each.body, dict(roles, **{each.var: name}), functions) for name in roles[each.family + "[*]"]]
    if each.is_par:
        return [Par(tuple(bodies))] if bodies else []
    return [Scope(body) for body in bodies]


def instantiate(program, name, roles, functions):
    """The definition with roles and functions in the places of its parameters."""
    library = program.library
    definition = program.defs[name] if "." not in name else library.defs[name.split(".")[1]]
    formal = definition.roles if "." not in name else library.roles + definition.roles
    table = dict(zip(formal, roles))
    for family in program.families:
        table[family + "[*]"] = members(program, family)
        table[family] = members(program, family)
    given = {param[0]: (function, there) for param, (function, there) in zip(definition.functions, functions)}
    return Def(name, roles, (), rewrite(definition.params, table), rewrite(definition.results, table),
               rewrite(definition.body, table, given))


# ---- as C ----


def at_text(roles):
    return roles[0] if len(roles) == 1 else "{%s}" % ", ".join(roles)


class Printer:
    """The text of a choreography. `line` numbers are those within it, from 0 on."""

    def __init__(self):
        self.lines, self.depth = [], 0

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def block(self, head, body, tail=None):
        self.put(head + " {")
        self.block_inside(body, "}" if tail is None else tail)

    def block_inside(self, body, tail="}"):
        self.depth += 1
        for statement in body:
            self.statement(statement)
        self.depth -= 1
        self.put(tail)

    def statement(self, node):
        getattr(self, "put_" + type(node).__name__.lower())(node)

    def put_raw(self, node):
        self.put(node.text)

    def put_step(self, node):
        self.put("%s.%s%s = %s;" % (at_text(node.at), "int " if node.declares else "", node.var, text_of(node.expr)))

    def put_deliver(self, node):
        kind = "int " if node.declares else ""
        patterns = [kind + p[1] if p[0] == "bind" else "_" if p[0] == "drop" else "(%s)" % text_of(p[1]) for p in node.patterns]
        values = [text_of(expr) for expr in node.exprs]
        sent = "(%s)" % values[0] if len(values) == 1 else "{%s}" % ", ".join(values)
        taken = patterns[0] if len(patterns) == 1 else "{%s}" % ", ".join(patterns)
        self.put("%s.%s ~> %s.%s;" % (node.frm, sent, at_text(node.to), taken))

    def put_agree(self, node):
        values = ", ".join("%s.(%s)" % (role, text_of(expr)) for role, expr in node.values)
        self.put("%s.%s = agree(%s);" % (at_text(node.at), node.var, values))

    def put_must(self, node):
        self.put("%s.must(%s);" % (node.role, text_of(node.expr)))

    def put_frail(self, node):
        self.put("%s.frail(%d, %d);" % (node.role, node.number, node.times))

    def put_choice(self, node):
        notify = "" if node.notify is None else " notify(%s)" % ", ".join(node.notify)
        head = "(%s.(%s))%s" % (at_text(node.at), text_of(node.expr), notify)
        if not node.is_switch:
            self.block("if " + head, node.branches[0], "} else {")
            self.lines.pop()
            self.block("} else", node.branches[1])
            return
        self.put("switch " + head + " {")
        for label, branch in zip(node.labels + (None,), node.branches):
            self.put("default:" if label is None else "case %d:" % label)
            self.depth += 1
            for statement in branch + (Break(),):
                self.statement(statement)
            self.depth -= 1
        self.put("}")

    def put_loop(self, node):
        condition = "" if node.expr is None else "%s.(%s)" % (at_text(node.at), text_of(node.expr))
        if node.kind == "do":
            self.block("do", node.body, "} while (%s);" % condition)
        elif node.kind == "while":
            self.block("while (%s)" % condition, node.body)
        elif node.kind == "for":
            init, step = node.init, node.step[0]
            self.block("for (%s.int %s = %s; %s; %s.%s = %s)" % (at_text(init.at), init.var, text_of(init.expr), condition,
                                                               at_text(step.at), step.var, text_of(step.expr)), node.body)
        elif len(node.body) == 1 and isinstance(node.body[0], Checkpoint) and node.body[0].is_round:
            self.put_rounds(node.body[0])
        else:
            self.block("for (;;)", node.body)

    def put_break(self, _):
        self.put("break;")

    def put_continue(self, _):
        self.put("continue;")

    def put_call(self, node):
        args = ["%s.(%s)" % (at_text(at), text_of(expr)) for at, expr in node.args]
        args += [name + ("[%s]" % ", ".join(roles) if roles else "") for name, roles in node.functions]
        call = "%s%s(%s);" % (node.function, "[%s]" % ", ".join(node.roles) if node.roles else "", ", ".join(args))
        results = ", ".join("%s.%s" % (at_text(at), var) for at, var in node.results)
        self.put("return " * node.is_returned + (results + " = ") * bool(results) + call)

    def put_return(self, node):
        self.put(("return " + ", ".join("%s.%s" % (at_text(at), "(%s)" % text_of(exprs[0]) if len(exprs) == 1
                                                  else "{%s}" % ", ".join(map(text_of, exprs)))
                                        for at, exprs in node.values)).strip() + ";")

    def put_checkpoint(self, node, loop=""):
        words = ["checkpoint"] + ["durable"] * node.is_durable + ["retry %d" % node.retry] * (node.retry > 0)
        body = node.body
        if loop.startswith("while"):
            body = node.body[0].branches[0]
        self.block(" ".join(words + [node.within] * bool(node.within) + [loop] * bool(loop)), body)
        if node.rescue is not None:
            self.lines.pop()
            self.block("} rescue" + " (fault)" * node.has_fault, node.rescue)

    def put_rounds(self, node):
        first = node.body[0]
        if isinstance(first, Choice) and first.is_round_condition:
            self.put_checkpoint(node, "while (%s.(%s))" % (at_text(first.at), text_of(first.expr)))
        else:
            self.put_checkpoint(node, "for (;;)")

    def put_par(self, node):
        self.block("par", node.arms[0])
        for arm in node.arms[1:]:
            self.lines.pop()
            self.block("} and", arm)

    def put_each(self, node):
        self.block("%s (%s : %s)" % ("par" if node.is_par else "for", node.var, node.family), node.body)

    def put_scope(self, node):
        self.put("{")
        self.block_inside(node.body)

    def put_def(self, node):
        params = ["%s.int %s" % (at_text(at), name) for at, name in node.params]
        params += ["%s(%s.int) -> %s.int" % (name, at_text(at), at_text(to)) for name, at, to in node.functions]
        results = ", ".join("%s.%s" % (at_text(at), "int" if count == 1 else "{%s}" % ", ".join(["int"] * count))
                            for at, count in node.results)
        roles = "[%s]" % ", ".join(node.roles) if node.roles else ""
        self.block("def %s%s(%s)%s" % (node.name, roles, ", ".join(params), " -> " + results if results else ""), node.body)

    def put_program(self, program):
        roles = ["%s[]" % role if role in program.families else role for role in program.roles]
        self.put("choreography(%s, (%s)," % (program.name, ", ".join(roles)))
        self.depth += 1
        if program.library is not None:
            self.put("use %s;" % program.library.name)
        for role in program.roles if program.has_functions else ():
            self.put("void %s.must(bool holds);" % role)
            self.put("void %s.frail(int number, int times);" % role)
        for definition in program.defs.values():
            self.put_def(definition)
        self.depth -= 1
        self.put(")")

