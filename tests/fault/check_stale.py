"""No message of an abandoned attempt is ever received: both ends of a message are in the same attempts of the same
blocks, and in the same epoch of their channel."""


def check(run):
    for session in run.sessions:
        sent = {event.flow: event for event in session.events if event.kind in ("send", "tell")}
        for event in session.events:
            if event.kind not in ("receive", "told"):
                continue
            origin = sent.get(event.flow)
            if origin is None:
                yield "%s: receives what nobody sent" % event
            elif origin.path != event.path:
                yield "%s: sent at %s, received at %s" % (event, origin.path, event.path)
            elif (origin.site, origin.epoch, origin.number < event.number) != (event.site, event.epoch, True):
                yield "%s: does not fit %s" % (event, origin)
