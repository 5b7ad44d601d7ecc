/* cuts.pml: durable blocks: what is in the store, who may decide, and what happens when the home or all power is
   lost.

   tables.pml is what `chorcc --dump=model` prints for a choreography in which every role takes part in every block;
   every block is durable here. The store is one record that is changed by one transaction at a time, on the condition
   that the term is still the writer's. A cut is in the store before anybody begins the body of a block, and before
   anybody leaves it. A home that is given up is replaced by another one with the next term. All roles then begin
   again from the last cut, as new instances (numbered role * STARTS + how often that has happened), while the old
   home and the old instances go on if they were given up by mistake.

   Roles tell the home ENTER, ARRIVE and END and wait for the answer: GO_IN when a block's entry is in the store, GO
   when its end is. Messages between roles are those of one start; session.pml shows that those of another are
   dropped.

   The rules, numbered as in docs/hosts-protocol.md:
   C1  Every change is conditional on term and version; an outcome is final.
   C3  All have entered: the entry is committed, then GO_IN.
   C4  All have arrived: the end is committed, with what everybody goes on with if it was the outermost block, then
       GO. The end of a round is the entry of the next one, in one commit.
   C5  All have ended: the outcome is committed.
   C6  A role is lost: the next attempt of the innermost block that has one left is committed, then all begin again
       there.
   C8  The home is lost: the next term and a decision as in C6; outside of blocks all begin again from the last cut.

   Asserted: a message is taken by the receive that it was sent for; no attempt of a block is begun twice; all leave a
   block in the same attempt, for ever; when nothing moves any more, the outcome is in the store.

   -DNH=1 hosts of roles lost, -DNM=1 homes lost, -DNZ=1 homes given up by mistake, -DNP=1 losses of power (everything
   but the store), at most.

   Wrong protocols, each with an error in some choreography:
   V_NOBARRIER    the body begins before everybody has entered
   V_ENTERFIRST   the body begins before the entry is in the store
   V_GOFIRST      a block is left before its end is in the store
   V_NOCAS        a home of an old term can write
   V_NOEXIT       the store doesn't say what comes after the block
   V_SAMEATTEMPT  after a loss the same attempt is begun again
   V_NOOUTCOME    a late report counts after the outcome is known */

#include "tables.pml"

#ifndef NH
#define NH 0
#endif
#ifndef NM
#define NM 0
#endif
#ifndef NZ
#define NZ 0
#endif
#ifndef NP
#define NP 0
#endif

#define STARTS (1 + NH + NM + NZ + 2 * NP)
#define TERMS (1 + NM + NZ + NP)
#define INSTANCES (ROLES * STARTS)
#define ALL ((1 << ROLES) - 1)

#define ENTER 1  /* block */
#define ARRIVE 2 /* block, attempt, the block of the next round + 1, where the role goes on */
#define END 3
#define GO_IN 4  /* block, attempt */
#define GO 5     /* block, attempt, the block of the next round + 1 */

/* A role that has reported waits for the answer, so the order among roles is the one in which they reported. */
chan up[STARTS] = [ROLES] of {byte, byte, byte, byte, byte, byte}; /* role, and what it says */
chan down[INSTANCES] = [2] of {byte, byte, byte, byte};
chan data[ROLES * ROLES * STARTS] = [3] of {byte, byte};           /* position, outcome of a choice */

typedef Place {
    byte block;
    byte attempt
};
typedef Store {
    byte term;
    byte depth;
    Place place[DEPTH];
    byte base[ROLES]; /* where each role goes on, at the beginning or after the last outermost block */
    bit done;
    bit failed
};
typedef Instance {
    byte pc;
    byte depth;
    Place place[DEPTH];
    bit alive;
    bit lost;         /* its host is lost, and the home has not noticed yet */
    bit waits         /* for the home's answer */
};
Store store;
Instance instance[INSTANCES];
bit home_lost[TERMS];
byte starts;
byte terms = 1;       /* so many homes there have been */
byte losses, homes_lost, mistakes, powers;
byte agreed[AGREED];  /* outcome + 1 of choices on agreed values */

/* For assertions only: by block and the attempts around it, in which attempt it was left, and in which start each
   attempt was begun. */
#if DEPTH > 2
#define PATHS 16
#elif DEPTH > 1
#define PATHS 4
#else
#define PATHS 1
#endif
byte way_out[BLOCKS * PATHS];
byte begun[BLOCKS * PATHS * 4];

/* Only used within one d_step: hidden variables are not a part of the state. */
hidden byte i, j, k, p, path;

#define ROLE(x) ((x) / STARTS)
#define TOP(x) instance[x].place[instance[x].depth - 1]
#define START_OF(r, block, a) ((a) <= RETRY[block] -> BODY[(r) * BLOCKS + (block)] : RESCUE[(r) * BLOCKS + (block)])
#define AT(x) (ROLE(x) * OPS + instance[x].pc)
#define OUT(x) data[(ROLE(x) * ROLES + ARG[AT(x)]) * STARTS + (x) % STARTS]
#define IN(x) data[(ARG[AT(x)] * ROLES + ROLE(x)) * STARTS + (x) % STARTS]
#define RUNS(x) (instance[x].alive && !instance[x].waits)
#define OPEN (!store.done && !store.failed)

/* path: where in the two tables above the innermost block of x is. */
inline find_path(x) {
    path = 0;
    j = 0;
    do
    :: j + 1 < instance[x].depth -> path = path * 4 + instance[x].place[j].attempt; j++
    :: else -> break
    od;
    path = TOP(x).block * PATHS + path
}

/* An attempt is begun in one start only: it is never silently done again. */
inline begin_attempt(x) {
    find_path(x);
    p = path * 4 + TOP(x).attempt;
    assert(begun[p] == 0 || begun[p] == x % STARTS + 1);
    begun[p] = x % STARTS + 1;
    instance[x].pc = START_OF(ROLE(x), TOP(x).block, TOP(x).attempt)
}

inline go_in(x, entered) {
    instance[x].depth++;
    TOP(x).block = entered;
    TOP(x).attempt = 0;
    begin_attempt(x)
}

inline go_on(x, left, in_attempt, next) {
    assert((OP[AT(x)] == OP_ARRIVE || OP[AT(x)] == OP_RENEW) && TOP(x).block == left && TOP(x).attempt == in_attempt);
    find_path(x);
    assert(way_out[path] == 0 || way_out[path] == in_attempt + 1);
    way_out[path] = in_attempt + 1;
    if
    :: next != 0 -> TOP(x).block = next - 1; TOP(x).attempt = 0; begin_attempt(x)
    :: else ->
        instance[x].pc = NEXT[AT(x)];
        TOP(x).block = 0;
        TOP(x).attempt = 0;
        instance[x].depth--
    fi
}

proctype Role(byte x) {
    byte position, way, kind, block, attempt, next;
end:
    do
    :: d_step {
        instance[x].alive && losses < NH && x % STARTS == starts && OPEN ->
        losses++; instance[x].alive = 0; instance[x].lost = 1
        }
    :: d_step {
        RUNS(x) && OP[AT(x)] == OP_SEND && nfull(OUT(x)) ->
        OUT(x)!POSITION[AT(x)], VALUE[AT(x)];
        instance[x].pc = NEXT[AT(x)]
        }
    :: d_step {
        RUNS(x) && (OP[AT(x)] == OP_RECEIVE || OP[AT(x)] == OP_TOLD) && nempty(IN(x)) ->
        IN(x)?position, way;
        assert(position == POSITION[AT(x)]);
        if
        :: OP[AT(x)] == OP_TOLD -> instance[x].pc = WAY[NEXT[AT(x)] + way]
        :: else -> instance[x].pc = NEXT[AT(x)]
        fi;
        position = 0; way = 0
        }
    :: d_step {
        RUNS(x) && OP[AT(x)] == OP_PEEK && nempty(IN(x)) ->
        IN(x)?<position, way>;
        if
        :: SITE[position] == VALUE[AT(x)] -> instance[x].pc = NEXT[AT(x)]
        :: else -> instance[x].pc++
        fi;
        position = 0; way = 0
        }
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
    :: d_step {
        RUNS(x) && OP[AT(x)] == OP_ENTER && nfull(up[x % STARTS]) ->
        block = ARG[AT(x)];
        up[x % STARTS]!ROLE(x), ENTER, block, 0, 0, 0;
        instance[x].waits = 1;
#ifdef V_NOBARRIER
        instance[x].waits = 0;
        go_in(x, block);
#endif
        block = 0
        }
    :: d_step {
        RUNS(x) && (OP[AT(x)] == OP_ARRIVE || OP[AT(x)] == OP_RENEW) && nfull(up[x % STARTS]) ->
        up[x % STARTS]!ROLE(x), ARRIVE, TOP(x).block, TOP(x).attempt,
            (OP[AT(x)] == OP_RENEW -> VALUE[AT(x)] : 0), NEXT[AT(x)];
        instance[x].waits = 1
        }
    :: d_step {
        RUNS(x) && OP[AT(x)] == OP_END && nfull(up[x % STARTS]) ->
        up[x % STARTS]!ROLE(x), END, 0, 0, 0, 0;
        instance[x].waits = 1
        }
    :: d_step {
        instance[x].alive && nempty(down[x]) ->
        down[x]?kind, block, attempt, next;
        if
        :: kind == GO_IN ->
#ifndef V_NOBARRIER
            assert(instance[x].waits);
            instance[x].waits = 0;
            go_in(x, block)
#endif
        :: kind == GO ->
            assert(instance[x].waits);
            instance[x].waits = 0;
            go_on(x, block, attempt, next)
        fi;
        kind = 0; block = 0; attempt = 0; next = 0
        }
    :: d_step { RUNS(x) && OP[AT(x)] == OP_LOST -> assert(false) }
    /* The bound of the exploration: not a step that is modelled further. */
    :: d_step { RUNS(x) && OP[AT(x)] == OP_CUT && x % STARTS == starts && OPEN -> store.failed = 1 }
    od
}

#ifdef V_NOCAS
#define MINE true
#else
#define MINE (store.term == term) /* C1 */
#endif
#ifdef V_NOOUTCOME
#define MAY_WRITE MINE
#else
#define MAY_WRITE (MINE && OPEN)
#endif

/* C6, C8: in one transaction. */
inline commit_decision() {
    i = store.depth;
#ifndef V_SAMEATTEMPT
    do
    :: store.depth > 0 && store.place[store.depth - 1].attempt < LAST[store.place[store.depth - 1].block] ->
        store.place[store.depth - 1].attempt++;
        break
    :: store.depth > 0 && store.place[store.depth - 1].attempt >= LAST[store.place[store.depth - 1].block] ->
        store.depth--;
        store.place[store.depth].block = 0;
        store.place[store.depth].attempt = 0
    :: store.depth == 0 ->
        if
        :: i > 0 -> store.failed = 1
        :: else
        fi;
        break
    od
#endif
}

/* Each role begins anew from what this home has committed. */
inline restore(x) {
    instance[x].depth = depth;
    i = 0;
    do
    :: i < depth -> instance[x].place[i].block = at_block[i]; instance[x].place[i].attempt = at_attempt[i]; i++
    :: else -> break
    od;
    if
    :: depth == 0 -> instance[x].pc = base[ROLE(x)]
    :: else -> begin_attempt(x)
    fi;
    instance[x].alive = 1
}

inline commit_end() {
    assert(store.depth > 0 && store.place[store.depth - 1].block == block &&
           store.place[store.depth - 1].attempt == attempt);
    if
    :: next != 0 -> store.place[store.depth - 1].block = next - 1; store.place[store.depth - 1].attempt = 0
    :: else ->
        store.depth--;
        store.place[store.depth].block = 0;
        store.place[store.depth].attempt = 0;
#ifndef V_NOEXIT
        i = 0;
        do
        :: store.depth == 0 && i < ROLES -> store.base[i] = after[i]; i++
        :: else -> break
        od
#endif
    fi
}

#define FORGET_REPORT \
    r = 0; kind = 0; block = 0; attempt = 0; next = 0; goes_on = 0; i = 0; \
    do \
    :: i < ROLES -> after[i] = 0; i++ \
    :: else -> break \
    od

#define ANY_LOST \
    (instance[start].lost || (ROLES > 1 && instance[(ROLES > 1 -> 1 : 0) * STARTS + start].lost) || \
     (ROLES > 2 && instance[(ROLES > 2 -> 2 : 0) * STARTS + start].lost))

/* Sends an order to everybody, one after the other; the home can be lost in between. */
#define TELL_ALL(...) \
    do \
    :: home_lost[n] -> goto over \
    :: d_step { !home_lost[n] && r < ROLES -> __VA_ARGS__; r++ } \
    :: d_step { r == ROLES -> FORGET_REPORT; i = 0 }; break \
    :: d_step { !home_lost[n] && homes_lost < NM && terms == n + 1 -> homes_lost++; home_lost[n] = 1 } \
    od

/* The n-th home. */
proctype Home(byte n) {
    byte term, start, entered, arrived, ended, r, kind, block, attempt, next, goes_on, depth;
    byte after[ROLES], at_block[DEPTH], at_attempt[DEPTH], base[ROLES]; /* the last three: what it has committed */
    bit must_decide;
end_idle:
    if
    :: d_step { n == 0 -> term = 1 }
    /* C8: takes over from the one before, which is lost, or thought to be. */
    :: d_step {
        n > 0 && terms == n && OPEN && (home_lost[n - (n > 0)] || mistakes < NZ) ->
        if
        :: home_lost[n - 1]
        :: else -> mistakes++
        fi;
        terms++; store.term++; term = store.term; must_decide = 1
        }
    fi;
end_loop:
    do
    :: d_step { !home_lost[n] && homes_lost < NM && OPEN && terms == n + 1 -> homes_lost++; home_lost[n] = 1 }
    :: home_lost[n] -> goto over
    :: d_step {
        !home_lost[n] && !must_decide && OPEN && MINE && ANY_LOST ->
        must_decide = 1;
        i = 0;
        do
        :: i < ROLES -> instance[i * STARTS + start].lost = 0; i++
        :: else -> break
        od;
        i = 0
        }
    :: atomic {
        !home_lost[n] && must_decide ->
        if
        :: !MINE -> goto over
        :: MINE && !OPEN -> must_decide = 0
        :: MINE && OPEN ->
            d_step {
                commit_decision();
                must_decide = 0; entered = 0; arrived = 0; ended = 0; r = 0;
                if
                :: store.failed
                :: else ->
                    starts++;
                    start = starts;
                    assert(start < STARTS);
                    depth = store.depth;
                    i = 0;
                    do
                    :: i < DEPTH -> at_block[i] = store.place[i].block; at_attempt[i] = store.place[i].attempt; i++
                    :: else -> break
                    od;
                    i = 0;
                    do
                    :: i < ROLES -> base[i] = store.base[i]; i++
                    :: else -> break
                    od
                fi;
                i = 0
            };
            if
            :: store.failed
            :: else -> goto restoring
            fi
        fi
        }
    :: atomic {
        !home_lost[n] && !must_decide && nempty(up[start]) ->
        up[start]?r, kind, block, attempt, next, goes_on;
        if
        :: kind == ENTER ->
            entered = entered | (1 << r);
            if
            :: entered == ALL -> entered = 0; r = 0; goto entering
            :: else -> r = 0; kind = 0; block = 0; attempt = 0; next = 0; goes_on = 0
            fi
        :: kind == ARRIVE ->
            arrived = arrived | (1 << r);
            after[r] = goes_on;
            if
            :: arrived == ALL -> arrived = 0; r = 0; goto ending
            :: else -> r = 0; kind = 0; block = 0; attempt = 0; next = 0; goes_on = 0
            fi
        :: kind == END ->
            ended = ended | (1 << r);
            if
            :: ended == ALL -> ended = 0; r = 0; goto finishing
            :: else -> r = 0; kind = 0; block = 0; attempt = 0; next = 0; goes_on = 0
            fi
        fi
        }
    od;

entering: /* C3 */
#ifdef V_ENTERFIRST
    TELL_ALL(down[r * STARTS + start]!GO_IN, block, 0, 0);
#endif
    if
    :: d_step {
        !home_lost[n] && MAY_WRITE ->
        store.place[store.depth].block = block; store.place[store.depth].attempt = 0; store.depth++
        }
    :: home_lost[n] || !MAY_WRITE -> goto over
    fi;
#ifndef V_ENTERFIRST
    TELL_ALL(down[r * STARTS + start]!GO_IN, block, 0, 0);
#endif
    goto end_loop;

ending: /* C4 */
#ifdef V_GOFIRST
    do
    :: d_step { r < ROLES -> down[r * STARTS + start]!GO, block, attempt, next; r++ }
    :: r == ROLES -> break
    od;
#endif
    if
    :: d_step { !home_lost[n] && MAY_WRITE -> commit_end(); i = 0 }
    :: home_lost[n] || !MAY_WRITE -> goto over
    fi;
#ifdef V_GOFIRST
    skip;
    d_step { FORGET_REPORT; i = 0 };
#else
    TELL_ALL(down[r * STARTS + start]!GO, block, attempt, next);
#endif
    goto end_loop;

finishing: /* C5 */
    if
    :: d_step { !home_lost[n] && MAY_WRITE -> store.done = 1 }
    :: home_lost[n] || !MAY_WRITE
    fi;
    goto over;

restoring: /* C8 */
    TELL_ALL(k = r * STARTS + start; restore(k));
    skip;
    d_step {
        depth = 0;
        i = 0;
        do
        :: i < DEPTH -> at_block[i] = 0; at_attempt[i] = 0; i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < ROLES -> base[i] = 0; i++
        :: else -> break
        od;
        i = 0
    };
    goto end_loop;

over:
    skip
}

#if NP > 0
proctype Power() {
end:
    do
    :: d_step {
        powers < NP && OPEN ->
        powers++;
        i = 0;
        do
        :: i < INSTANCES ->
            instance[i].alive = 0;
            instance[i].lost = 0;
            do
            :: nempty(down[i]) -> down[i]?_, _, _, _
            :: empty(down[i]) -> break
            od;
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < STARTS ->
            do
            :: nempty(up[i]) -> up[i]?_, _, _, _, _, _
            :: empty(up[i]) -> break
            od;
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < ROLES * ROLES * STARTS ->
            do
            :: nempty(data[i]) -> data[i]?_, _
            :: empty(data[i]) -> break
            od;
            i++
        :: else -> break
        od;
        i = 0;
        do
        :: i < terms -> home_lost[i] = 1; i++
        :: else -> break
        od;
        i = 0
        }
    od
}
#endif

/* When nothing moves any more. */
proctype Watch() {
    atomic { timeout -> assert(store.done || store.failed) }
}

init {
    byte r;
    atomic {
        store.term = 1;
        run Watch();
        do
        :: r < TERMS -> run Home(r); r++
        :: else -> break
        od;
        r = 0;
#if NP > 0
        run Power();
#endif
        do
        :: r < INSTANCES ->
            if
            :: r % STARTS == 0 -> instance[r].alive = 1
            :: else
            fi;
            run Role(r);
            r++
        :: else -> break
        od;
        r = 0
    }
}
