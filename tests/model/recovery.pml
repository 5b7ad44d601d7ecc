/* recovery.pml: how roles recover: a small choreography, every interleaving, failures anywhere.

   tables.pml is what `chorcc --dump=model` prints for the choreography. A role runs its operations and tells the
   monitor when it enters a block (ENTER), stands at its end (ARRIVE), is back at the start of one (READY) or has failed
   (FAIL). The monitor answers with RECOVER, START and GO. Without SHARED these are messages on links that keep their
   order; with SHARED (roles in one process) a role does the monitor's part itself, in one step, and only its answers
   to the others take time.

   Asserted: a message is taken by the receive that it was sent for, in the same attempts of all blocks around; all
   leave a block in the same attempt; a failure is charged to a block that the role is in; when nothing moves any more,
   all roles are done and nothing is left unread, or the session has failed for want of a block.

   -DNC=2 failures, -DND=1 deadlines (of blocks with `within` that have an attempt left), at most; NC + ND <= 4.
   -DTRACE: prints what the monitor is told (E), what it does (X) and where it believes the roles to be (S), for
   tests/model/replay. -DK=2 messages in a channel. -DHOSTLOSS: reports that are on their way can be lost with the role.

   Wrong protocols, each with an error in some choreography:
   V_NOEPOCH      a receiver takes whatever comes
   V_SESSEPOCH    one epoch for the session: messages of roles outside the block are dropped
   V_STATICNAME   a block in a new attempt of the one around it has the same name
   V_COUNTNAME    a role names blocks by counting all that it has entered
   V_NOATT        arrivals survive the attempt
   V_NOPEND       reports count even if they come from an attempt that is over
   V_EAGER        a role goes on without waiting for START
   V_NOMARKS      a new instance doesn't learn of recoveries in blocks that it will enter
   V_INLOST       messages to a role are lost with it
   V_OUTLOST      messages of a role are lost with it
   V_SENDBLOCK    a role that waits for room in a channel can't be called back
   V_FORGETEXIT   a block stays a role's position after everybody has arrived
   V_NOIDEM       a RECOVER that was already seen on entering is obeyed again
   V_LATERESCUE   who comes late goes to the rescue although the block is tried again
   V_CHARGETWICE  a failure in an attempt that is over is charged to the new one
   V_ROUNDGAP     a round is over for all before they have entered the next one
   V_OLDROUND     who fails in a round begins it with what was saved for the one before
   V_ROUNDARRIVED arrivals at the end of a round count for the next one
   V_RESCUEONCE   a failure in the rescue of a round is one too many */

#include "tables.pml"

#ifndef NC
#define NC 1
#endif
#ifndef ND
#define ND 0
#endif
#ifndef K
#define K 2
#endif

#ifdef TRACE
#define TELL(...) printf(__VA_ARGS__)
hidden byte told;
#define MAY_FAIL(r) (actor[r].depth > 0) /* a random walk that fails at once shows nothing */
#define TELL_VIEWS \
    told = 0; \
    do \
    :: told < ROLES -> \
        printf("S %d %d %d %d\n", told, view[told].depth, view[told].awaited, \
               (view[told].depth > 0 -> view[told].frame[view[told].depth - 1].attempt : 0)); \
        told++ \
    :: else -> break \
    od
#else
#define TELL(...) skip
#define TELL_VIEWS skip
#define MAY_FAIL(r) true
#endif

#define RECORDS (BLOCKS + 1)
#define MARKS (BLOCKS + 1)

#define ENTER 1   /* name, attempt, block */
#define ARRIVE 2  /* name, attempt, and the block of the next round + 1, or 0 */
#define READY 3   /* epoch */
#define FAIL 4
#define RECOVER 5 /* name, attempt, epoch */
#define GO 6      /* name, attempt, and the block of the next round + 1, or 0 */
#define START 7   /* epoch */

chan up[ROLES] = [4] of {byte, int, byte, byte};
chan down[ROLES] = [8] of {byte, int, byte, byte};

/* From one role to another: epoch, position, attempts of the blocks around, outcome of a choice. The second and third
   are for assertions only. */
chan data[ROLES * ROLES] = [K] of {byte, byte, byte, byte};
#define BETWEEN(from, to) ((from) * ROLES + (to))

typedef Frame {
    int name;
    byte block;
    byte attempt
};

/* A recovery of a block that the role has not reached yet. */
typedef Mark {
    int name;
    byte attempt;
    byte epoch
};

typedef Counts {
    byte block[FIXED_BLOCKS]
};

typedef Actor {
    byte pc;
    byte depth;
    Frame frame[DEPTH];
    Counts entered[DEPTH + 1]; /* per depth: how often each block, in this attempt of the block around */
    Mark mark[MARKS];
    byte held;                 /* the epoch whose START it waits for */
    bit alive;
    bit done;
    bit arrived
};
Actor actor[ROLES];
byte sends[ROLES * ROLES]; /* epoch at the sender's end of a channel */
byte takes[ROLES * ROLES]; /* and at the receiver's */

/* The monitor: blocks that are not over, and where it believes each role to be. */
typedef Record {
    int name;
    byte block;
    byte attempt;
    byte epoch;
    byte arrived;
    byte next /* for an assertion only: what those who have arrived go on with */
};
typedef View {
    byte depth;
    Frame frame[DEPTH];
    byte awaited /* the epoch whose READY is still to come; everything else from the role is void until then */
};
Record record[RECORDS];
View view[ROLES];
byte epoch;

byte failures;
byte deadlines;
bit over;                     /* the session has failed, or the bound of the exploration is reached */
byte agreed[AGREED];          /* outcome + 1 of choices on agreed values */
#ifdef V_COUNTNAME
byte counted[ROLES];
#endif
#if DEPTH > 2
#define PATHS 16
#elif DEPTH > 1
#define PATHS 4
#else
#define PATHS 1
#endif
byte way_out[BLOCKS * PATHS]; /* attempt + 1 in which a block was left, by the attempts around it */

/* Only used within one step. */
hidden byte kind, attempt, number, block, i, j, x, path, level, at_epoch, at_position, at_path, outcome;
hidden int name, other;
hidden byte found;

/* A name is made of the name of the block around, its attempt, the block in the source, and how often that was entered
   there. */
#define NAMES (FIXED_BLOCKS * ENTRIES)
#define PARENT(name) (((name) - 1) / (4 * NAMES))

#define MEMBER(r, b) ((MEMBERS[b] >> (r)) & 1)
#define TOP(r) actor[r].frame[actor[r].depth - 1]
#define START_OF(r, b, a) ((a) <= RETRY[b] -> BODY[(r) * BLOCKS + (b)] : RESCUE[(r) * BLOCKS + (b)])
#ifdef V_RESCUEONCE
#define LAST_OF(b) (ROUND[b] && LAST[b] > RETRY[b] -> RETRY[b] + 1 : LAST[b])
#else
#define LAST_OF(b) LAST[b]
#endif
#ifdef V_LATERESCUE
#define START_LATE(r, b, a) ((a) == 0 -> BODY[(r) * BLOCKS + (b)] : RESCUE[(r) * BLOCKS + (b)])
#else
#define START_LATE(r, b, a) START_OF(r, b, a)
#endif

#define AT(r) ((r) * OPS + actor[r].pc)
#define RUNS(r) (actor[r].alive && !over && actor[r].held == 0)
#define OUT(r) data[BETWEEN(r, ARG[AT(r)])]
#define IN(r) data[BETWEEN(ARG[AT(r)], r)]
#define TAKES(r) takes[BETWEEN(ARG[AT(r)], r)]
#define BETWEEN_ROUNDS(r) (actor[r].arrived && OP[AT(r)] == OP_RENEW) /* but the next one may have begun */
#define RECEIVES(r) (OP[AT(r)] == OP_RECEIVE || OP[AT(r)] == OP_TOLD || OP[AT(r)] == OP_PEEK)

#ifdef V_NOEPOCH
#define OLD(r) false
#define CURRENT(r) nempty(IN(r))
#else
#define OLDER(r, e) (TAKES(r) > e && IN(r)?[e, _, _, _])
#define OLD(r) (OLDER(r, 0) || OLDER(r, 1) || OLDER(r, 2) || OLDER(r, 3))
#define CURRENT(r) IN(r)?[eval(TAKES(r)), _, _, _]
#endif

#ifdef V_SENDBLOCK
#define LISTENS(r) (OP[AT(r)] != OP_SEND || nfull(OUT(r)))
#else
#define LISTENS(r) true
#endif

/* ---- what both sides need ---- */

inline find_record(sought) {
    x = 0;
    do
    :: x < RECORDS && record[x].name != sought -> x++
    :: else -> break
    od
}

inline clear_record(y) {
    record[y].name = 0; record[y].block = 0; record[y].attempt = 0; record[y].epoch = 0; record[y].arrived = 0;
    record[y].next = 0
}

#define CLEAR_FRAME(f) f.name = 0; f.block = 0; f.attempt = 0
#define CLEAR_MARK(m) m.name = 0; m.attempt = 0; m.epoch = 0

/* found: is the block called `inner` inside the one called `outer`? Names grow inwards. */
inline is_inside(inner, outer) {
    other = inner;
    do
    :: other > outer -> other = PARENT(other)
    :: else -> break
    od;
    found = (inner != outer && other == outer)
}

inline clear_counts(r, from) {
    level = from;
    do
    :: level <= DEPTH ->
        j = 0;
        do
        :: j < FIXED_BLOCKS -> actor[r].entered[level].block[j] = 0; j++
        :: else -> break
        od;
        level++
    :: else -> break
    od
}

/* Both ends of a channel start anew, but only between participants of the block. */
inline reset_channels(r, scope, fresh) {
    j = 0;
    do
    :: j < ROLES ->
        if
#ifdef V_SESSEPOCH
        :: j != r ->
#else
        :: j != r && MEMBER(j, scope) ->
#endif
            /* A block can have been decided about while two roles, on their way to it, recovered from another failure:
               then their channels are ahead, at both ends. */
            if
            :: sends[BETWEEN(r, j)] < fresh -> sends[BETWEEN(r, j)] = fresh
            :: else
            fi;
            if
            :: takes[BETWEEN(j, r)] < fresh -> takes[BETWEEN(j, r)] = fresh
            :: else
            fi
        :: else
        fi;
        j++
    :: else -> break
    od
}

/* path: the attempts of the first `count` blocks that r is in. */
inline find_path(r, count) {
    path = 0;
    j = 0;
    do
    :: j < count -> path = path * 4 + actor[r].frame[j].attempt + 1; j++
    :: else -> break
    od
}

/* ---- the monitor ---- */

/* If role q is in the block of record x, its position is the block's start from now on. */
inline call_back(q, r) {
    j = 0;
    do
    :: j < view[q].depth && view[q].frame[j].name != record[x].name -> j++
    :: else -> break
    od;
    if
    :: j < view[q].depth ->
        level = j + 1;
        do
        :: level < view[q].depth -> CLEAR_FRAME(view[q].frame[level]); level++
        :: else -> break
        od;
        view[q].depth = j + 1;
        view[q].frame[j].attempt = record[x].attempt;
        if
#ifndef V_NOPEND
        :: q != r -> view[q].awaited = epoch
#endif
        :: else
        fi
    :: else
    fi
}

/* The block of record x goes to its next attempt; r is the failed role, or ROLES for a deadline. */
inline decide(r) {
    record[x].attempt++;
    epoch++;
    record[x].epoch = epoch;
    TELL("X decide %d %d\n", record[x].attempt, epoch);
#ifndef V_NOATT
    record[x].arrived = 0;
#endif
    i = 0;
    do
    :: i < RECORDS ->
        is_inside(record[i].name, record[x].name);
        if
        :: found -> clear_record(i)
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < ROLES && MEMBER(i, record[x].block) ->
        call_back(i, r);
        if
        :: i != r -> TELL("X recover %d\n", i); down[i]!RECOVER, record[x].name, record[x].attempt, epoch
        :: else
        fi;
        i++
    :: i < ROLES && !MEMBER(i, record[x].block) -> i++
    :: else -> break
    od
}

inline restore_marks(r) {
    i = 0;
    do
    :: i < MARKS -> CLEAR_MARK(actor[r].mark[i]); i++
    :: else -> break
    od;
#ifndef V_NOMARKS
    i = 0;
    level = 0;
    do
    :: i < RECORDS && record[i].epoch != 0 && MEMBER(r, record[i].block) ->
        j = 0;
        do
        :: j < view[r].depth && view[r].frame[j].name != record[i].name -> j++
        :: else -> break
        od;
        if
        :: j == view[r].depth ->
            assert(level < MARKS);
            actor[r].mark[level].name = record[i].name;
            actor[r].mark[level].attempt = record[i].attempt;
            actor[r].mark[level].epoch = record[i].epoch;
            level++
        :: else
        fi;
        i++
    :: i < RECORDS && !(record[i].epoch != 0 && MEMBER(r, record[i].block)) -> i++
    :: else -> break
    od
#endif
}

/* A new instance of r, at the start of the innermost block that the monitor believes it in. */
inline restart(r) {
    TELL("X restart %d\n", r);
    do
    :: nempty(down[r]) -> down[r]?_, _, _, _
    :: empty(down[r]) -> break
    od;
    do
    :: nempty(up[r]) -> up[r]?_, _, _, _
    :: empty(up[r]) -> break
    od;
    i = 0;
    do
    :: i < view[r].depth ->
        actor[r].frame[i].name = view[r].frame[i].name;
        actor[r].frame[i].block = view[r].frame[i].block;
        actor[r].frame[i].attempt = view[r].frame[i].attempt;
        actor[r].entered[i].block[FIXED[view[r].frame[i].block]] = (view[r].frame[i].name - 1) % ENTRIES + 1;
        i++
    :: i >= view[r].depth && i < DEPTH -> CLEAR_FRAME(actor[r].frame[i]); i++
    :: else -> break
    od;
    actor[r].depth = view[r].depth;
    actor[r].arrived = 0;
    actor[r].held = 0;
    view[r].awaited = 0;
    clear_counts(r, actor[r].depth);
    assert(actor[r].depth > 0);
    find_record(TOP(r).name);
    assert(x < RECORDS);
    actor[r].pc = START_OF(r, TOP(r).block, TOP(r).attempt);
    reset_channels(r, TOP(r).block, record[x].epoch);
    restore_marks(r);
    actor[r].alive = 1
}

/* Reports of role r: what they say is in name, attempt and number. */
inline on_enter(r) {
    TELL("E enter %d %d %d %d\n", r, name, attempt, number);
    if
    :: view[r].awaited == 0 ->
        find_record(name);
        if
        :: x == RECORDS ->
            find_record(0);
            assert(x < RECORDS);
            record[x].name = name;
            record[x].block = number
        :: else -> assert(record[x].block == number)
        fi;
        assert(view[r].depth < DEPTH);
        view[r].frame[view[r].depth].name = name;
        view[r].frame[view[r].depth].block = number;
        view[r].frame[view[r].depth].attempt = record[x].attempt;
        view[r].depth++;
        if
#ifndef V_NOPEND
        :: attempt < record[x].attempt -> view[r].awaited = record[x].epoch
#endif
        :: else
        fi
    :: else
    fi;
    TELL_VIEWS
}

/* Over in this moment: from here on a failure of a participant belongs to the block around. */
inline finish_block() {
    i = 0;
    do
    :: i < ROLES && MEMBER(i, record[x].block) ->
        TELL("X go %d\n", i);
        down[i]!GO, name, record[x].attempt, 0;
#ifndef V_FORGETEXIT
        assert(view[i].depth > 0);
        view[i].depth--;
        CLEAR_FRAME(view[i].frame[view[i].depth]);
#endif
        i++
    :: i < ROLES && !MEMBER(i, record[x].block) -> i++
    :: else -> break
    od;
#ifndef V_FORGETEXIT
    clear_record(x)
#endif
}

/* All have arrived at the end of a round: in this moment they are in the next one, with what each brought along. */
inline renew_block() {
    assert((record[x].name - 1) % ENTRIES + 1 < ENTRIES);
#ifndef V_ROUNDGAP
    record[x].name++;
    record[x].block = number - 1;
#endif
    at_path = record[x].attempt;
    record[x].attempt = 0;
    record[x].epoch = 0;
#ifndef V_ROUNDARRIVED
    record[x].arrived = 0;
    record[x].next = 0;
#endif
    i = 0;
    do
    :: i < ROLES && MEMBER(i, record[x].block) ->
        TELL("X go %d\n", i);
        down[i]!GO, name, at_path, number;
        assert(view[i].depth > 0);
#ifdef V_ROUNDGAP
        view[i].depth--;
        CLEAR_FRAME(view[i].frame[view[i].depth]);
#else
        view[i].frame[view[i].depth - 1].name = record[x].name;
#ifndef V_OLDROUND
        view[i].frame[view[i].depth - 1].block = record[x].block;
#endif
        view[i].frame[view[i].depth - 1].attempt = 0;
#endif
        i++
    :: i < ROLES && !MEMBER(i, record[x].block) -> i++
    :: else -> break
    od;
#ifdef V_ROUNDGAP
    clear_record(x);
#endif
    at_path = 0
}

inline on_arrive(r) {
    TELL("E arrive %d %d %d %d\n", r, name, attempt, number);
    find_record(name);
    if
#ifdef V_NOATT
    :: x == RECORDS
#else
    :: view[r].awaited != 0 || x == RECORDS || record[x].attempt != attempt
#endif
    :: else ->
        assert(record[x].arrived == 0 || record[x].next == number);
        record[x].next = number;
        record[x].arrived = record[x].arrived | (1 << r);
        if
        :: record[x].arrived == MEMBERS[record[x].block] && number == 0 -> finish_block()
        :: record[x].arrived == MEMBERS[record[x].block] && number != 0 -> renew_block()
        :: else
        fi
    fi;
    TELL_VIEWS
}

inline on_ready(r) {
    TELL("E ready %d %d\n", r, attempt);
    if
    :: view[r].awaited == attempt && attempt != 0 ->
        TELL("X start %d\n", r);
        view[r].awaited = 0;
        down[r]!START, 0, attempt, 0
    :: else
    fi;
    TELL_VIEWS
}

inline check_no_block_left(r) {
    i = 0;
    do
    :: i < actor[r].depth ->
        find_record(actor[r].frame[i].name);
        assert(x == RECORDS || actor[r].frame[i].attempt >= LAST[actor[r].frame[i].block]);
        /* There is no moment between two rounds. */
        assert(!ROUND[actor[r].frame[i].block] || actor[r].frame[i].attempt >= LAST[actor[r].frame[i].block] ||
               (i + 1 == actor[r].depth && OP[AT(r)] == OP_ARRIVE));
        i++
    :: else -> break
    od
}

inline on_fail(r) {
    TELL("E fail %d\n", r);
    if
#ifndef V_CHARGETWICE
    :: view[r].awaited != 0 -> restart(r) /* it failed in an attempt that is over */
#endif
    :: else ->
        level = view[r].depth;
        found = 0;
        do
        :: level > 0 && !found ->
            level--;
            found = (view[r].frame[level].attempt < LAST_OF(view[r].frame[level].block))
        :: else -> break
        od;
        if
        :: found ->
            find_record(view[r].frame[level].name);
            assert(x < RECORDS);
#ifndef HOSTLOSS
            assert(level < actor[r].depth);
            assert((actor[r].frame[level].name == record[x].name &&
                    actor[r].frame[level].attempt == record[x].attempt) ||
                   (BETWEEN_ROUNDS(r) && level + 1 == actor[r].depth && record[x].attempt == 0 &&
                    actor[r].frame[level].name + 1 == record[x].name));
#endif
            decide(r);
            restart(r)
        :: else ->
            TELL("X over\n");
            over = 1;
#ifndef HOSTLOSS
            check_no_block_left(r)
#endif
        fi
    fi;
    TELL_VIEWS
}

#ifdef SHARED
#define CAN_REPORT(r) true
#define REPORT_ENTER(r, n, a, b) name = n; attempt = a; number = b; on_enter(r)
#define REPORT_ARRIVE(r, n, a, b) name = n; attempt = a; number = b; on_arrive(r)
#define REPORT_READY(r, e) attempt = e; on_ready(r)
#define REPORT_FAIL(r) on_fail(r)
#else
#define CAN_REPORT(r) nfull(up[r])
#define REPORT_ENTER(r, n, a, b) up[r]!ENTER, n, a, b
#define REPORT_ARRIVE(r, n, a, b) up[r]!ARRIVE, n, a, b
#define REPORT_READY(r, e) up[r]!READY, 0, e, 0
#define REPORT_FAIL(r) up[r]!FAIL, 0, 0, 0

/* The monitor's end of one link. */
proctype Monitor(byte r) {
end:
    do
    :: d_step {
        !over && nempty(up[r]) ->
        up[r]?kind, name, attempt, number;
        if
        :: kind == ENTER -> on_enter(r)
        :: kind == ARRIVE -> on_arrive(r)
        :: kind == READY -> on_ready(r)
        :: kind == FAIL -> on_fail(r)
        fi
        }
    od
}
#endif

#if ND > 0
#define EXPIRES(y) (!over && deadlines < ND && record[y].name != 0 && WITHIN[record[y].block] && \
                    record[y].attempt < LAST[record[y].block])

proctype Deadline(byte y) {
end:
    do
    :: d_step { EXPIRES(y) -> TELL("E expire %d\n", record[y].name); x = y; decide(ROLES); deadlines++; TELL_VIEWS }
    od
}
#endif

/* ---- a role ---- */

inline lose(r, inbound) {
    i = 0;
    do
    :: i < ROLES ->
        j = (inbound -> BETWEEN(i, r) : BETWEEN(r, i));
        do
        :: nempty(data[j]) -> data[j]?_, _, _, _
        :: empty(data[j]) -> break
        od;
        i++
    :: else -> break
    od
}

inline fail(r) {
    failures++;
    actor[r].alive = 0;
#ifdef V_INLOST
    lose(r, true);
#endif
#ifdef V_OUTLOST
    lose(r, false);
#endif
    REPORT_FAIL(r)
}

inline send(r) {
    find_path(r, actor[r].depth);
    OUT(r)!sends[BETWEEN(r, ARG[AT(r)])], POSITION[AT(r)], path, VALUE[AT(r)];
    actor[r].pc = NEXT[AT(r)]
}

inline receive(r) {
    IN(r)?at_epoch, at_position, at_path, outcome;
    find_path(r, actor[r].depth);
    assert(at_position == POSITION[AT(r)]);
    assert(at_path == path);
    if
    :: OP[AT(r)] == OP_TOLD -> actor[r].pc = WAY[NEXT[AT(r)] + outcome]
    :: else -> actor[r].pc = NEXT[AT(r)]
    fi
}

inline peek(r) {
    IN(r)?<at_epoch, at_position, at_path, outcome>;
    find_path(r, actor[r].depth);
    assert(at_path == path);
    if
    :: SITE[at_position] == VALUE[AT(r)] -> actor[r].pc = NEXT[AT(r)]
    :: else -> actor[r].pc++
    fi
}

inline enter(r) {
    block = ARG[AT(r)];
    j = FIXED[block];
#if defined(V_STATICNAME)
    other = (actor[r].depth > 0 -> TOP(r).name * 4 : 0) * NAMES + j * ENTRIES + 1;
#elif defined(V_COUNTNAME)
    counted[r]++;
    other = counted[r];
#else
    assert(actor[r].entered[actor[r].depth].block[j] < ENTRIES);
    other = (actor[r].depth > 0 -> TOP(r).name * 4 + TOP(r).attempt : 0) * NAMES + j * ENTRIES +
            actor[r].entered[actor[r].depth].block[j] + 1;
#endif
    actor[r].entered[actor[r].depth].block[j]++;
    at_epoch = 0;
    level = 0; /* the attempt that the block is in */
#ifdef SHARED
    find_record(other);
    if
    :: x < RECORDS -> level = record[x].attempt; at_epoch = record[x].epoch
    :: else
    fi;
#else
    i = 0;
    do
    :: i < MARKS && actor[r].mark[i].name != other -> i++
    :: else -> break
    od;
    if
    :: i < MARKS -> level = actor[r].mark[i].attempt; at_epoch = actor[r].mark[i].epoch; CLEAR_MARK(actor[r].mark[i])
    :: else
    fi;
#endif
    actor[r].depth++;
    TOP(r).name = other;
    TOP(r).block = block;
    TOP(r).attempt = level;
    clear_counts(r, actor[r].depth);
    if
    :: at_epoch != 0 -> reset_channels(r, block, at_epoch)
    :: else
    fi;
    actor[r].pc = START_LATE(r, block, TOP(r).attempt);
    REPORT_ENTER(r, TOP(r).name, TOP(r).attempt, TOP(r).block)
}

/* To the start of the block at depth i, for its new attempt. */
inline go_back(r) {
    level = i + 1;
    do
    :: level < actor[r].depth -> CLEAR_FRAME(actor[r].frame[level]); level++
    :: else -> break
    od;
    actor[r].depth = i + 1;
    TOP(r).attempt = attempt;
    actor[r].pc = START_OF(r, TOP(r).block, attempt);
    actor[r].arrived = 0;
    clear_counts(r, actor[r].depth);
    reset_channels(r, TOP(r).block, number);
    i = 0;
    do
    :: i < MARKS ->
        is_inside(actor[r].mark[i].name, name);
        if
        :: found -> CLEAR_MARK(actor[r].mark[i])
        :: else
        fi;
        i++
    :: else -> break
    od;
#if !defined(SHARED) && !defined(V_EAGER)
    actor[r].held = number;
#endif
    REPORT_READY(r, number)
}

inline remember(r) {
#ifndef SHARED
    i = 0;
    do
    :: i < MARKS && actor[r].mark[i].name != name -> i++
    :: else -> break
    od;
    if
    :: i == MARKS ->
        i = 0;
        do
        :: i < MARKS && actor[r].mark[i].name != 0 -> i++
        :: else -> break
        od
    :: else
    fi;
    assert(i < MARKS);
    actor[r].mark[i].name = name;
    actor[r].mark[i].attempt = attempt;
    actor[r].mark[i].epoch = number
#else
    skip
#endif
}

/* RECOVER: name, attempt and the epoch in `number`. */
inline recover(r) {
    i = 0;
    do
    :: i < actor[r].depth && actor[r].frame[i].name != name -> i++
    :: else -> break
    od;
    if
#ifdef V_NOIDEM
    :: i < actor[r].depth -> go_back(r)
#else
    :: i < actor[r].depth && actor[r].frame[i].attempt < attempt -> go_back(r)
    :: i < actor[r].depth && actor[r].frame[i].attempt >= attempt
#endif
    :: else -> remember(r)
    fi
}

/* Everybody has arrived at the end of a round: what was saved for the next one, block `number` - 1, is where the role
   goes back to from now on. */
inline renew(r) {
    assert(actor[r].depth > 0 && TOP(r).name == name && actor[r].arrived && TOP(r).attempt == attempt);
    assert(OP[AT(r)] == OP_RENEW && VALUE[AT(r)] == number);
    actor[r].entered[actor[r].depth - 1].block[FIXED[number - 1]]++;
    TOP(r).name++;
    TOP(r).block = number - 1;
    TOP(r).attempt = 0;
    clear_counts(r, actor[r].depth);
    actor[r].arrived = 0;
    actor[r].pc = NEXT[AT(r)];
#ifdef V_ROUNDGAP
    REPORT_ENTER(r, TOP(r).name, 0, TOP(r).block)
#endif
}

/* Everybody has arrived. */
inline leave(r) {
    assert(actor[r].depth > 0 && TOP(r).name == name && actor[r].arrived && TOP(r).attempt == attempt);
    level = 0;
    j = 0;
    do
    :: j + 1 < actor[r].depth -> level = level * 4 + actor[r].frame[j].attempt; j++
    :: else -> break
    od;
    level = TOP(r).block * PATHS + level;
    assert(way_out[level] == 0 || way_out[level] == attempt + 1);
    way_out[level] = attempt + 1;
    CLEAR_FRAME(TOP(r));
    clear_counts(r, actor[r].depth);
    actor[r].depth--;
    actor[r].arrived = 0;
    actor[r].pc = NEXT[AT(r)]
}

inline hear(r) {
    down[r]?kind, name, attempt, number;
    if
    :: kind == RECOVER -> recover(r)
    :: kind == GO && number == 0 -> leave(r)
    :: kind == GO && number != 0 -> renew(r)
    :: kind == START ->
        if
        :: actor[r].held == attempt -> actor[r].held = 0
        :: else
        fi
    fi
}

proctype Role(byte r) {
    byte way;
end:
    do
    :: d_step { actor[r].alive && !actor[r].done && !over && failures < NC && MAY_FAIL(r) && CAN_REPORT(r) -> fail(r) }
#ifdef HOSTLOSS
    :: d_step {
        actor[r].alive && !actor[r].done && !over && failures < NC && nempty(up[r]) ->
        do
        :: nempty(up[r]) -> up[r]?_, _, _, _
        :: empty(up[r]) -> break
        od;
        fail(r)
        }
#endif
    :: d_step { actor[r].alive && !over && LISTENS(r) && nempty(down[r]) && CAN_REPORT(r) -> hear(r) }
    :: d_step { RUNS(r) && OP[AT(r)] == OP_SEND && nfull(OUT(r)) -> send(r) }
    :: d_step { RUNS(r) && RECEIVES(r) && OLD(r) -> IN(r)?_, _, _, _ }
    :: d_step { RUNS(r) && RECEIVES(r) && OP[AT(r)] != OP_PEEK && CURRENT(r) -> receive(r) }
    :: d_step { RUNS(r) && OP[AT(r)] == OP_PEEK && CURRENT(r) -> peek(r) }
    :: atomic {
        RUNS(r) && OP[AT(r)] == OP_CHOOSE ->
        if
        :: ARG[AT(r)] > 0 && agreed[ARG[AT(r)] - 1] > 0 -> way = agreed[ARG[AT(r)] - 1] - 1
        :: else ->
            do
            :: way + 1 < VALUE[AT(r)] -> way++
            :: break
            od
        fi;
        d_step {
            if
            :: ARG[AT(r)] > 0 -> agreed[ARG[AT(r)] - 1] = way + 1
            :: else
            fi;
            actor[r].pc = WAY[NEXT[AT(r)] + way];
            way = 0
        }
        }
    :: d_step { RUNS(r) && OP[AT(r)] == OP_ENTER && CAN_REPORT(r) -> enter(r) }
    :: d_step {
        RUNS(r) && (OP[AT(r)] == OP_ARRIVE || OP[AT(r)] == OP_RENEW) && !actor[r].arrived && CAN_REPORT(r) ->
        assert(TOP(r).block == ARG[AT(r)]);
        actor[r].arrived = 1;
        REPORT_ARRIVE(r, TOP(r).name, TOP(r).attempt, VALUE[AT(r)])
        }
    :: d_step { RUNS(r) && OP[AT(r)] == OP_END && !actor[r].done -> assert(actor[r].depth == 0); actor[r].done = 1 }
    :: d_step { RUNS(r) && OP[AT(r)] == OP_CUT -> over = 1 }
    :: d_step { RUNS(r) && OP[AT(r)] == OP_LOST -> assert(false) }
    od
}

/* ---- the whole ---- */

/* When nothing moves any more. */
proctype Watch() {
    atomic {
        timeout ->
        d_step {
            i = 0;
            do
            :: !over && i < ROLES -> assert(actor[i].done); i++
            :: else -> break
            od;
            i = 0;
            do
            :: !over && i < ROLES * ROLES ->
                do
                :: nempty(data[i]) -> data[i]?at_epoch, _, _, _; assert(at_epoch < takes[i])
                :: empty(data[i]) -> break
                od;
                i++
            :: else -> break
            od
        }
    }
}

init {
    byte r;
    atomic {
        run Watch();
        do
        :: r < ROLES ->
            actor[r].alive = 1;
            run Role(r);
#ifndef SHARED
            run Monitor(r);
#endif
            r++
        :: else -> break
        od;
        r = 0;
#if ND > 0
        do
        :: r < RECORDS -> run Deadline(r); r++
        :: else -> break
        od;
        r = 0
#endif
    }
}
