// show.h: an answer as a table or as JSON.

#ifndef TOOLS_TOP_SHOW_H
#define TOOLS_TOP_SHOW_H

#include "tools/top/answer.h"

#include <stdio.h>

// The earlier answer, for what happens in a second; NULL: there is none. No more lines than this, none of them longer; 0: no limit.
void show_table(const Answer *answer, const Answer *earlier, unsigned lines, unsigned columns, FILE *out);
// One line.
void show_json(const Answer *answer, FILE *out);

#endif
