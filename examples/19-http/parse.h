// parse.h: from the bytes of a head to a request. Strict: what could be understood in two ways is refused.

#ifndef PARSE_H
#define PARSE_H

#include "http.h"

// Inside a step of a role: the strings in it belong to that step.
struct request parse(struct part head);

// The same request, refused. If its body is still to come, the connection can't be used any longer.
struct request refuse(struct request request, int status, const char *why);

#endif
