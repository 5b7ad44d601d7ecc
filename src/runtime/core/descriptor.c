// descriptor.c: see descriptor.h.

#define _GNU_SOURCE
#include "runtime/core/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int number_high(int number)
{
    if (number < 0 || number >= DESCRIPTOR_FIRST)
        return number;
    int copy = fcntl(number, F_DUPFD_CLOEXEC, DESCRIPTOR_FIRST), error = errno;
    close(number);
    errno = error == EINVAL ? EMFILE : error; // the limit lies below the first number that it may get
    return copy;
}

Descriptor descriptor_keep(int number)
{
    struct stat file;
    number = number_high(number);
    if (number < 0)
        return NO_DESCRIPTOR;
    if (fstat(number, &file) != 0) {
        int error = errno;
        close(number);
        errno = error;
        return NO_DESCRIPTOR;
    }
    return (Descriptor){number, file.st_dev, file.st_ino};
}

bool descriptor_is_ours(const Descriptor *descriptor)
{
    struct stat file;
    return descriptor->number >= 0 && fstat(descriptor->number, &file) == 0 && file.st_ino == descriptor->inode &&
           file.st_dev == descriptor->device;
}

int descriptor_use(const Descriptor *descriptor)
{
    if (descriptor_is_ours(descriptor))
        return descriptor->number;
    errno = EBADF;
    return -1;
}

void descriptor_close(Descriptor *descriptor)
{
    int number = descriptor_use(descriptor);
    if (number >= 0)
        close(number);
    *descriptor = NO_DESCRIPTOR;
}
