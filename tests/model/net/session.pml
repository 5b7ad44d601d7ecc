/* session.pml: a session whose roles are on several hosts: a small choreography, every interleaving, hosts lost
   anywhere.

   tables.pml is what `chorcc --dump=model` prints for the choreography. The home (the node that decides for the
   session) lives; what happens when it is lost is in cuts.pml. What a link between two nodes does when connections
   break is in link.pml; here a link keeps its order for as long as both ends live.

   A role has one *life* after the other. Each life is an instance of its own here, numbered role * LIVES + life, so
   that one that was given up by mistake goes on beside its successor. A life tells the home when it enters a block
   (ENTER), stands at its end (ARRIVE), is back at the start of one (READY), has failed (FAIL) or has come to its end
   (END). The home answers EACK, RECOVER, START and GO, and tells everybody of another role's new life (LIFE). Lives
   send DATA to each other directly.

   The rules, numbered as in docs/hosts-protocol.md:
   N2  From the moment in which a life is given up, what it reports is void, and orders go to its successor.
   N4  A sender keeps each message until the receiver has said that it was consumed (TAKEN), and sends what it keeps
       to a new life of the receiver. What it keeps is a part of what is saved on entering a block, and is handed over
       to the home when the role ends, which sends it from then on.
   N5  Going back to the start of a block drops from what is kept for participants what was sent since the block was
       entered; what is older stays. Then messages are numbered from 0 in the new epoch.
   N6  A receiver drops what is older than it expects and says again how far it is; what belongs to a later epoch
       stays.
   N7  What was sent inside a block leaves when the home knows of all blocks that the sender is in.
   N8  Who was called back acts when START has come. A role that enters a block in an attempt that is over is called
       back.
   N9  Who fails before it has answered a RECOVER is started anew where it was called to; nothing else is decided.
   N10 A new life can begin later than it was decided on (-DABSENT); LIFE is told when it begins.

   Asserted: a message is taken by the receive that it was sent for, in the same attempts of all blocks around, with
   none missing in between; all leave a block in the same attempt; the session fails only if a role was lost in no
   block, or nobody has seen that it was in one; when nothing moves any more, all roles have ended and nothing is left
   unread, or the session has failed.

   -DNC=1 failures that the role's own node reports, -DNH=1 hosts lost (with what was on its way, or without), -DNF=1
   lives given up by mistake, -DND=1 deadlines, at most, together at most 4. -DK=2 messages are kept for one receiver.
   -DAT_HOME=1: this role is at the home, so DATA to it needs no N7: it travels behind the ENTER on the same link, and
   is lost with it.
   -DPROMPT: TAKEN arrives at once; otherwise it is looked at when the sender has no room left.
   -DANYLIFE: a receiver takes DATA from whatever life of the sender: allowed, since a life that was given up can't
   leave the block that is recovered, so all it can send is of an epoch that is over, or was kept by its successor as
   well.
   -DNOMARKS: a role forgets of recoveries in blocks that it has not entered: allowed, the home says it again (N8).

   Wrong protocols, each with an error in some choreography:
   V_NORESEND     what is kept is not sent to a new life
   V_NOWINDOW     what is kept is not saved on entering a block
   V_CUTALL       going back drops everything that was kept
   V_DROPSILENT   a receiver that drops a message says nothing
   V_NOHOLD       messages leave before the home knows of the block
   V_HOMEORDER    a role at the home takes DATA before the home has heard the ENTER that came first
   V_ROLEADDR     orders go to all lives of a role
   V_OLDREPORTS   reports of a life that was given up count
   V_TOANYLIFE    what was sent to a life is taken by the next one
   V_NONUMBER     a receiver looks at epochs only
   V_NOHANDOVER   what is kept is lost when a role ends
   V_EAGER        a role goes on without waiting for START
   V_NOANSWER     a role that enters an attempt that is over, and wasn't told before, is not told
   V_CHARGETWICE  a failure before READY is charged to the new attempt
   V_AWAITABSENT  READY is awaited of a role that has no life yet
   V_NOEPOCH      going back leaves the channels as they are
   V_ROUNDGAP     a round is over for all before they have entered the next one
   V_OLDROUND     who fails in a round begins it with what was saved for the one before
   V_ROUNDARRIVED arrivals at the end of a round count for the next one
   V_RESCUEONCE   a failure in the rescue of a round is one too many */

#include "tables.pml"

#ifndef NC
#define NC 0
#endif
#ifndef NH
#define NH 0
#endif
#ifndef NF
#define NF 0
#endif
#ifndef ND
#define ND 0
#endif
#ifndef K
#define K 2
#endif

#define LIVES (1 + NC + NH + NF)
#define INSTANCES (ROLES * LIVES)
#define RECORDS (BLOCKS + 1)
#define MARKS (BLOCKS + 1)

#define ENTER 1   /* name, attempt, block */
#define ARRIVE 2  /* name, attempt, and the block of the next round + 1, or 0 */
#define READY 3   /* epoch */
#define FAIL 4
#define END 5
#define RECOVER 6 /* name, attempt, epoch */
#define GO 7      /* name, attempt, and the block of the next round + 1, or 0 */
#define START 8   /* epoch */
#define EACK 9    /* name */
#define LIFE 10   /* role, life */

chan up[INSTANCES] = [4] of {byte, int, byte, byte};
chan down[INSTANCES] = [9] of {byte, int, byte, byte};

/* From one life to another: epoch, number, position, attempts of the blocks around, outcome of a choice. The third
   and the fourth are for assertions only. */
#define PAIRS (ROLES * (ROLES - 1))
#define LINK_ROOM (2 * K + 2)
chan data[PAIRS * LIVES * LIVES] = [LINK_ROOM] of {byte, byte, byte, byte, byte};
#define ROLE(x) ((x) / LIVES)
#define PAIR(r, q) ((r) * (ROLES - 1) + (q) - ((q) > (r)))
#define BETWEEN(x, y) ((PAIR(ROLE(x), ROLE(y)) * LIVES + (x) % LIVES) * LIVES + (y) % LIVES)

typedef Message {
    byte epoch;
    byte number;
    byte position;
    byte path;
    byte outcome
};
typedef Kept {
    byte count;
    Message message[K]
};
/* One role's ends of its two channels with another. */
typedef Ends {
    byte out_epoch;
    byte out_number;  /* of the next message */
    byte in_epoch;
    byte in_number;   /* of the message that is expected */
    Kept kept
};
typedef Saved {
    Ends with[ROLES]
};
typedef Frame {
    int name;
    byte block;
    byte attempt;
    bit seen;         /* for an assertion only: somebody has received what was sent inside, in this attempt */
    Saved saved       /* on entering, or at the end of the round before */
};
typedef Place {
    int name;
    byte block;
    byte attempt
};
typedef Mark {
    int name;
    byte attempt;
    byte epoch
};
typedef Counts {
    byte block[FIXED_BLOCKS]
};
/* What else a role knows of another. */
typedef Peer {
    byte life;
    byte given;       /* so many of the messages kept have been given to the link */
    byte taken_epoch; /* everything before this has been consumed */
    byte taken_number
};
typedef Instance {
    byte pc;
    byte depth;
    Frame frame[DEPTH];
    Counts entered[DEPTH + 1]; /* per depth: how often each block, in this attempt of the block around */
    Mark mark[MARKS];
    Saved now;
    Saved next;       /* what the next round begins with, from the arrival at the end of a round on */
    Peer peer[ROLES];
    byte held;        /* the epoch whose START it waits for */
    byte known;       /* so many of the blocks that it is in are known to the home, as it knows */
    bit alive;
    bit ended;
    bit arrived
};
Instance instance[INSTANCES];
bit lost[INSTANCES];  /* its host is lost, and the home has not noticed yet */

/* The home: blocks that are not over, and what it believes of each role. */
typedef Record {
    int name;
    byte block;
    byte attempt;
    byte epoch;
    byte arrived
};
typedef View {
    byte life;
    bit absent;       /* this life has not begun */
    bit ended;
    byte depth;
    Place place[DEPTH];
    byte awaited      /* the epoch whose READY is still to come; everything else from the role is void until then */
};
Record record[RECORDS];
View view[ROLES];
byte epoch;

byte failures, losses, mistakes, deadlines;
bit over;             /* the session has failed, or the bound of the exploration is reached */
byte agreed[AGREED];  /* outcome + 1 of choices on agreed values */
#if DEPTH > 2
#define PATHS 16
#elif DEPTH > 1
#define PATHS 4
#else
#define PATHS 1
#endif
byte way_out[BLOCKS * PATHS]; /* attempt + 1 in which a block was left, by the attempts around it */

/* Only used within one step. */
hidden byte kind, attempt, number, block, b, i, j, k, m, p, q, x0, path, level, old, its_life, found, fresh;
hidden byte at_epoch, at_number, at_position, at_path, outcome;
hidden int name, other;

#define NAMES (FIXED_BLOCKS * ENTRIES)
#define PARENT(name) (((name) - 1) / (4 * NAMES))
#define MEMBER(r, block) ((MEMBERS[block] >> (r)) & 1)
#define CURRENT(r) ((r) * LIVES + view[r].life)
#define BEGUN(r) (view[r].absent -> view[r].life - 1 : view[r].life) /* the latest life that has begun */
#define MET(x, q) ((q) * LIVES + instance[x].peer[q].life) /* the life of role q that x knows */
#define IS_CURRENT(x) ((x) % LIVES == view[ROLE(x)].life)
#define TOP(x) instance[x].frame[instance[x].depth - 1]
#define START_OF(r, block, a) ((a) <= RETRY[block] -> BODY[(r) * BLOCKS + (block)] : RESCUE[(r) * BLOCKS + (block)])
#ifdef V_RESCUEONCE
#define LAST_OF(block) (ROUND[block] && LAST[block] > RETRY[block] -> RETRY[block] + 1 : LAST[block])
#else
#define LAST_OF(block) LAST[block]
#endif
#define AT(x) (ROLE(x) * OPS + instance[x].pc)
#define RUNS(x) (instance[x].alive && !over && instance[x].held == 0)
#ifdef AT_HOME
#define IS_AWAY(r) ((r) != AT_HOME)
#else
#define IS_AWAY(r) true
#endif
#define RECEIVES(x) (OP[AT(x)] == OP_RECEIVE || OP[AT(x)] == OP_TOLD || OP[AT(x)] == OP_PEEK)

/* ---- what both sides need ---- */

#define CLEAR_MESSAGE(a) a.epoch = 0; a.number = 0; a.position = 0; a.path = 0; a.outcome = 0
#define COPY_MESSAGE(a, c) \
    a.epoch = c.epoch; a.number = c.number; a.position = c.position; a.path = c.path; a.outcome = c.outcome
#define CLEAR_PLACE(f) f.name = 0; f.block = 0; f.attempt = 0
#define CLEAR_MARK(a) a.name = 0; a.attempt = 0; a.epoch = 0
#define KEPT(x, q) instance[x].now.with[q].kept
#define BEFORE(e, n, at_e, at_n) ((e) < (at_e) || ((e) == (at_e) && (n) < (at_n)))

#define COPY_SAVED(to, from) \
    p = 0; \
    do \
    :: p < ROLES -> \
        to.with[p].out_epoch = from.with[p].out_epoch; \
        to.with[p].out_number = from.with[p].out_number; \
        to.with[p].in_epoch = from.with[p].in_epoch; \
        to.with[p].in_number = from.with[p].in_number; \
        to.with[p].kept.count = from.with[p].kept.count; \
        m = 0; \
        do \
        :: m < K -> COPY_MESSAGE(to.with[p].kept.message[m], from.with[p].kept.message[m]); m++ \
        :: else -> break \
        od; \
        p++ \
    :: else -> break \
    od

#define CLEAR_SAVED(to) \
    p = 0; \
    do \
    :: p < ROLES -> \
        to.with[p].out_epoch = 0; to.with[p].out_number = 0; to.with[p].in_epoch = 0; to.with[p].in_number = 0; \
        to.with[p].kept.count = 0; \
        m = 0; \
        do \
        :: m < K -> CLEAR_MESSAGE(to.with[p].kept.message[m]); m++ \
        :: else -> break \
        od; \
        p++ \
    :: else -> break \
    od

/* What instance x would begin anew with. */
#ifdef V_NOWINDOW
#define SAVE(x, to) \
    COPY_SAVED(to, instance[x].now); \
    p = 0; \
    do \
    :: p < ROLES -> \
        to.with[p].kept.count = 0; \
        m = 0; \
        do \
        :: m < K -> CLEAR_MESSAGE(to.with[p].kept.message[m]); m++ \
        :: else -> break \
        od; \
        p++ \
    :: else -> break \
    od
#else
#define SAVE(x, to) COPY_SAVED(to, instance[x].now)
#endif

#define CLEAR_FRAME(f) \
    CLEAR_PLACE(f); \
    f.seen = 0; \
    CLEAR_SAVED(f.saved)

inline drain(channel) {
    do
    :: nempty(channel) -> channel?_, _, _, _, _
    :: empty(channel) -> break
    od
}

inline drain_reports(channel) {
    do
    :: nempty(channel) -> channel?_, _, _, _
    :: empty(channel) -> break
    od
}

inline find_record(sought) {
    x0 = 0;
    do
    :: x0 < RECORDS && record[x0].name != sought -> x0++
    :: else -> break
    od
}

inline clear_record(y) { CLEAR_PLACE(record[y]); record[y].epoch = 0; record[y].arrived = 0 }

/* found: is the block called `inner` inside the one called `outer`? Names grow inwards. */
inline is_inside(inner, outer) {
    other = inner;
    do
    :: other > outer -> other = PARENT(other)
    :: else -> break
    od;
    found = (inner != outer && other == outer)
}

inline clear_counts(x, from) {
    level = from;
    do
    :: level <= DEPTH ->
        j = 0;
        do
        :: j < FIXED_BLOCKS -> instance[x].entered[level].block[j] = 0; j++
        :: else -> break
        od;
        level++
    :: else -> break
    od
}

/* Drops the first message that is kept for role q. */
inline drop_first(x, q) {
    m = 1;
    do
    :: m < K -> COPY_MESSAGE(KEPT(x, q).message[m - 1], KEPT(x, q).message[m]); m++
    :: else -> break
    od;
    CLEAR_MESSAGE(KEPT(x, q).message[K - 1]);
    KEPT(x, q).count--;
    instance[x].peer[q].given--
}

#define FIRST_IS_TAKEN(x, q) \
    (KEPT(x, q).count > 0 && instance[x].peer[q].given > 0 && \
     BEFORE(KEPT(x, q).message[0].epoch, KEPT(x, q).message[0].number, \
            instance[x].peer[q].taken_epoch, instance[x].peer[q].taken_number))

inline drop_taken(x, q) {
    do
    :: FIRST_IS_TAKEN(x, q) -> drop_first(x, q)
    :: else -> break
    od
}

/* N5: of what is kept for role q, only what was sent before the block at depth d was entered stays. */
inline cut_kept(x, q, d) {
    m = 0;
    do
    :: m < KEPT(x, q).count && BEFORE(KEPT(x, q).message[m].epoch, KEPT(x, q).message[m].number,
            instance[x].frame[d].saved.with[q].out_epoch, instance[x].frame[d].saved.with[q].out_number) -> m++
    :: else -> break
    od;
#ifdef V_CUTALL
    m = 0;
#endif
    KEPT(x, q).count = m;
    if
    :: instance[x].peer[q].given > m -> instance[x].peer[q].given = m
    :: else
    fi;
    do
    :: m < K -> CLEAR_MESSAGE(KEPT(x, q).message[m]); m++
    :: else -> break
    od
}

/* N5: the channels with participants of the block at depth d start anew, unless they are ahead already. */
inline reset_channels(x, d, to_epoch) {
    block = instance[x].frame[d].block;
    j = 0;
    do
    :: j < ROLES ->
        if
#ifdef V_NOEPOCH
        :: false
#else
        :: j != ROLE(x) && MEMBER(j, block) ->
            if
            :: instance[x].now.with[j].out_epoch < to_epoch ->
                cut_kept(x, j, d);
                instance[x].now.with[j].out_epoch = to_epoch;
                instance[x].now.with[j].out_number = 0
            :: else
            fi;
            if
            :: instance[x].now.with[j].in_epoch < to_epoch ->
                instance[x].now.with[j].in_epoch = to_epoch;
                instance[x].now.with[j].in_number = 0
            :: else
            fi
#endif
        :: else
        fi;
        j++
    :: else -> break
    od
}

/* path: the attempts of the blocks that x is in. */
inline find_path(x) {
    path = 0;
    j = 0;
    do
    :: j < instance[x].depth -> path = path * 4 + instance[x].frame[j].attempt + 1; j++
    :: else -> break
    od
}

#ifdef ANYLIFE
#define MAY_READ(y, x) true
#else
/* A life that knows of a later one never reads this one's messages. */
#define MAY_READ(y, x) (instance[y].peer[ROLE(x)].life <= (x) % LIVES)
#endif

#if defined(V_NOHOLD)
#define MAY_LEAVE(x, q) true
#elif defined(AT_HOME)
#define MAY_LEAVE(x, q) (instance[x].known == instance[x].depth || (q) == AT_HOME)
#else
#define MAY_LEAVE(x, q) (instance[x].known == instance[x].depth)
#endif

/* N7: gives the links what is kept and may leave. */
inline release(x) {
    q = 0;
    do
    :: q < ROLES && q != ROLE(x) && MAY_LEAVE(x, q) ->
        old = q * LIVES + instance[x].peer[q].life;
        do
        :: instance[x].peer[q].given < KEPT(x, q).count ->
            m = instance[x].peer[q].given;
            if
            :: instance[old].alive && MAY_READ(old, x) ->
                assert(nfull(data[BETWEEN(x, old)]));
                data[BETWEEN(x, old)]!KEPT(x, q).message[m].epoch, KEPT(x, q).message[m].number,
                    KEPT(x, q).message[m].position, KEPT(x, q).message[m].path, KEPT(x, q).message[m].outcome
            :: else
            fi;
            instance[x].peer[q].given++
        :: else -> break
        od;
        q++
    :: q < ROLES && (q == ROLE(x) || !MAY_LEAVE(x, q)) -> q++
    :: else -> break
    od;
    q = 0
}

/* Nothing of a dead instance is needed any more; forgetting it makes more states alike. */
inline forget(x) {
    instance[x].pc = 0;
    level = 0;
    do
    :: level < DEPTH -> CLEAR_FRAME(instance[x].frame[level]); level++
    :: else -> break
    od;
    clear_counts(x, 0);
    i = 0;
    do
    :: i < MARKS -> CLEAR_MARK(instance[x].mark[i]); i++
    :: else -> break
    od;
    CLEAR_SAVED(instance[x].now);
    CLEAR_SAVED(instance[x].next);
    i = 0;
    do
    :: i < ROLES ->
        instance[x].peer[i].given = 0; instance[x].peer[i].taken_epoch = 0; instance[x].peer[i].taken_number = 0; i++
    :: else -> break
    od;
    instance[x].depth = 0; instance[x].held = 0; instance[x].known = 0; instance[x].arrived = 0;
    drain_reports(down[x])
}

/* x learns of a new life of role y: what the one before has said is forgotten, what is kept is sent again. */
inline meet(x, y, new_life) {
    old = y * LIVES + instance[x].peer[y].life;
#ifndef ANYLIFE
    drain(data[BETWEEN(old, x)]);
#endif
    if
    :: !instance[old].alive -> drain(data[BETWEEN(x, old)])
    :: else
    fi;
    instance[x].peer[y].life = new_life;
    instance[x].peer[y].taken_epoch = 0;
    instance[x].peer[y].taken_number = 0;
#ifndef V_NORESEND
    instance[x].peer[y].given = 0
#endif
}

#if defined(ANYLIFE) || defined(V_OLDREPORTS) || defined(V_ROLEADDR)
#define retire(y) skip
#else
/* A life of role y that was given up, and whose successor everybody knows, can reach nobody any more. Not following it
   further loses nothing. */
inline retire(y) {
    x0 = y * LIVES;
    do
    :: x0 < CURRENT(y) && instance[x0].alive ->
        found = 1;
        k = 0;
        do
        :: k < INSTANCES ->
            found = found && (ROLE(k) == y || !instance[k].alive || instance[k].peer[y].life > x0 % LIVES);
            k++
        :: else -> break
        od;
        if
        :: found ->
            instance[x0].alive = 0;
            forget(x0);
            k = 0;
            do
            :: k < INSTANCES && ROLE(k) != y -> drain(data[BETWEEN(x0, k)]); drain(data[BETWEEN(k, x0)]); k++
            :: k < INSTANCES && ROLE(k) == y -> k++
            :: else -> break
            od
        :: else
        fi;
        x0++
    :: x0 < CURRENT(y) && !instance[x0].alive -> x0++
    :: else -> break
    od
}
#endif

/* ---- the home ---- */

#ifdef V_ROLEADDR
#define ORDER(r, t, n, a, e) \
    p = 0; \
    do \
    :: p <= view[r].life -> \
        if \
        :: instance[(r) * LIVES + p].alive || p == view[r].life -> down[(r) * LIVES + p]!t, n, a, e \
        :: else \
        fi; \
        p++ \
    :: else -> break \
    od
#else
#define ORDER(r, t, n, a, e) down[CURRENT(r)]!t, n, a, e
#endif

/* If role i is in the block of record b, its position is the block's start from now on. */
inline call_back(r) {
    j = 0;
    do
    :: j < view[i].depth && view[i].place[j].name != record[b].name -> j++
    :: else -> break
    od;
    if
    :: j < view[i].depth ->
        level = j + 1;
        do
        :: level < view[i].depth -> CLEAR_PLACE(view[i].place[level]); level++
        :: else -> break
        od;
        view[i].depth = j + 1;
        view[i].place[j].attempt = record[b].attempt;
        if
#ifdef V_AWAITABSENT
        :: i != r -> view[i].awaited = epoch
#else
        :: i != r && !view[i].absent -> view[i].awaited = epoch
#endif
        :: else
        fi
    :: else
    fi
}

/* The block of record b goes to its next attempt; r is the failed role, or ROLES for a deadline. */
inline decide(r) {
    record[b].attempt++;
    epoch++;
    record[b].epoch = epoch;
    record[b].arrived = 0;
    i = 0;
    do
    :: i < RECORDS ->
        is_inside(record[i].name, record[b].name);
        if
        :: found -> clear_record(i)
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0;
    do
    :: i < ROLES && MEMBER(i, record[b].block) ->
        call_back(r);
        if
        :: i != r && !view[i].absent -> ORDER(i, RECOVER, record[b].name, record[b].attempt, epoch)
        :: else
        fi;
        i++
    :: i < ROLES && !MEMBER(i, record[b].block) -> i++
    :: else -> break
    od
}

#ifdef V_TOANYLIFE
/* Of what is on its way to the life before, the first message has arrived there; the others reach the new one. */
inline misdirect(r) {
    i = 0;
    do
    :: i < ROLES && i != r ->
        k = BETWEEN(i * LIVES + BEGUN(i), x0 - 1);
        old = BETWEEN(i * LIVES + BEGUN(i), x0);
        if
        :: nempty(data[k]) -> data[k]?_, _, _, _, _
        :: empty(data[k])
        fi;
        do
        :: nempty(data[k]) ->
            data[k]?at_epoch, at_number, at_position, at_path, outcome;
            data[old]!at_epoch, at_number, at_position, at_path, outcome
        :: empty(data[k]) -> break
        od;
        i++
    :: i == r -> i++
    :: else -> break
    od
}
#endif

/* N10: the new life of r begins, at the start of the innermost block that the home believes it in. */
inline begin_life(r) {
    x0 = CURRENT(r);
    view[r].absent = 0;
    level = 0;
    do
    :: level < view[r].depth ->
        instance[x0].frame[level].name = view[r].place[level].name;
        instance[x0].frame[level].block = view[r].place[level].block;
        instance[x0].frame[level].attempt = view[r].place[level].attempt;
        /* ENTER has brought this to the home; that of a life which never began is that of the one before. */
        COPY_SAVED(instance[x0].frame[level].saved, instance[x0 - 1].frame[level].saved);
        j = 0;
        do
        :: j < FIXED_BLOCKS ->
            instance[x0].entered[level].block[j] = instance[x0 - 1].entered[level].block[j]; j++
        :: else -> break
        od;
        instance[x0].entered[level].block[FIXED[view[r].place[level].block]] =
            (view[r].place[level].name - 1) % ENTRIES + 1;
        level++
    :: else -> break
    od;
    assert(view[r].depth > 0);
    instance[x0].depth = view[r].depth;
    instance[x0].known = view[r].depth;
    COPY_SAVED(instance[x0].now, TOP(x0).saved);
    i = 0;
    do
    :: i < ROLES -> instance[x0].peer[i].life = BEGUN(i); i++
    :: else -> break
    od;
    b = 0;
    do
    :: b < RECORDS && record[b].name != TOP(x0).name -> b++
    :: else -> break
    od;
    assert(b < RECORDS);
    instance[x0].pc = START_OF(r, TOP(x0).block, TOP(x0).attempt);
    level = instance[x0].depth - 1;
    reset_channels(x0, level, record[b].epoch);
    if
    :: !instance[x0 - 1].alive -> k = x0 - 1; forget(k)
    :: else
    fi;
    x0 = CURRENT(r);
    instance[x0].alive = 1;
#ifdef V_TOANYLIFE
    misdirect(r);
    x0 = CURRENT(r);
#endif
    release(x0);
    /* N4: everybody is told; what was handed over by roles that have ended, the home sends itself. */
    i = 0;
    do
    :: i < ROLES && i != r && !view[i].ended && !view[i].absent -> ORDER(i, LIFE, r, view[r].life, 0); i++
    :: i < ROLES && i != r && view[i].ended ->
#ifndef V_NOHANDOVER
        k = CURRENT(i);
        fresh = view[r].life;
        meet(k, r, fresh);
        release(k);
#endif
        i++
    :: i < ROLES && (i == r || (!view[i].ended && view[i].absent)) -> i++
    :: else -> break
    od
}

/* N2: from here on only the next life of r is heard. */
inline give_up(r) {
    x0 = CURRENT(r);
    drain_reports(up[x0]);
    lost[x0] = 0;
    assert(view[r].life + 1 < LIVES);
    view[r].life++;
    view[r].absent = 1;
    view[r].awaited = 0
}

/* N7: nobody may have seen r inside of a block that could have taken up its failure. */
inline check_no_block_left(r) {
    x0 = CURRENT(r);
    level = 0;
    do
    :: level < instance[x0].depth ->
        b = 0;
        do
        :: b < RECORDS && record[b].name != instance[x0].frame[level].name -> b++
        :: else -> break
        od;
        assert(!(instance[x0].frame[level].seen && b < RECORDS &&
                 instance[x0].frame[level].attempt < LAST[instance[x0].frame[level].block] &&
                 record[b].attempt == instance[x0].frame[level].attempt));
        /* If everything that it said has been heard, a block that it was in has taken up its failure. */
        assert(losses > 0 || mistakes > 0 || b == RECORDS ||
               instance[x0].frame[level].attempt >= LAST[instance[x0].frame[level].block]);
        /* There is no moment between two rounds. */
        assert(losses > 0 || mistakes > 0 || !ROUND[instance[x0].frame[level].block] ||
               instance[x0].frame[level].attempt >= LAST[instance[x0].frame[level].block] ||
               (level + 1 == instance[x0].depth && OP[AT(x0)] == OP_ARRIVE));
        level++
    :: else -> break
    od
}

inline on_fail(r) {
    if
#ifndef V_CHARGETWICE
    :: view[r].awaited != 0 -> give_up(r) /* N9: it failed in an attempt that is over */
#endif
    :: else ->
        level = view[r].depth;
        found = 0;
        do
        :: level > 0 && !found ->
            level--;
            found = (view[r].place[level].attempt < LAST_OF(view[r].place[level].block))
        :: else -> break
        od;
        if
        :: found ->
            b = 0;
            do
            :: b < RECORDS && record[b].name != view[r].place[level].name -> b++
            :: else -> break
            od;
            assert(b < RECORDS);
            give_up(r);
            decide(r)
        :: else -> over = 1; check_no_block_left(r)
        fi
    fi;
#ifndef ABSENT
    if
    :: view[r].absent -> begin_life(r)
    :: else
    fi
#endif
}

inline on_enter(r) {
    if
    :: view[r].awaited == 0 ->
        find_record(name);
        b = x0;
        if
        :: b == RECORDS ->
            find_record(0);
            b = x0;
            assert(b < RECORDS);
            record[b].name = name;
            record[b].block = number
        :: else -> assert(record[b].block == number)
        fi;
        assert(view[r].depth < DEPTH);
        view[r].place[view[r].depth].name = name;
        view[r].place[view[r].depth].block = number;
        view[r].place[view[r].depth].attempt = record[b].attempt;
        view[r].depth++;
        if
        :: attempt < record[b].attempt -> /* N8 */
            view[r].awaited = record[b].epoch;
#ifndef V_NOANSWER
            ORDER(r, RECOVER, name, record[b].attempt, record[b].epoch)
#endif
        :: else -> ORDER(r, EACK, name, 0, 0)
        fi
    :: else
    fi
}

/* Over in this moment: from here on a failure of a participant belongs to the block around. */
inline finish_block() {
    i = 0;
    do
    :: i < ROLES && MEMBER(i, record[b].block) ->
        ORDER(i, GO, name, record[b].attempt, 0);
        assert(view[i].depth > 0 && view[i].place[view[i].depth - 1].name == name);
        view[i].depth--;
        CLEAR_PLACE(view[i].place[view[i].depth]);
        i++
    :: i < ROLES && !MEMBER(i, record[b].block) -> i++
    :: else -> break
    od;
    clear_record(b)
}

/* All have arrived at the end of a round: in this moment they are in the next one, with what each brought along. */
inline renew_block() {
    assert((record[b].name - 1) % ENTRIES + 1 < ENTRIES);
#ifndef V_ROUNDGAP
    record[b].name++;
    record[b].block = number - 1;
#endif
    fresh = record[b].attempt;
    record[b].attempt = 0;
    record[b].epoch = 0;
#ifndef V_ROUNDARRIVED
    record[b].arrived = 0;
#endif
    i = 0;
    do
    :: i < ROLES && MEMBER(i, record[b].block) ->
        ORDER(i, GO, name, fresh, number);
        assert(view[i].depth > 0);
#ifdef V_ROUNDGAP
        view[i].depth--;
        CLEAR_PLACE(view[i].place[view[i].depth]);
#else
        view[i].place[view[i].depth - 1].name = record[b].name;
        view[i].place[view[i].depth - 1].attempt = 0;
#ifndef V_OLDROUND
        view[i].place[view[i].depth - 1].block = record[b].block;
        k = CURRENT(i);
        level = view[i].depth - 1;
        COPY_SAVED(instance[k].frame[level].saved, instance[k].next);
        CLEAR_SAVED(instance[k].next);
#endif
#endif
        i++
    :: i < ROLES && !MEMBER(i, record[b].block) -> i++
    :: else -> break
    od;
#ifdef V_ROUNDGAP
    clear_record(b);
#endif
}

inline on_arrive(r) {
    find_record(name);
    b = x0;
    if
    :: view[r].awaited != 0 || b == RECORDS || record[b].attempt != attempt
    :: else ->
        record[b].arrived = record[b].arrived | (1 << r);
        if
        :: record[b].arrived == MEMBERS[record[b].block] && number == 0 -> finish_block()
        :: record[b].arrived == MEMBERS[record[b].block] && number != 0 -> renew_block()
        :: else
        fi
    fi
}

inline on_ready(r) {
    if
    :: view[r].awaited == attempt && attempt != 0 ->
        view[r].awaited = 0;
        ORDER(r, START, 0, attempt, 0)
    :: else
    fi
}

/* N4: what it kept has come with END, and the home sends it from now on, beside what is still on its way. */
inline on_end(r) {
    view[r].ended = 1;
#ifndef V_NOHANDOVER
    k = CURRENT(r);
    i = 0;
    do
    :: i < ROLES && i != r && instance[k].peer[i].life != BEGUN(i) -> fresh = BEGUN(i); meet(k, i, fresh); i++
    :: i < ROLES && i != r && instance[k].peer[i].life == BEGUN(i) -> instance[k].peer[i].given = 0; i++
    :: i == r -> i++
    :: else -> break
    od;
    release(k)
#endif
}

/* The home hears instance x. */
proctype Home(byte x) {
    byte r;
    r = ROLE(x);
end:
    do
    :: d_step {
        !over && nempty(up[x]) ->
        up[x]?kind, name, attempt, number;
        if
        :: kind == ENTER -> on_enter(r)
        :: kind == ARRIVE -> on_arrive(r)
        :: kind == READY -> on_ready(r)
        :: kind == FAIL -> on_fail(r)
        :: kind == END -> on_end(r)
        fi
        }
    od
}

#define IS_LOST(r) (lost[CURRENT(r)])
#define MAY_BE_GIVEN_UP(r) (mistakes < NF && instance[CURRENT(r)].alive && IS_AWAY(r))
/* Nothing is heard from a life: its host is lost, or slow, or cut off. */
proctype Suspect(byte r) {
end:
    do
    :: d_step {
        !over && !view[r].ended && !view[r].absent && (IS_LOST(r) || MAY_BE_GIVEN_UP(r)) ->
        if
        :: IS_LOST(r)
        :: else -> mistakes++
        fi;
        on_fail(r)
        }
#ifdef ABSENT
    :: d_step { !over && view[r].absent -> begin_life(r); i = 0 }
#endif
    od
}

#if ND > 0
proctype Deadline(byte y) {
end:
    do
    :: d_step {
        !over && deadlines < ND && record[y].name != 0 && WITHIN[record[y].block] &&
            record[y].attempt < LAST[record[y].block] ->
        b = y;
        decide(ROLES);
        deadlines++
        }
    od
}
#endif

/* ---- a life ---- */

#ifdef V_OLDREPORTS
#define REPORT(x, t, n, a, c) up[x]!t, n, a, c
#else
/* What a life that was given up says is not heard. */
#define REPORT(x, t, n, a, c) \
    if \
    :: IS_CURRENT(x) -> up[x]!t, n, a, c \
    :: else \
    fi
#endif

inline send(x) {
    k = ARG[AT(x)];
    drop_taken(x, k);
    find_path(x);
    m = KEPT(x, k).count;
    KEPT(x, k).message[m].epoch = instance[x].now.with[k].out_epoch;
    KEPT(x, k).message[m].number = instance[x].now.with[k].out_number;
    KEPT(x, k).message[m].position = POSITION[AT(x)];
    KEPT(x, k).message[m].path = path;
    KEPT(x, k).message[m].outcome = VALUE[AT(x)];
    KEPT(x, k).count++;
    instance[x].now.with[k].out_number++;
    instance[x].pc = NEXT[AT(x)];
    release(x)
}

#define MET_NOW(x) (instance[x].peer[ARG[AT(x)]].life) /* the life of the sender that x waits for */
#define FROM(x) (ARG[AT(x)] * LIVES + its_life)
#define IN(x) data[BETWEEN(FROM(x), x)]
#define ENDS_IN(x) instance[x].now.with[ARG[AT(x)]]
/* N6: what belongs to a later epoch is left where it is. */
#define HAS(x, n, e) (ENDS_IN(x).in_epoch >= e && data[BETWEEN(ARG[AT(x)] * LIVES + n, x)]?[e, _, _, _, _])
#if defined(AT_HOME) && !defined(V_HOMEORDER)
#define HEARD(x, n) (ROLE(x) != AT_HOME || empty(up[ARG[AT(x)] * LIVES + n]))
#else
#define HEARD(x, n) true
#endif
#define CAN_READ(x, n) \
    (RUNS(x) && RECEIVES(x) && HEARD(x, n) && \
     (HAS(x, n, 0) || HAS(x, n, 1) || HAS(x, n, 2) || HAS(x, n, 3) || HAS(x, n, 4)))

/* Role k's life `old` learns how far x is. */
inline say_taken(x) {
    if
    :: instance[old].peer[ROLE(x)].life == x % LIVES ->
        instance[old].peer[ROLE(x)].taken_epoch = instance[x].now.with[k].in_epoch;
        instance[old].peer[ROLE(x)].taken_number = instance[x].now.with[k].in_number;
#ifdef PROMPT
        j = ROLE(x);
        drop_taken(old, j)
#endif
    :: else
    fi
}

/* For the assertion of check_no_block_left. */
inline mark_seen(y) {
    find_path(y);
    if
    :: path == at_path ->
        j = 0;
        do
        :: j < instance[y].depth -> instance[y].frame[j].seen = 1; j++
        :: else -> break
        od
    :: else
    fi
}

inline take(x) {
    find_path(x);
    assert(at_path == path);
    if
    :: OP[AT(x)] == OP_PEEK ->
        if
        :: SITE[at_position] == VALUE[AT(x)] -> instance[x].pc = NEXT[AT(x)]
        :: else -> instance[x].pc++
        fi
    :: else ->
        assert(at_position == POSITION[AT(x)]);
        IN(x)?_, _, _, _, _;
        instance[x].now.with[k].in_number++;
        if
        :: OP[AT(x)] == OP_TOLD -> instance[x].pc = WAY[NEXT[AT(x)] + outcome]
        :: else -> instance[x].pc = NEXT[AT(x)]
        fi;
        say_taken(x);
        mark_seen(old)
    fi
}

inline receive(x) {
    k = ARG[AT(x)];
    old = FROM(x);
    IN(x)?<at_epoch, at_number, at_position, at_path, outcome>;
    if
#ifdef V_NONUMBER
    :: at_epoch < ENDS_IN(x).in_epoch -> IN(x)?_, _, _, _, _; say_taken(x)
#else
    :: BEFORE(at_epoch, at_number, ENDS_IN(x).in_epoch, ENDS_IN(x).in_number) ->
        IN(x)?_, _, _, _, _;
#ifndef V_DROPSILENT
        say_taken(x)
#endif
#endif
    :: else ->
#ifndef V_NONUMBER
        assert(at_number == ENDS_IN(x).in_number);
#endif
        take(x)
    fi
}

inline enter(x) {
    block = ARG[AT(x)];
    j = FIXED[block];
    assert(instance[x].entered[instance[x].depth].block[j] < ENTRIES);
    name = (instance[x].depth > 0 -> TOP(x).name * 4 + TOP(x).attempt : 0) * NAMES + j * ENTRIES +
           instance[x].entered[instance[x].depth].block[j] + 1;
    instance[x].entered[instance[x].depth].block[j]++;
    fresh = 0;
    attempt = 0;
    i = 0;
    do
    :: i < MARKS && instance[x].mark[i].name != name -> i++
    :: else -> break
    od;
    if
    :: i < MARKS ->
        attempt = instance[x].mark[i].attempt; fresh = instance[x].mark[i].epoch; CLEAR_MARK(instance[x].mark[i])
    :: else
    fi;
    instance[x].depth++;
    TOP(x).name = name;
    TOP(x).block = block;
    TOP(x).attempt = attempt;
    TOP(x).seen = 0;
    SAVE(x, TOP(x).saved);
    clear_counts(x, instance[x].depth);
    level = instance[x].depth - 1;
    if
    :: fresh != 0 -> reset_channels(x, level, fresh)
    :: else
    fi;
    instance[x].pc = START_OF(ROLE(x), TOP(x).block, attempt);
    REPORT(x, ENTER, name, attempt, TOP(x).block)
}

/* To the start of the block at depth i, for its new attempt. */
inline go_back(x) {
    level = i + 1;
    do
    :: level < instance[x].depth -> CLEAR_FRAME(instance[x].frame[level]); level++
    :: else -> break
    od;
    instance[x].depth = i + 1;
    if
    :: instance[x].known > instance[x].depth -> instance[x].known = instance[x].depth
    :: else
    fi;
    TOP(x).attempt = attempt;
    TOP(x).seen = 0;
    instance[x].pc = START_OF(ROLE(x), TOP(x).block, attempt);
    instance[x].arrived = 0;
    CLEAR_SAVED(instance[x].next);
    clear_counts(x, instance[x].depth);
    level = instance[x].depth - 1;
    reset_channels(x, level, number);
    i = 0;
    do
    :: i < MARKS ->
        is_inside(instance[x].mark[i].name, name);
        if
        :: found -> CLEAR_MARK(instance[x].mark[i])
        :: else
        fi;
        i++
    :: else -> break
    od;
#ifdef V_EAGER
    instance[x].known = instance[x].depth;
    release(x);
#else
    instance[x].held = number;
#endif
    REPORT(x, READY, 0, number, 0)
}

inline remember(x) {
#ifndef NOMARKS
    i = 0;
    do
    :: i < MARKS && instance[x].mark[i].name != name -> i++
    :: else -> break
    od;
    if
    :: i == MARKS ->
        i = 0;
        do
        :: i < MARKS && instance[x].mark[i].name != 0 -> i++
        :: else -> break
        od
    :: else
    fi;
    assert(i < MARKS);
    instance[x].mark[i].name = name;
    instance[x].mark[i].attempt = attempt;
    instance[x].mark[i].epoch = number
#else
    skip
#endif
}

/* RECOVER: name, attempt and the epoch in `number`. */
inline recover(x) {
    i = 0;
    do
    :: i < instance[x].depth && instance[x].frame[i].name != name -> i++
    :: else -> break
    od;
    if
    :: i < instance[x].depth && instance[x].frame[i].attempt < attempt -> go_back(x)
    :: i < instance[x].depth && instance[x].frame[i].attempt >= attempt
    :: else -> remember(x)
    fi
}

/* Everybody has arrived at the end of a round: what was saved for the next one, block `number` - 1, is where the role
   goes back to from now on. */
inline renew(x) {
    assert(instance[x].depth > 0 && TOP(x).name == name && instance[x].arrived && TOP(x).attempt == attempt);
    assert(OP[AT(x)] == OP_RENEW && VALUE[AT(x)] == number);
    instance[x].entered[instance[x].depth - 1].block[FIXED[number - 1]]++;
    TOP(x).name++;
    TOP(x).block = number - 1;
    TOP(x).attempt = 0;
    TOP(x).seen = 0;
    clear_counts(x, instance[x].depth);
    instance[x].arrived = 0;
    instance[x].pc = NEXT[AT(x)];
#ifdef V_ROUNDGAP
    instance[x].known--;
    REPORT(x, ENTER, TOP(x).name, 0, TOP(x).block)
#endif
}

/* Everybody has arrived. */
inline leave(x) {
    assert(instance[x].depth > 0 && TOP(x).name == name && instance[x].arrived && TOP(x).attempt == attempt);
    fresh = 0;
    j = 0;
    do
    :: j + 1 < instance[x].depth -> fresh = fresh * 4 + instance[x].frame[j].attempt; j++
    :: else -> break
    od;
    fresh = TOP(x).block * PATHS + fresh;
    assert(way_out[fresh] == 0 || way_out[fresh] == attempt + 1);
    way_out[fresh] = attempt + 1;
    level = instance[x].depth - 1;
    CLEAR_FRAME(instance[x].frame[level]);
    clear_counts(x, instance[x].depth);
    instance[x].depth--;
    if
    :: instance[x].known > instance[x].depth -> instance[x].known = instance[x].depth
    :: else
    fi;
    instance[x].arrived = 0;
    instance[x].pc = NEXT[AT(x)]
}

inline acknowledge(x) {
    i = 0;
    do
    :: i < instance[x].depth && instance[x].frame[i].name != name -> i++
    :: else -> break
    od;
    if
    :: i < instance[x].depth && instance[x].known < i + 1 -> instance[x].known = i + 1
    :: else
    fi
}

inline hear(x) {
    down[x]?kind, name, attempt, number;
    if
    :: kind == RECOVER -> recover(x)
    :: kind == GO && number == 0 -> leave(x)
    :: kind == GO && number != 0 -> renew(x)
    :: kind == START ->
        if
        :: instance[x].held == attempt && attempt != 0 -> instance[x].held = 0; instance[x].known = instance[x].depth
        :: else
        fi
    :: kind == EACK -> acknowledge(x)
    :: kind == LIFE -> q = name; meet(x, q, attempt); q = name; retire(q)
    fi;
    if
    :: instance[x].held == 0 -> release(x)
    :: else
    fi
}

proctype Role(byte x) {
    byte way;
end:
    do
    /* Its own node reports the failure, behind everything that it has said. */
    :: d_step {
        instance[x].alive && !instance[x].ended && !over && IS_CURRENT(x) && failures < NC && nfull(up[x]) ->
        failures++;
        instance[x].alive = 0;
        up[x]!FAIL, 0, 0, 0
        }
    /* Its host is lost, and with it what was on its way to the home, or to one of the others, or nothing. */
    :: atomic {
        instance[x].alive && !view[ROLE(x)].ended && !over && IS_CURRENT(x) && losses < NH && IS_AWAY(ROLE(x)) ->
        if
        :: d_step {
            nempty(up[x]) ->
            drain_reports(up[x]);
#ifdef AT_HOME
            drain(data[BETWEEN(x, MET(x, AT_HOME))]);
#endif
            way = 0
            }
        :: skip
        fi;
        do
        :: way < ROLES && way != ROLE(x) ->
            if
            :: d_step { nempty(data[BETWEEN(x, MET(x, way))]) -> drain(data[BETWEEN(x, MET(x, way))]); old = 0 }
            :: skip
            fi;
            way++
        :: way == ROLE(x) -> way++
        :: way == ROLES -> break
        od;
        d_step { way = 0; losses++; instance[x].alive = 0; lost[x] = 1 }
        }
    :: d_step { instance[x].alive && !over && nempty(down[x]) && nfull(up[x]) -> hear(x) }
    :: d_step {
        RUNS(x) && OP[AT(x)] == OP_SEND && (KEPT(x, ARG[AT(x)]).count < K || FIRST_IS_TAKEN(x, ARG[AT(x)])) -> send(x)
        }
#ifdef ANYLIFE
    :: d_step { CAN_READ(x, 0) -> its_life = 0; receive(x) }
#if LIVES > 1
    :: d_step { CAN_READ(x, 1) -> its_life = 1; receive(x) }
#endif
#if LIVES > 2
    :: d_step { CAN_READ(x, 2) -> its_life = 2; receive(x) }
#endif
#else
    :: d_step { CAN_READ(x, MET_NOW(x)) -> its_life = MET_NOW(x); receive(x) }
#endif
    :: atomic {
        RUNS(x) && OP[AT(x)] == OP_CHOOSE ->
        if
        :: ARG[AT(x)] > 0 && agreed[ARG[AT(x)] - 1] > 0 -> way = agreed[ARG[AT(x)] - 1] - 1
        :: else ->
            do
            :: way + 1 < VALUE[AT(x)] -> way++
            :: break
            od
        fi;
        d_step {
            if
            :: ARG[AT(x)] > 0 -> agreed[ARG[AT(x)] - 1] = way + 1
            :: else
            fi;
            instance[x].pc = WAY[NEXT[AT(x)] + way];
            way = 0
        }
        }
    :: d_step { RUNS(x) && OP[AT(x)] == OP_ENTER && nfull(up[x]) -> enter(x) }
    :: d_step {
        RUNS(x) && (OP[AT(x)] == OP_ARRIVE || OP[AT(x)] == OP_RENEW) && !instance[x].arrived && nfull(up[x]) ->
        assert(TOP(x).block == ARG[AT(x)]);
        instance[x].arrived = 1;
        if
        :: OP[AT(x)] == OP_RENEW -> SAVE(x, instance[x].next)
        :: else
        fi;
        REPORT(x, ARRIVE, TOP(x).name, TOP(x).attempt, VALUE[AT(x)])
        }
    :: d_step {
        RUNS(x) && OP[AT(x)] == OP_END && !instance[x].ended && nfull(up[x]) ->
        assert(instance[x].depth == 0);
        instance[x].ended = 1;
        REPORT(x, END, 0, 0, 0)
        }
    :: d_step { RUNS(x) && OP[AT(x)] == OP_CUT && IS_CURRENT(x) -> over = 1 }
    :: d_step { RUNS(x) && OP[AT(x)] == OP_LOST -> assert(false) }
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
            :: !over && i < ROLES -> assert(view[i].ended); i++
            :: else -> break
            od;
            i = 0;
            do
            :: !over && i < ROLES ->
                j = 0;
                do
                :: j < ROLES && j != i ->
                    k = CURRENT(i);
                    old = CURRENT(j);
                    do
                    :: nempty(data[BETWEEN(k, old)]) ->
                        data[BETWEEN(k, old)]?at_epoch, at_number, _, _, _;
                        assert(BEFORE(at_epoch, at_number, instance[old].now.with[i].in_epoch,
                                      instance[old].now.with[i].in_number))
                    :: empty(data[BETWEEN(k, old)]) -> break
                    od;
                    j++
                :: j == i -> j++
                :: else -> break
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
        :: r < INSTANCES ->
            if
            :: r % LIVES == 0 -> instance[r].alive = 1
            :: else
            fi;
            run Role(r);
            run Home(r);
            r++
        :: else -> break
        od;
        r = 0;
#if NH + NF > 0 || defined(ABSENT)
        do
        :: r < ROLES -> run Suspect(r); r++
        :: else -> break
        od;
        r = 0;
#endif
#if ND > 0
        do
        :: r < RECORDS -> run Deadline(r); r++
        :: else -> break
        od;
        r = 0
#endif
    }
}
