// pipe.h: roles that are played by another program, which talks to this one through standard input and output.

#ifndef PIPE_H
#define PIPE_H

#include <chorex.h>

extern const chx_role pipe_client; // stands in for SrpClient
extern const chx_role pipe_server; // stands in for SrpServer

#endif
