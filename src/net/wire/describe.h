// describe.h: the frames as tables for people, made from fields.h. docs/wire.md contains this text; a unit test compares.

#ifndef NET_WIRE_DESCRIBE_H
#define NET_WIRE_DESCRIBE_H

#include <stdio.h>

void wire_describe(FILE *file);

#endif
