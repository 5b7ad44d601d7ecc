// A leader by vote. See docs/library.md.

#ifndef CHOREX_LIB_VOTE_H
#define CHOREX_LIB_VOTE_H

#include <chorex.h>

// The index of the largest number, the first one of several; -1 if all are 0.
static inline long chx_vote_winner(const long *votes, size_t count)
{
    long winner = -1, most = 0;
    for (size_t i = 0; i < count; i++) {
        if (votes[i] > most) {
            most = votes[i];
            winner = (long)i;
        }
    }
    return winner;
}

choreography(vote, (Clerk, Voter[]),
    long Voter.choose(void);

    // Who fails while it chooses, or chooses nobody there is, has no vote.
    def leader() -> Clerk.long, Voter[*].long {
        Clerk.long votes[Voter];
        for (v : Voter) {
            checkpoint {
                v.choose() ~> Clerk.long chosen;
                if (Clerk.(chosen >= 0 && (size_t)chosen < Voter_count)) {
                    Clerk.votes[chosen] += 1;
                }
            } rescue {
            }
        }
        Clerk.long winner = chx_vote_winner(votes, Voter_count);
        Clerk.winner ~> Voter[*].winner;
        return Clerk.winner, Voter[*].winner;
    }
)

#endif
