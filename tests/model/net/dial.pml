/* How two nodes find one connection: both dial, connections cross, break and are noticed late, and one of the nodes is
   restarted as another process. What is sent on connections is link.pml's.

   A node is at most at one end of each connection. Its process writes HELLO when it has dialled; the other one answers, and
   both are up. Connections have no order among each other: a HELLO may be read long after its sender has closed the
   connection, or has died. Rules, as in src/net/link/hello.c:

     L2  if both have dialled, the connection that the smaller incarnation has dialled stays
     L3  a connection that the peer has dialled is taken for newer than all others, unless the peer has said since that it is void
     L4  another process under the peer's name: the link is lost. Who has not been asked must show that it lives first

   Asserted: a link is lost only if the process at its other end is dead; nobody takes the other for somebody who has
   forgotten the link; answers go to who has asked. At the end, when nothing more can happen, both nodes are up on the same
   connection, unless all connections of the model are used up by cuts and restarts: without these, two are enough.

   Options: NC connections, NX of them cut, NI restarts of node 1, ORDER of incarnations. Wrong variants: V_LATE (a HELLO
   counts although its sender has given the connection up since), V_UNASKED (a process counts that has not shown that it
   lives), V_BOTHGIVEUP (of crossing connections each node gives up its own), V_KEEPDIAL (a node that is up does not give up
   what it has dialled). */
#ifndef NC
#define NC 4
#endif
#ifndef NX
#define NX 1
#endif
#ifndef NI
#define NI 1
#endif
#ifndef ORDER
#define ORDER 0
#endif
#define NONE 255
#define MOST 6 /* NC is not more */
#define AT(c, n) ((c) * 2 + (n))
/* There is something to read, or the end is seen: the other end is closed, or nothing has come for a while. */
#define HAS(c, n) (open[AT(c, n)] && (nempty(wire[AT(c, 1 - n)]) || dead[c] || !open[AT(c, 1 - n)]))
#define USED(c) (!dead[c] && (open[AT(c, 0)] || open[AT(c, 1)]))

mtype = { HELLO, ANSWER, PING, PONG, DUPLICATE };
/* From node n on connection c: kind, incarnation, peer as known, time of dialling (connections made so far). */
chan wire[MOST * 2] = [4] of { mtype, byte, byte, byte };
bit open[MOST * 2];       /* the node's end is there */
bit dead[MOST];           /* the connection is cut: nothing that is written arrives */
bit challenged[MOST * 2]; /* PING was sent instead of an answer */
byte made, cuts, deaths;

byte incarnation[2];
byte up[2], dial[2];    /* a connection, or NONE */
byte peer[2], peer_time[2];
bit confirmed[2];
bit is_over;

inline write(wn, wc, what, one, two, three) {
  if
  :: dead[wc] || !open[AT(wc, 1 - wn)] -> skip
  :: else -> wire[AT(wc, wn)]!what,one,two,three
  fi
}
inline flush(fn, fc) { do :: wire[AT(fc, fn)]?_,_,_,_ :: empty(wire[AT(fc, fn)]) -> break od }

/* The node's end is closed; what it has not read is gone. */
inline shut(sn, sc) {
  open[AT(sc, sn)] = 0; challenged[AT(sc, sn)] = 0;
  flush(1 - sn, sc);
  if :: up[sn] == sc -> up[sn] = NONE :: else fi;
  if :: dial[sn] == sc -> dial[sn] = NONE :: else fi
}
inline shut_all(xn) {
  k = 0;
  do :: k < made -> if :: open[AT(k, xn)] -> shut(xn, k) :: else fi; k++ :: else -> break od;
  k = 0
}
inline lose(ln) {
  assert(peer[ln] != incarnation[1 - ln]);
  shut_all(ln); peer[ln] = 0; peer_time[ln] = 0; confirmed[ln] = 0
}
inline learn(gn, who, when) {
  if :: peer[gn] != who || when > peer_time[gn] -> peer_time[gn] = when :: else fi;
  peer[gn] = who
}

inline on_hello(hn, hc, from, knows, at) {
  if
  :: knows != 0 && knows != incarnation[hn] -> write(hn, hc, ANSWER, incarnation[hn], from, made); shut(hn, hc)
  :: else ->
     if
#ifndef V_LATE
     :: from == peer[hn] && at <= peer_time[hn] -> shut(hn, hc)
#endif
     :: peer[hn] != 0 && from != peer[hn] ->
#ifdef V_UNASKED
        lose(hn)
#else
        challenged[AT(hc, hn)] = 1; write(hn, hc, PING, 0, 0, 0)
#endif
     :: else ->
        assert(!(from == peer[hn] && knows == 0 && confirmed[hn]));
        if
#ifdef V_BOTHGIVEUP
        :: dial[hn] != NONE && from < incarnation[hn] -> write(hn, hc, DUPLICATE, 0, 0, 0); shut(hn, hc)
        :: dial[hn] != NONE && from > incarnation[hn] -> write(hn, hc, DUPLICATE, 0, 0, 0); shut(hn, hc)
#else
        :: dial[hn] != NONE && incarnation[hn] < from -> write(hn, hc, DUPLICATE, 0, 0, 0); shut(hn, hc)
#endif
        :: else ->
#ifndef V_KEEPDIAL
           if :: dial[hn] != NONE -> k = dial[hn]; shut(hn, k) :: else fi;
#endif
           if :: up[hn] != NONE -> k = up[hn]; shut(hn, k) :: else fi;
           learn(hn, from, at);
           write(hn, hc, ANSWER, incarnation[hn], from, made);
           up[hn] = hc; k = 0
        fi
     fi
  fi
}
inline on_answer(an, ac, by, to, time) {
  if
  :: peer[an] != 0 && by != peer[an] -> lose(an)
  :: else ->
     assert(to == incarnation[an] && up[an] == NONE);
     learn(an, by, time); confirmed[an] = 1;
     dial[an] = NONE; up[an] = ac;
     write(an, ac, PING, 0, 0, 0)
  fi
}

proctype Node(byte n) {
  byte c, a, b, t, k; mtype kind;
end:
  do
  :: atomic { is_over -> break }
  :: atomic { up[n] == NONE && dial[n] == NONE && made < NC ->
       c = made; made++;
       open[AT(c, 0)] = 1; open[AT(c, 1)] = 1; dial[n] = c;
       write(n, c, HELLO, incarnation[n], peer[n], made); c = 0 }
  /* Something is read from any connection. */
  :: atomic { HAS(0, n) || HAS(1, n) || HAS(2, n) || HAS(3, n) || HAS(4, n) || HAS(5, n) ->
       if
       :: HAS(0, n) -> c = 0 :: HAS(1, n) -> c = 1 :: HAS(2, n) -> c = 2
       :: HAS(3, n) -> c = 3 :: HAS(4, n) -> c = 4 :: HAS(5, n) -> c = 5
       fi;
       if
       :: nempty(wire[AT(c, 1 - n)]) ->
          wire[AT(c, 1 - n)]?kind,a,b,t;
          if
          :: kind == HELLO -> on_hello(n, c, a, b, t)
          :: kind == ANSWER -> on_answer(n, c, a, b, t)
          :: kind == PING && dial[n] == c -> write(n, c, PONG, 0, 0, 0)
          :: kind == PING && dial[n] != c -> confirmed[n] = 1
          :: kind == PONG -> if :: challenged[AT(c, n)] -> lose(n) :: else fi
          :: kind == DUPLICATE -> shut(n, c)
          fi
       :: empty(wire[AT(c, 1 - n)]) -> shut(n, c)
       fi;
       c = 0; a = 0; b = 0; t = 0; k = 0; kind = 0 }
  od
}

/* Cuts, restarts. */
proctype Fate() {
  byte c, k;
end:
  do
  :: atomic { is_over -> break }
  :: atomic { cuts < NX && (USED(0) || USED(1) || USED(2) || USED(3) || USED(4) || USED(5)) ->
       if
       :: USED(0) -> c = 0 :: USED(1) -> c = 1 :: USED(2) -> c = 2
       :: USED(3) -> c = 3 :: USED(4) -> c = 4 :: USED(5) -> c = 5
       fi;
       cuts++; dead[c] = 1;
       if :: flush(0, c) :: skip fi;
       if :: flush(1, c) :: skip fi;
       c = 0 }
  :: atomic { deaths < NI ->
       deaths++;
       k = 0;
       do
       :: k < made -> if :: open[AT(k, 1)] -> open[AT(k, 1)] = 0; challenged[AT(k, 1)] = 0; flush(0, k) :: else fi; k++
       :: else -> break
       od;
       k = 0;
       up[1] = NONE; dial[1] = NONE; peer[1] = 0; peer_time[1] = 0; confirmed[1] = 0;
       incarnation[1] = (incarnation[1] > 5 -> 5 - deaths : 5 + deaths) }
  /* Nothing can happen any more. */
  :: atomic { timeout && !is_over -> is_over = 1; assert((NX + NI > 0 && made == NC) || (up[0] == up[1] && up[0] != NONE)) }
  od
}

init {
  atomic {
    incarnation[0] = 5; incarnation[1] = (ORDER == 0 -> 9 : 1);
    up[0] = NONE; up[1] = NONE; dial[0] = NONE; dial[1] = NONE;
    run Node(0); run Node(1); run Fate()
  }
}
