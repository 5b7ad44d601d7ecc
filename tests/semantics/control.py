"""The rules of control, which are the same for a whole choreography and for one role's part of it (docs/semantics.md, section 3).

A Machine has frames, one for each call that is under way; a frame has variables and a stack of what is left to do. What the
kinds of statements do that concern several roles is said by whoever inherits from Machine: whole.py, local.py.
"""

from dataclasses import dataclass
from typing import Any, Optional

from syntax import Break, Call, Checkpoint, Choice, Continue, Loop, Par, Return, Scope


class Failure(Exception):
    """A role has failed."""

    def __init__(self, role, kind):
        super().__init__(role, kind)
        self.role, self.kind = role, kind


# What is left to do: ("seq", statements, next), ("body", loop), ("test", loop), ("block", checkpoint, what is known of it),
# ("par", ...).


@dataclass
class Frame:
    env: Any
    stack: list
    instance: Any
    call: Optional[Any] = None  # of the frame below, which began this one
    jump: Optional[tuple] = None  # ("break",), ("continue",) or ("return", values): on its way out


class Machine:
    def __init__(self, env, body, instance):
        self.frames = [Frame(env, [("seq", body, 0)], instance)]
        self.result, self.is_over = None, False

    @property
    def frame(self):
        return self.frames[-1]

    def push(self, body):
        self.frame.stack.append(("seq", body, 0))

    def step(self):
        """One step. False: the machine waits, and nothing was done."""
        frame = self.frame
        if frame.jump is not None:
            return self.c_jump(frame)
        if not frame.stack:
            return self.c_end(frame)
        entry = frame.stack[-1]
        if entry[0] == "seq":
            return self.c_seq(frame, entry)
        if entry[0] == "body":
            return self.c_again(frame, entry)
        if entry[0] == "test":
            return self.rule("Test")(frame, entry[1])
        if entry[0] == "block":
            return self.rule("Leave")(frame, entry, False)
        return self.rule("Join")(frame, entry)

    def c_seq(self, frame, entry):
        """C-Seq: the statements of a list come one after the other."""
        _, body, place = entry
        if place == len(body):
            frame.stack.pop()
            return True
        node = body[place]
        if not self.can_do(node):
            return False
        frame.stack[-1] = ("seq", body, place + 1)
        if isinstance(node, (Break, Continue)):
            frame.jump = ("break",) if isinstance(node, Break) else ("continue",)
        elif isinstance(node, Scope):
            self.push(node.body)
        else:
            self.do(node)
        return True

    def c_loop(self, node):
        """C-Loop: a `do` begins with its body, other loops with their condition."""
        self.frame.stack.append(("body" if node.kind == "do" else "test", node))
        if node.kind == "do":
            self.push(node.body)

    def c_again(self, frame, entry):
        """C-Again: the end of the body leads to the step, and to the condition."""
        frame.stack[-1] = ("test", entry[1])
        self.push(entry[1].step)
        return True

    def c_round(self, node, goes_on):
        """C-Round, C-Out: the condition has been found true, or false."""
        if goes_on:
            self.frame.stack[-1] = ("body", node)
            self.push(node.body)
        else:
            self.frame.stack.pop()
        return True

    def c_jump(self, frame):
        """C-Jump: a jump leaves what it stands in, one thing after the other. Blocks are left as at their end."""
        if not frame.stack:
            return self.c_return(frame, frame.jump[1])
        entry = frame.stack[-1]
        if entry[0] == "block":
            return self.rule("Leave")(frame, entry, True)
        if entry[0] == "body" and frame.jump[0] != "return":
            is_break, frame.jump = frame.jump == ("break",), None
            if is_break:
                frame.stack.pop()
            return True
        frame.stack.pop()
        return True

    def c_call(self, node, instance, env):
        """C-Call: the callee begins, with the arguments as its variables."""
        self.frames.append(Frame(env, [("seq", self.body_of(instance), 0)], instance, node))

    def c_end(self, frame):
        return self.c_return(frame, None)

    def c_return(self, frame, values):
        """C-Return: the results go to the caller's variables, or are those of the whole."""
        self.frames.pop()
        if not self.frames:
            self.result, self.is_over = values, True
        else:
            self.bind_results(frame.call, values)
        return True

    def do(self, node):
        """The rule for the statement: G-Step, L-Send, ..."""
        self.rule(type(node).__name__)(node)

    def rule(self, name):
        return getattr(self, self.RULES[name])

    def can_do(self, node):
        return True


__all__ = ["Break", "Call", "Checkpoint", "Choice", "Continue", "Failure", "Frame", "Loop", "Machine", "Par", "Return", "Scope"]
