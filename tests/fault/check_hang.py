"""No hang: the program ends by itself, in good order, with no role left waiting for ever."""


def check(run):
    if run.status is None:
        yield "not finished after %d s" % run.limit_s
    elif run.status != 0:
        yield "exit status %d %s" % (run.status, run.stderr[-2000:])
    for line in run.stderr.splitlines():
        if "simulation:" in line or "internal error" in line or "CHECK" in line or "check failed" in line:
            yield line
    for session in run.sessions:
        if session.status is None:
            yield "session %d has no end" % session.number
