"""One mistake in a good program, at a random place: chorcc must say exactly one thing about it, and the right one."""

import re
import subprocess
from dataclasses import replace

from project import all_nodes
from syntax import Break, Checkpoint, Choice, Continue, Each, Loop, Printer, Raw, Return, Scope, Step, rewrite

# What is written instead of a good statement, and a part of what chorcc says. %(a)s and %(b)s are two roles, %(all)s is the set on
# whose `k` all roles agree, %(w)s is a family.
STATEMENTS = [
    ("%(a)s.x = zz + 1;", "has no variable 'zz'"),
    ("{ %(b)s.int only = 1; %(a)s.x = only; }", "'only' is %(b)s's, not %(a)s's|has no variable 'only'"),
    ("%(a)s.x = %(b)s.x;", "not %(a)s's"),
    ("Zed.x = 1;", "no role 'Zed'"),
    ("%(a)s.x ~> %(a)s.y;", "itself"),
    ("if ({%(a)s, %(b)s}.(x > 0)) { %(a)s.y = 1; }", "do not agree on 'x'"),
    ("{%(a)s, %(b)s}.int z9 = x;", "do not agree on 'x'"),
    ("%(all)s.k = rand();", "declared const or pure"),
    ("%(a)s.(k++);", "agrees with others on 'k'"),
    ("%(b)s.y = relay[%(a)s, %(b)s](%(b)s.x);", "wants %(a)s's int"),
    ("%(b)s.y = relay[%(a)s, %(b)s]();", "argument"),
    ("%(a)s.y = relay[%(a)s, %(b)s](%(a)s.x);", "no result at %(a)s"),
    ("relay[%(a)s, %(a)s](%(a)s.x);", "must be distinct"),
    ("%(b)s.y = relax[%(a)s, %(b)s](%(a)s.x);", "relax"),
    ("if (%(a)s.(x > 0)) notify() { %(b)s.y = 1; } else { %(b)s.y = 2; }", "'notify' leaves %(b)s out"),
    ("par { %(a)s.x = 1; } and { %(a)s.x = 2; }", "'x'"),
    ("par { return; } and { %(a)s.x = 2; }", "arm"),
    ("switch (%(a)s.x) { case 1: %(a)s.y = 1; default: break; }", "must end in 'break'"),
    ("%(a)s.(\"text\") ~> %(b)s.(7);", "can't be compared"),
    ("%(a)s.(\"text\") ~> %(b)s.int z9;", "incompatible pointer"),
    ("%(a)s.(stdout) ~> %(b)s._;", "can't be sent"),
    ("%(a)s.guess(x) ~> %(b)s.z9;", "can't be inferred"),
    ("{ %(a)s.const int c = 1; %(a)s.c = 2; }", "const"),
    ("{ %(a)s.int d = 1; %(a)s.int d = 2; }", "'d'"),
    ("checkpoint retry 2000000000 { %(a)s.x = 1; }", "retry"),
    ("if (%(a)s.x < 6) { %(a)s.y = 1; }", "in parentheses"),
    ("%(a)s.x -> %(b)s.y;", "'~>', not '->'"),
]
WITHOUT_FAMILIES = [("checkpoint { %(a)s.x = 1; checkpoint durable { %(a)s.x = 2; } }", "durable")]
WITH_FAMILIES = [("%(a)s.x ~> %(w)s[x].y;", "agree on 'x'|do not agree|has no variable"),
                 ("%(w)s[*].x ~> %(a)s.y;", "one role|'for'"),
                 ("%(w)s.x = 1;", "%(w)s")]


def inserted(body, chance, node):
    """The statements with one more, somewhere among them or inside of them."""
    inside = [i for i, one in enumerate(body) if isinstance(one, (Choice, Loop, Checkpoint, Scope)) or
              (isinstance(one, Each) and not one.is_par)]
    if inside and chance.random() < 0.6:
        place = chance.choice(inside)
        return body[:place] + (inserted_inside(body[place], chance, node),) + body[place + 1:]
    first = max([i + 1 for i, one in enumerate(body) if isinstance(one, Step) and one.declares], default=0)
    last = len(body) - bool(body and (isinstance(body[-1], (Break, Continue, Return)) or getattr(body[-1], "is_returned", False)))
    place = chance.randint(min(first, last), last)
    return body[:place] + (node,) + body[place:]


def inserted_inside(statement, chance, node):
    if isinstance(statement, Choice):
        which = 0 if statement.is_round_condition else chance.randrange(len(statement.branches))
        branches = list(statement.branches)
        branches[which] = inserted(branches[which], chance, node)
        return replace(statement, branches=tuple(branches))
    if isinstance(statement, Checkpoint) and statement.is_round:
        return replace(statement, body=(inserted_inside(statement.body[0], chance, node),))
    if isinstance(statement, Checkpoint) and statement.rescue is not None and chance.random() < 0.3:
        return replace(statement, rescue=inserted(statement.rescue, chance, node))
    if isinstance(statement, Loop) and isinstance(statement.body[0], Checkpoint) and statement.body[0].is_round:
        return replace(statement, body=(inserted_inside(statement.body[0], chance, node),))
    return replace(statement, body=inserted(statement.body, chance, node))


def mistaken(program, chance, number):
    """A program with the mistake of this number, and what chorcc must say of it."""
    run = program.defs["run"]
    kinds = STATEMENTS + (WITH_FAMILIES if program.families else WITHOUT_FAMILIES)
    special = [without_return, shorter_return, stray_break, shorter_notify]
    number %= len(kinds) + len(special)
    if number < len(special):
        body, text = special[number](run, chance)
    else:
        roles = [role for role in program.roles if role not in program.families]
        a, b = chance.sample(roles, 2)
        names = {"a": a, "b": b, "all": "{%s}" % ", ".join(roles), "w": next(iter(program.families), "")}
        raw, text = kinds[number - len(special)]
        body, text = inserted(run.body, chance, Raw(raw % names)), text % names
    return replace(program, defs={**program.defs, "run": replace(run, body=body)}), text


def without_return(run, _chance):
    return run.body[:-1], "without its result"


def shorter_return(run, chance):
    values = list(run.body[-1].values)
    values.pop(chance.randrange(len(values)))
    return run.body[:-1] + (Return(tuple(values)),), "result|value"


def shorter_notify(run, chance):
    """Somebody who must know is left out; where nobody must, there is another mistake."""
    run = rewrite(run, {}) if not any(isinstance(one, Each) for one in all_nodes(run.body)) else run
    choices = [one for one in all_nodes(run.body) if isinstance(one, Choice) and one.notify]
    if not choices:
        return stray_break(run, chance)
    choice = chance.choice(choices)
    who = chance.choice(choice.notify)
    choice.notify = tuple(role for role in choice.notify if role != who)
    return run.body, "'notify' leaves %s out" % who


def stray_break(run, chance):
    place = chance.randint(len([one for one in run.body if isinstance(one, Step) and one.declares]), len(run.body) - 1)
    return run.body[:place] + (Raw("break;"),) + run.body[place:], "'break'"


def check(chorcc, source, program, text, head):
    """What is wrong with what chorcc says; None: nothing."""
    printer = Printer()
    if program.library is not None:
        printer.put_program(program.library)
    printer.put_program(program)
    with open(source, "w", encoding="utf-8") as file:
        file.write(head + "\n".join(printer.lines) + "\n")
    result = subprocess.run([chorcc, "-w", "--emit", source], capture_output=True, text=True, check=False)
    said = re.findall(r"^[^ \n]*?:\d+:\d+: error: (.*)$", result.stderr, re.M)
    if len(said) == 1 and any(part in said[0] for part in text.split("|")):
        return None
    return "chorcc says %s instead of one error with %r" % (said, text)
