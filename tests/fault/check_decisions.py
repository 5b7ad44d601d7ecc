"""Every failure is taken up by the block that it belongs to, and every participant goes where that leads; without a
block the session ends, and for no other reason."""

from protocol import Protocol


def check(run):
    for session in run.sessions:
        yield from Protocol(run.blocks, session).play().complaints
