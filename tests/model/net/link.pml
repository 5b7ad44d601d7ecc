/* The link between two nodes: frames are numbered from 1, kept until they are acknowledged, and sent again over new
   connections. One direction: Sender has N frames for Receiver, acknowledgements come back. The code is src/net/link; how
   connections come about if both nodes dial is dial.pml's.

   A connection can be cut at any time, and each side notices by itself. What was under way is lost, or is still read; bytes of
   the old connection can come in after the new one is there. Receiver's process can die and come back empty, as another
   incarnation: then Sender has to say so, and must never resume.

   Asserted: Receiver's layer above gets frame after frame, each once (`got`). At the end Sender has everything acknowledged,
   or has said that Receiver's process is gone; anything else is an invalid end state.

   Options: N frames, W kept at most, NX cuts, NI deaths. Wrong variants: V_RECV_OLD (the old connection is read on, and its
   numbers are not looked at), V_NOSEQ (numbers are not looked at), V_NORESUME (Sender goes on behind what it has written,
   not behind what Receiver has), V_NOINC (incarnations are not compared), V_ACKEARLY (frames are let go when they are
   written). V_NOSEQ alone does no harm, since unread bytes of the old connection are thrown away; numbers are the second
   line of defence. With V_RECV_OLD there is no first one. */
#ifndef N
#define N 4
#endif
#ifndef W
#define W 2
#endif
#ifndef NX
#define NX 3
#endif
#ifndef NI
#define NI 0
#endif
#define NC (NX + NI + 1) /* connections */
#define ROOM (W + 2)
#define NONE 255

mtype = { HELLO, DATA, ACK };
chan forth[NC] = [ROOM] of { mtype, byte, byte }; /* HELLO (Receiver's incarnation as known, acknowledged), DATA number */
chan back[NC] = [ROOM] of { mtype, byte, byte };  /* HELLO (own incarnation, received), ACK received */
bit shut_sender[NC], shut_receiver[NC];           /* this side has closed the connection, or seen its end */
byte made;                                        /* connections so far: 0 to made - 1 */
byte cuts, deaths;
byte incarnation = 1;                             /* of Receiver's process */
byte got;                                         /* frames that its layer above was given */
bit is_done;                                      /* everything is acknowledged */
bit is_lost;                                      /* Sender has said that Receiver's process is gone */

inline discard(pipe) { do :: pipe?_,_,_ :: empty(pipe) -> break od }

proctype Sender() {
  byte sent = 0, acknowledged = 0;
  byte next = 0;                /* frames up to here are written on this connection */
  byte c = 0, known = 0, who, number;
  bit up = 0;                   /* the answer to HELLO is there */
  do
  :: atomic { is_lost -> break }
  :: atomic { acknowledged == N -> is_done = 1; break }
  :: atomic { sent < N && sent - acknowledged < W -> sent++ }
  :: atomic { !up && (made == 0 || shut_sender[c]) && made < NC ->
       c = made; made++; forth[c]!HELLO,known,acknowledged }
  :: atomic { !up && made > 0 && !shut_sender[c] && back[c]?[HELLO,_,_] ->
       back[c]?HELLO,who,number;
       if
#ifndef V_NOINC
       :: known != 0 && who != known -> is_lost = 1
#endif
       :: else ->
          known = who; up = 1;
          if :: number > acknowledged -> acknowledged = number :: else fi;
#ifndef V_NORESUME
          next = acknowledged
#endif
       fi }
  :: atomic { up && !shut_sender[c] && next < sent && nfull(forth[c]) ->
       next++; forth[c]!DATA,next,0;
#ifdef V_ACKEARLY
       acknowledged = next
#endif
     }
  :: atomic { up && !shut_sender[c] && back[c]?[ACK,_,_] ->
       back[c]?ACK,number,_;
       if :: number > acknowledged -> acknowledged = number :: else fi }
  /* Sender sees the connection break. What Receiver had sent is lost; what Sender had written may still be read, or not. */
  :: atomic { made > 0 && !shut_sender[c] && cuts < NX ->
       cuts++; shut_sender[c] = 1; up = 0;
       discard(back[c]);
       if :: skip :: discard(forth[c]) fi;
       number = 0; who = 0 }
  :: atomic { made > 0 && !shut_sender[c] && shut_receiver[c] && empty(back[c]) ->
       shut_sender[c] = 1; up = 0; number = 0; who = 0 }
  od
}

proctype Receiver() {
  byte c = NONE, received = 0, i, number;
  do
  /* A newer connection: first the old one is closed, unread bytes and all, then `received` is looked at. */
  :: atomic { made > 0 && (c == NONE || c + 1 < made) ->
       i = (c == NONE -> 0 : c + 1);
       if
       :: forth[i]?[HELLO,_,_] ->
          forth[i]?HELLO,_,_;
#ifndef V_RECV_OLD
          if :: c != NONE -> shut_receiver[c] = 1; discard(forth[c]) :: else fi;
#endif
          c = i; back[c]!HELLO,incarnation,received
       :: empty(forth[i]) && shut_sender[i] -> shut_receiver[i] = 1; c = i /* nothing came of it */
       fi;
       i = 0 }
  :: atomic { c != NONE && !shut_receiver[c] && forth[c]?[DATA,_,_] && nfull(back[c]) ->
       forth[c]?DATA,number,_;
       if
#ifndef V_NOSEQ
       :: number == received + 1 -> received = number; got++; assert(got == number)
       :: number <= received -> skip
       :: else -> assert(false)
#else
       :: true -> received = number; got++; assert(got == number)
#endif
       fi;
       if :: shut_sender[c] -> skip :: else -> back[c]!ACK,received,0 fi;
       number = 0 }
#ifdef V_RECV_OLD
  :: atomic { c != NONE && c > 0 && forth[c - 1]?[DATA,_,_] ->
       forth[c - 1]?DATA,number,_; received = number; got++; assert(got == number); number = 0 }
#endif
  :: atomic { c != NONE && !shut_receiver[c] && shut_sender[c] && empty(forth[c]) -> shut_receiver[c] = 1 }
  /* Receiver sees a cut that Sender has not seen: the connection is half open. */
  :: atomic { c != NONE && !shut_receiver[c] && cuts < NX -> cuts++; shut_receiver[c] = 1; discard(forth[c]) }
  /* Receiver's process dies and comes back empty. */
  :: atomic { deaths < NI ->
       deaths++; incarnation++; received = 0; got = 0;
       if :: c != NONE -> shut_receiver[c] = 1; discard(forth[c]) :: else fi }
  :: atomic { (got == N || is_lost || is_done) && timeout -> break }
  od
}

init { atomic { run Sender(); run Receiver() } }
