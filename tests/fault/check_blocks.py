"""Every participant goes through the same blocks with the same outcome, and nobody leaves before all are at the end."""

from reading import instance


def check(run):
    for session in run.sessions:
        yield from check_session(run, session)


def check_session(run, session):
    arrived, left, entered = {}, {}, {}
    for event in session.events:
        if event.kind in ("enter", "arrive", "leave"):
            name, participants = instance(event.path), run.blocks[event.site].participants
            if event.path[-1][0] != event.site or event.depth != len(event.path) - 1:
                yield "%s: %s is in another block" % (event, event.role)
            if event.role not in participants:
                yield "%s: not a participant" % event
        if event.kind == "enter":
            if event.role in entered.setdefault(name, set()):
                yield "%s: enters the same instance again" % event
            entered[name].add(event.role)
        elif event.kind == "arrive":
            arrived.setdefault(event.path, set()).add(event.role)
        elif event.kind == "leave":
            missing = participants - arrived.get(event.path, set())
            if missing:
                yield "%s: leaves in attempt %d before %s" % (event, event.attempt, ", ".join(sorted(missing)))
            if event.role in left.setdefault(name, {}):
                yield "%s: leaves twice" % event
            left[name][event.role] = event.path[-1][2]
    attempts = session.final_attempts()
    for name, roles in left.items():
        if len(set(roles.values())) > 1:
            yield "different outcomes of one block: %s" % sorted(roles.items())
    if not session.succeeded:
        return
    for name, roles in entered.items():
        if session.is_abandoned(name[:-1], attempts):
            continue
        participants = run.blocks[name[-1][0]].participants
        if roles != participants or set(left.get(name, {})) != participants:
            yield "block %s: entered by %s, left by %s, participants %s" % (
                name, sorted(roles), sorted(left.get(name, {})), sorted(participants))
