// home_reports.c: what lives say to the home, each a line of the table in docs/hosts-protocol.md, section 3.

#include "net/home/home_internal.h"

typedef struct {
    uint64_t session;
    uint16_t role;
    uint32_t life;
} Speaker;

static bool speaker_of(const WireFrame *frame, Speaker *speaker)
{
    switch (frame->kind) {
    case WIRE_ENTER:
        *speaker = (Speaker){frame->enter.session, frame->enter.role, frame->enter.life};
        return true;
    case WIRE_ARRIVE:
        *speaker = (Speaker){frame->arrive.session, frame->arrive.role, frame->arrive.life};
        return true;
    case WIRE_READY:
        *speaker = (Speaker){frame->ready.session, frame->ready.role, frame->ready.life};
        return true;
    case WIRE_FAIL:
        *speaker = (Speaker){frame->fail.session, frame->fail.role, frame->fail.life};
        return true;
    case WIRE_END:
        *speaker = (Speaker){frame->end.session, frame->end.role, frame->end.life};
        return true;
    case WIRE_CANCEL:
        *speaker = (Speaker){frame->cancel.session, frame->cancel.role, frame->cancel.life};
        return true;
    case WIRE_UNREACHED:
        *speaker = (Speaker){frame->unreached.session, frame->unreached.role, frame->unreached.life};
        return true;
    case WIRE_REFUSED:
        *speaker = (Speaker){frame->refused.session, frame->refused.role, frame->refused.life};
        return true;
    default:
        return false;
    }
}

void home_fence(Home *home, uint32_t node, unsigned role, uint32_t life)
{
    WireFenced fenced = {.session = home->options.session, .role = (uint16_t)role, .life = life};
    home_order_at(home, node, WIRE_FENCED, &fenced);
}

static HomeVerdict on_fail(Home *home, unsigned role, const WireFail *fail)
{
    WireList list = fail->fault;
    WireFault said;
    HomeFault fault = home_fault(role, CHX_FAULT_FAIL, (WireSpan){0});
    if (wire_next(&list, WIRE_ITEM_FAULT, &said)) {
        if (said.kind > CHX_FAULT_LOST)
            return HOME_VIOLATION;
        fault = home_fault(role, (chx_fault_kind)said.kind, said.why);
        fault.signal = said.signal;
        fault.line = said.line;
        home_copy_text(fault.file, sizeof fault.file, said.file);
    }
    HomeRole *of = &home->roles[role];
    uint32_t node = of->node, life = of->life;
    if (home_lost(home, role, &fault)) {
        home_try_begin(home, role, 0);
        // Its last word, unless its successor is there.
        if (of->state == HOME_ABSENT || of->node != node)
            home_fence(home, node, role, life);
    }
    return HOME_GOOD;
}

// Nothing is decided: the life has done nothing.
static HomeVerdict on_refused(Home *home, unsigned role)
{
    HomeRole *of = &home->roles[role];
    if (of->has_spoken)
        return HOME_VIOLATION;
    home_give_up(home, role);
    home_try_begin(home, role, of->node);
    home_end_if_all_have(home);
    return HOME_GOOD;
}

static HomeVerdict on_end(Home *home, unsigned role, const WireEnd *end)
{
    HomeRole *of = &home->roles[role];
    if (of->member.count > 0 || of->state != HOME_RUNNING)
        return HOME_VIOLATION;
    if (!home_copy(home, &of->result, end->result))
        return HOME_NO_MEMORY;
    HomeVerdict verdict = home_take_over(home, role, end->kept);
    if (verdict != HOME_GOOD) {
        home_drop(home, &of->result);
        return verdict;
    }
    of->state = HOME_ENDED;
    if (of->has_part || !session_is_broken(SESSION_BROKEN_NO_PART_LEFT))
        home->open--;
    WireEack eack = {.session = home->options.session, .role = (uint16_t)role, .life = of->life};
    // In a durable session it is acknowledged when the store has the outcome: until then the role may have to be played again.
    if (!home->options.is_durable || session_is_broken(SESSION_BROKEN_END_FIRST))
        home_order(home, role, WIRE_EACK, &eack);
    home_handed_drop(home, role);
    home_tell_life(home, role);
    home_release(home);
    home_end_if_all_have(home);
    return HOME_GOOD;
}

static HomeVerdict on_cancel(Home *home, unsigned role, const WireCancel *cancel)
{
    HomeFault fault = home_fault(role, CHX_FAULT_SYSTEM, cancel->why);
    home_finish(home, CHX_CANCELLED, &fault);
    return HOME_GOOD;
}

// Of the current life, which has begun and not ended.
static HomeVerdict take_report(Home *home, unsigned role, const WireFrame *frame)
{
    // Until READY, everything else is void (N8).
    HomeRole *of = &home->roles[role];
    bool is_void = of->state == HOME_AWAITED && !session_is_broken(SESSION_BROKEN_VOID_COUNTS);
    of->is_in_gap = false;
    switch (frame->kind) {
    case WIRE_ENTER:
        return is_void ? HOME_GOOD : home_on_enter(home, role, &frame->enter);
    case WIRE_ARRIVE:
        return is_void ? HOME_GOOD : home_on_arrive(home, role, &frame->arrive);
    case WIRE_READY:
        home_on_ready(home, role, frame->ready.epoch);
        return HOME_GOOD;
    case WIRE_FAIL:
        return on_fail(home, role, &frame->fail);
    case WIRE_END:
        return on_end(home, role, &frame->end);
    case WIRE_CANCEL:
        return on_cancel(home, role, &frame->cancel);
    case WIRE_REFUSED:
        return on_refused(home, role);
    case WIRE_UNREACHED:
        return home_on_unreached(home, role, &frame->unreached);
    default:
        return HOME_VIOLATION;
    }
}

static HomeVerdict hear(Home *home, uint32_t node, const WireFrame *frame)
{
    Speaker speaker;
    if (!speaker_of(frame, &speaker) || speaker.session != home->options.session ||
        speaker.role >= home->options.table->role_count)
        return HOME_VIOLATION;
    HomeRole *role = &home->roles[speaker.role];
    bool is_old = speaker.life < role->life && !session_is_broken(SESSION_BROKEN_OLD_REPORTS);
    if (speaker.life == 0 || speaker.life > role->begun)
        return HOME_VIOLATION;
    if (home->is_over && home->is_kept && home->cut.state != CUT_OVER)
        return HOME_GOOD; // it is told when the store has the outcome
    if (home->is_over) {
        home_say_stop(home, speaker.role, node, speaker.life);
        return HOME_GOOD;
    }
    if (is_old) {
        home_fence(home, node, speaker.role, speaker.life);
        return HOME_GOOD;
    }
    // It only wants to know whether it is heard.
    if (frame->kind == WIRE_READY && frame->ready.epoch == 0)
        return HOME_GOOD;
    bool is_its_node = role->node == node || session_is_broken(SESSION_BROKEN_OLD_REPORTS);
    // Who waits for the others may cancel as well.
    if (role->state == HOME_ENDED && is_its_node && frame->kind == WIRE_CANCEL)
        return on_cancel(home, speaker.role, &frame->cancel);
    if (!role_has_begun(role) || !is_its_node)
        return HOME_VIOLATION;
    HomeVerdict verdict = take_report(home, speaker.role, frame);
    if (verdict == HOME_GOOD && role->begun == speaker.life)
        role->has_spoken = true;
    return verdict;
}

HomeVerdict home_report(Home *home, uint32_t node, const WireFrame *frame, uint64_t now_ns)
{
    home->now_ns = now_ns;
    HomeVerdict verdict =
        frame->kind == WIRE_TAKEN ? home_handed_taken(home, node, &frame->taken) : hear(home, node, frame);
    home_settle(home);
    return verdict;
}
