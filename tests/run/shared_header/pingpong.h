// A choreography that two files share.
#ifndef PINGPONG_H
#define PINGPONG_H

#include <chorex.h>

choreography(pingpong, (Ping, Pong),
    int Ping.serve(int n);
    int Pong.play(int n);
    def run(Ping.int n) -> Ping.int {
        Ping.serve(n) ~> Pong.n;
        Pong.play(n) ~> Ping.back;
        return Ping.back;
    }
)

#endif
