"""No message is lost, repeated or overtaken: what was sent in an attempt that nobody abandoned is received, once, in
the order of its channel."""


def check(run):
    for session in run.sessions:
        received, latest = set(), {}
        for event in session.events:
            if event.kind not in ("receive", "told"):
                continue
            if event.flow in received:
                yield "%s: received twice" % event
            received.add(event.flow)
            channel = (event.peer, event.role, event.base)
            if event.sequence <= latest.get(channel, -1):
                yield "%s: message %d after %d" % (event, event.sequence, latest[channel])
            latest[channel] = event.sequence
        if not session.succeeded:
            continue
        attempts = session.final_attempts()
        for event in session.events:
            if event.kind in ("send", "tell") and event.flow not in received:
                if not session.is_abandoned(event.path, attempts):
                    yield "%s: never received by %s" % (event, event.peer)
