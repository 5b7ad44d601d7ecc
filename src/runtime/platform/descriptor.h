// descriptor.h: descriptors that the runtime keeps open in a process that is not its own.
//
// A program may close descriptors that it has not opened, all of them for instance, and open files of its own that get the
// same numbers. So the runtime remembers which file each of its descriptors referred to, and looks before it uses or closes
// one. Only files that can be told apart are kept: sockets, pipes, memory and ordinary files each have a number of their
// own; eventfds and epoll descriptors do not.

#ifndef RUNTIME_PLATFORM_DESCRIPTOR_H
#define RUNTIME_PLATFORM_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

typedef struct {
    int number; // -1: there is none
    dev_t device;
    ino_t inode;
} Descriptor;

#define NO_DESCRIPTOR ((Descriptor){.number = -1})
// What is said where one of them is gone.
#define DESCRIPTOR_LOST "the program has closed a descriptor of the chorex library"

enum { DESCRIPTOR_FIRST = 6 }; // the standard streams' numbers and those that the zygote uses are below

// Takes over this descriptor, under a number from DESCRIPTOR_FIRST on: a program may be started with its standard streams
// closed, and then print. -1 is none; errno stays then. None if that can't be done; errno says why, and it is closed.
Descriptor descriptor_keep(int number);
// Takes over this descriptor under the number that it has: for one that is closed again soon. -1 is none; errno stays then.
Descriptor descriptor_note(int number);
// Is there one, and does it still refer to the file that it was made for?
bool descriptor_is_ours(const Descriptor *descriptor);
// Its number; -1 and EBADF: it is not ours any more.
int descriptor_use(const Descriptor *descriptor);
// Reads from it, without waiting for something to read even if its number has become that of another file. Like read;
// EBADF: it is not ours any more; EAGAIN: there is nothing.
ssize_t descriptor_read(const Descriptor *descriptor, void *to, size_t size);
// Closes it if it is still ours. There is none afterwards.
void descriptor_close(Descriptor *descriptor);
// A pipe that does not block, in the place of one that is not there or not ours any more. False: it can't be had; errno
// says why.
bool descriptor_open_pipe(Descriptor ends[2]);
bool descriptor_owns_pipe(const Descriptor ends[2]);

#endif
