/* arms.pml: arms and failures: two arms of a `par`, every interleaving, failures anywhere.

   Role Q takes part in both arms, role W of each arm only in that one; each arm is `Q -> W; W -> Q`. -DINSIDE=1: the arm with this number
   has a block of its own around that (2: both have; 3: none has). -DAROUND: there is a block around the `par`. A role that is lost loses all
   its arms. -DNC=2: so many are lost, at most. -DSLOW: the first W does nothing before Q is through with the other arm.

   Asserted: a message is taken by the receive that it was sent for, in its arm, in the same attempts of all blocks around; a role does
   one thing at a time; a block of an arm goes back as often as roles were lost in it; arms of an attempt that is over have ended when
   new ones begin; when nothing moves any more, all is done, or the session has failed for want of a block.

   Wrong protocols, each with an error:
   V_OTHERSBACK   a block of an arm takes the other arms of its roles back
   V_NOTCOUNTED   an arm in no block of its own does not count for the block around the `par`
   V_LEFTBEHIND   going back around the `par` leaves the arms as they are
   V_NOARM        arms are known by names that do not contain the arm
   V_NOATTEMPT    arms are known by names that do not contain the attempt of the block around
   V_TURNHELD     a role that waits in an arm keeps its turn
   V_NOTURN       a role goes on in two arms at once */

#ifndef NC
#define NC 1
#endif
#ifndef INSIDE
#define INSIDE 2
#endif

#define Q 0
#define ROLES 3
#define PARTS 4 /* of roles in arms: Q in 0, Q in 1, W of 0, W of 1 */
#define ARM(p) (p % 2)
#define ROLE(p) (p < 2 -> Q : 1 + p % 2)
#define PARTNER(p) ((p + 2) % 4)
#define HAS_BLOCK(a) (INSIDE == 2 || INSIDE == a)
#define FREE 9
#ifdef SLOW
#define IS_SLOW(p) (p == 2 && !over[1])
#else
#define IS_SLOW(p) false
#endif

#define ATTEMPTS (NC + 1)
#ifdef V_NOARM
#define PLACE(around, a) (around * 2)
#else
#ifdef V_NOATTEMPT
#define PLACE(around, a) (a)
#else
#define PLACE(around, a) (around * 2 + a)
#endif
#endif

/* By place, first those of Q: attempt of the block around, arm, attempt of the arm's block. */
chan channel[4 * ATTEMPTS] = [3] of {byte, byte, byte};
#define TO(p, around) channel[PLACE(around, ARM(p)) * 2 + p / 2]
#define FROM(p, around) channel[PLACE(around, ARM(p)) * 2 + 1 - p / 2]

byte around;        /* attempt of the block around the `par` */
byte attempt[2];    /* of the block of each arm */
byte charged[2];    /* so many failures, in this attempt of the block around */
byte begun[PARTS];  /* in that attempt of the block around, + 1; 0: not */
bool runs[PARTS];   /* its actor does */
bool over[PARTS];
bool inside[PARTS]; /* the block of the arm */
bool arrived[PARTS];
bool passed[2];     /* all were at the end of the arm's block */
bool is_there[ROLES]; /* at the end of the block around */
bool all_there, failed;
byte turn = FREE;   /* Q's: which part has it */
bool acts;          /* Q does */
byte losses;
hidden byte i_;

inline charge_arm(a)
{
    attempt[(a)]++;
    charged[(a)]++;
    arrived[(a)] = false;
    arrived[(a) + 2] = false;
#ifdef V_OTHERSBACK
    if
    :: inside[1 - (a)] || inside[3 - (a)] -> attempt[1 - (a)]++; arrived[1 - (a)] = false; arrived[3 - (a)] = false
    :: else
    fi
#endif
}

inline charge_around()
{
#ifdef AROUND
    around++;
    for (i_ : 0 .. 1) {
        attempt[i_] = 0;
        charged[i_] = 0;
        passed[i_] = false
    }
    for (i_ : 0 .. PARTS - 1) {
        inside[i_] = false;
        arrived[i_] = false
    }
    for (i_ : 0 .. ROLES - 1) {
        is_there[i_] = false
    }
#else
    failed = true
#endif
}

#define LIVES(p) (begun[p] == around + 1 && !over[p])
#define OUTSIDE(p) (LIVES(p) && !inside[p])

/* The role is lost: each of its arms fails where it is. One that waits only for the others to end is where the `par` is. */
inline lose(r)
{
    atomic {
        losses < NC && !failed && !all_there -> losses++;
        if
#ifndef V_NOTCOUNTED
        :: r == Q && (OUTSIDE(0) || OUTSIDE(1)) -> charge_around()
        :: r != Q && OUTSIDE(r + 1) -> charge_around()
#endif
        :: r == Q && !LIVES(0) && !LIVES(1) -> charge_around()
        :: r != Q && !LIVES(r + 1) -> charge_around()
        :: else ->
            if
            :: r == Q && LIVES(0) && inside[0] -> charge_arm(0)
            :: else
            fi;
            if
            :: r == Q && LIVES(1) && inside[1] -> charge_arm(1)
            :: else
            fi;
            if
            :: r != Q && LIVES(r + 1) && inside[r + 1] -> charge_arm(r - 1)
            :: else
            fi;
#ifdef V_NOTCOUNTED
            /* What was in no block is just gone. */
            if
            :: r == Q && OUTSIDE(0) -> begun[0] = 0
            :: r == Q && !OUTSIDE(0) && OUTSIDE(1) -> begun[1] = 0
            :: r != Q && OUTSIDE(r + 1) -> begun[r + 1] = 0
            :: else
            fi
#endif
        fi
    }
}

#define IS_Q (p < 2)
#define MINE (begun[p] == mine + 1 && around == mine && !failed)
#define BEHIND (inside[p] && attempt[ARM(p)] != known)
#ifdef V_NOTURN
#define HAS_TURN true
#else
#define HAS_TURN (!IS_Q || turn == FREE || turn == p)
#endif

/* The role goes on in this arm, with its own code: until give_turn. */
inline take_turn()
{
    if
    :: IS_Q -> assert(!acts); acts = true; turn = p
    :: else
    fi
}

inline give_turn()
{
    if
    :: IS_Q -> acts = false; turn = FREE
    :: else
    fi
}

/* Where an arm waits. */
inline give_turn_to_wait()
{
#ifdef V_TURNHELD
    acts = false
#else
    give_turn()
#endif
}

/* Something has happened: the part ends, or goes back to its block. */
#define CALLED_BACK \
    :: atomic { !MINE -> goto ends } \
    :: atomic { MINE && BEHIND && HAS_TURN -> known = attempt[ARM(p)]; goto body }
#define LOOK if :: !MINE -> goto ends :: MINE && BEHIND -> known = attempt[ARM(p)]; goto body :: else fi

proctype part(byte p)
{
    byte mine, known, got_around, got_arm, got_attempt;
end_idle:
    atomic { begun[p] == around + 1 && !over[p] && !failed && HAS_TURN ->
        mine = around; known = 0; runs[p] = true;
        if
        :: HAS_BLOCK(ARM(p)) -> inside[p] = true; known = attempt[ARM(p)]
        :: else
        fi }
body:
    if
    :: IS_Q ->
        do
        :: atomic { MINE && !BEHIND && HAS_TURN -> take_turn(); break }
        CALLED_BACK
        od;
        atomic {
            if
            :: !MINE || BEHIND -> give_turn()
            :: else -> TO(p, mine) ! mine, ARM(p), known; give_turn_to_wait()
            fi;
            LOOK
        }
    :: else
    fi;
    do
    :: atomic { MINE && !BEHIND && HAS_TURN && !IS_SLOW(p) && FROM(p, mine) ? [got_around, got_arm, got_attempt] ->
        FROM(p, mine) ? <got_around, got_arm, got_attempt>;
        assert(got_around == mine && got_arm == ARM(p));
        if
        :: got_attempt <= known -> FROM(p, mine) ? got_around, got_arm, got_attempt
        :: else
        fi;
        assert(got_attempt <= known);
        if
        :: got_attempt == known -> take_turn(); break
        :: else
        fi }
    CALLED_BACK
    od;
    atomic {
        if
        :: MINE && !BEHIND && !IS_Q -> TO(p, mine) ! mine, ARM(p), known
        :: else
        fi;
        give_turn_to_wait();
        LOOK;
        if
        :: HAS_BLOCK(ARM(p)) ->
            assert(attempt[ARM(p)] == charged[ARM(p)]);
            arrived[p] = true;
            if
            :: arrived[PARTNER(p)] -> inside[p] = false; inside[PARTNER(p)] = false; passed[ARM(p)] = true
            :: else
            fi
        :: else -> passed[ARM(p)] = true
        fi
    }
    do
    :: atomic { MINE && passed[ARM(p)] && HAS_TURN -> over[p] = true; break }
    CALLED_BACK
    od;
ends:
    atomic {
        if
        :: turn == p -> give_turn()
        :: else
        fi;
        runs[p] = false;
        goto end_idle
    }
}

#define FIRST(r) (r == Q -> 0 : r + 1)
#define LAST(r) (r == Q -> 1 : r + 1)

#ifdef V_LEFTBEHIND
#define ARMS_ENDED(r) true
#else
#define ARMS_ENDED(r) (!runs[FIRST(r)] && !runs[LAST(r)])
#endif

proctype role(byte r)
{
    byte came, k; /* came to the `par` in this attempt, + 1 */
    do
    :: atomic { failed || all_there -> break }
    :: atomic { !failed && came != around + 1 && ARMS_ENDED(r) ->
            for (k : FIRST(r) .. LAST(r)) {
                assert(!runs[k]);
                over[k] = false;
                begun[k] = around + 1
            }
            came = around + 1 }
    :: atomic { !failed && !is_there[r] && came == around + 1 && over[FIRST(r)] && over[LAST(r)] ->
            is_there[r] = true;
            all_there = is_there[0] && is_there[1] && is_there[2] }
    od
}

/* Roles are lost at any time. The second arm's W is as the first one's, if both arms are alike. */
proctype fate()
{
    do
    :: lose(Q)
    :: lose(1)
#if INSIDE != 2
    :: lose(2)
#endif
    :: break
    od
}

init
{
    byte n;
    atomic {
        for (n : 0 .. PARTS - 1) {
            run part(n)
        }
        for (n : 0 .. ROLES - 1) {
            run role(n)
        }
        run fate()
    }
    timeout -> assert(all_there || failed)
}
