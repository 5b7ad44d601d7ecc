"""Each attempt starts with the variables that the role had when it entered the block."""

from reading import instance


def check(run):
    for session in run.sessions:
        at_entry = {}
        for event in session.events:
            if event.kind == "enter":
                at_entry[event.role, instance(event.path)] = event.digest
            elif event.kind in ("recover", "restart"):
                if at_entry.get((event.role, instance(event.path))) != event.digest:
                    yield "%s: other variables than at the entry" % event
