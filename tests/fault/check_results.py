"""The results are those of the sequential program in which the same blocks fail equally often."""

from protocol import Protocol
from reading import ARM


def outcomes(run):
    """What outcomes.c reads: the blocks that did not succeed at once, by sites, which are the same in both programs."""
    words = []
    for session in run.sessions:
        protocol, attempts = Protocol(run.blocks, session).play(), session.final_attempts()
        for name, attempt in attempts.items():
            if attempt == 0 or session.is_abandoned(name[:-1], attempts):
                continue
            places = ["%d.%d.%d" % (site, ordinal, outer) for site, ordinal, outer in name[:-1] if site != ARM]
            places.append("%d.%d" % name[-1][:2])
            culprit = protocol.culprits.get(name)
            role = session.roles.index(culprit) if culprit else 0
            words.append("%d:%s=%d@%d" % (session.number, "/".join(places), attempt, role))
    return " ".join(sorted(words))


def check(run):
    lines = run.stdout.splitlines()
    if run.always is not None:
        if lines != [run.always] and (lines != ["failed"] or not run.may_fail):
            yield "prints %s instead of %s" % (lines, run.always)
        return
    if not run.compares_results or all(line == "failed" for line in lines):
        return
    wanted = outcomes(run)
    expected = run.central(wanted).splitlines()
    if len(lines) != len(expected) or any(a != b for a, b in zip(lines, expected) if a != "failed"):
        yield "prints %s, the sequential program with %s prints %s" % (lines, wanted or "no failures", expected)
