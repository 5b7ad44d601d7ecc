// A lottery that nobody can cheat in: clients share their secrets among servers, which choose one of them together and reveal no other.
// expect: the winner's secret is 1212
// expect: no lottery: Server[1] has changed its number
#include <chorex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

choreography(lottery, (Client[], Server[], Analyst),
    int Client.share_of(int secret, size_t server, size_t count);
    unsigned Server.number(void);
    unsigned Server.shown(unsigned number);
    uint64_t Server.salt(void);
    uint64_t Server.commitment(unsigned number, uint64_t salt);
    void Server.verify(size_t server, uint64_t commitment, unsigned number, uint64_t salt);
    unsigned Server.sum(const unsigned *numbers, size_t count);

    def run(Client[*].int secret) -> Analyst.int {
        // All shares of a secret together make it up; any fewer of them say nothing.
        Server[*].int shares[Client];
        for (c : Client) {
            for (s : Server) {
                c.share_of(secret, s, Server_count) ~> s.shares[c];
            }
        }
        // Every server chooses a number, and is bound to it before it knows the others'.
        Server[*].unsigned number = number();
        Server[*].uint64_t salt = salt();
        Server[*].uint64_t bound[Server];
        Server[*].unsigned numbers[Server];
        for (s : Server) {
            s.commitment(number, salt) ~> Server[*].bound[s];
        }
        for (s : Server) {
            s.{shown(number), salt} ~> Server[*].{numbers[s], shown_salt};
            Server[*].verify(s, bound[s], numbers[s], shown_salt);
        }
        // The sum of all numbers says who has won.
        Server[*].size_t winner = sum(numbers, Server_count) % Client_count;
        Analyst.int secret = 0;
        for (s : Server) {
            s.(shares[winner]) ~> Analyst.share;
            Analyst.secret ^= share;
        }
        return Analyst.secret;
    }
)

#include "lottery.Analyst.chor.h"
#include "lottery.Client.chor.h"
#include "lottery.Server.chor.h"

// A pseudo-random number; it is the same in each run. A real lottery would ask the system, and hash with SHA-256.
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static int Client_share_of(int secret, size_t server, size_t count)
{
    int last = secret;
    for (size_t i = 0; i + 1 < count; i++) {
        int share = (int)(mix(chx_role_index() * 1000 + i + 1) & 0x7fffffff);
        if (i == server)
            return share;
        last ^= share;
    }
    return last;
}

static unsigned Server_number(void)
{
    return (unsigned)mix(chx_role_index() + 7) % 1000;
}

static unsigned Server_shown(unsigned number)
{
    return number;
}

static uint64_t Server_salt(void)
{
    return mix(chx_role_index() + 70000);
}

static uint64_t Server_commitment(unsigned number, uint64_t salt)
{
    return mix(mix(salt) ^ number);
}

static void Server_verify(size_t server, uint64_t commitment, unsigned number, uint64_t salt)
{
    if (commitment != mix(mix(salt) ^ number))
        chx_fail("Server[%zu] has changed its number", server);
}

static unsigned Server_sum(const unsigned *numbers, size_t count)
{
    unsigned sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += numbers[i];
    return sum;
}

// Another implementation of the same role: it chooses again when it has seen what others have chosen.
#define CHX_ROLE_AS cheat
#include "lottery.Server.chor.h"

static unsigned cheat_number(void)
{
    return 1;
}

static unsigned cheat_shown(unsigned number)
{
    return number + 1;
}

static uint64_t cheat_salt(void)
{
    return 42;
}

static uint64_t cheat_commitment(unsigned number, uint64_t salt)
{
    return Server_commitment(number, salt);
}

static void cheat_verify(size_t server, uint64_t commitment, unsigned number, uint64_t salt)
{
    (void)server, (void)commitment, (void)number, (void)salt;
}

static unsigned cheat_sum(const unsigned *numbers, size_t count)
{
    return Server_sum(numbers, count);
}

int main(void)
{
    enum { CLIENTS = 6, SERVERS = 6 };
    static const int secrets[CLIENTS] = {1111, 1212, 1313, 1414, 1717, 1919};
    struct lottery_cast cast = {.Client = {.count = CLIENTS}, .Server = {.count = SERVERS}};
    struct lottery_run_result result;
    if (lottery_run(&result, &cast, secrets) != CHX_OK)
        return 1;
    printf("the winner's secret is %d\n", result.Analyst);

    chx_actor servers[SERVERS] = {[1] = {.role = &cheat}};
    cast.Server.member = servers;
    if (lottery_run(&result, &cast, secrets) == CHX_OK)
        return 1;
    printf("no lottery: %s\n", chx_last_report()->why);
    return 0;
}
