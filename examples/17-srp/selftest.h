// selftest.h: is the arithmetic right?

#ifndef SELFTEST_H
#define SELFTEST_H

#include <stdbool.h>

bool selftest(void); // prints a line for each number that is compared; true: all are right

#endif
