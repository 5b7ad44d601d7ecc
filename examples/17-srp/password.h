// password.h: asks for a password without showing it.

#ifndef PASSWORD_H
#define PASSWORD_H

#include <stdbool.h>
#include <stddef.h>

// From the first line of `file`; if that is NULL, from the terminal with echo off (`twice`: and once again, to be
// sure), or from the first line of standard input if that is no terminal. Returns NULL, or what is wrong; then
// `password` is wiped.
const char *password_read(const char *file, bool twice, char *password, size_t size);

#endif
