// zygote_message.c: what the program and the zygote say to each other, over a socket. See zygote.h.

#define _GNU_SOURCE
#include "runtime/isolation/zygote.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

bool zygote_message_send(int socket, const ZygoteMessage *message, const int *files, size_t count, int flags)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(ZYGOTE_FILES_MAX * sizeof(int))];
    } control;
    struct iovec part = {(void *)message, sizeof *message};
    struct msghdr whole = {.msg_iov = &part, .msg_iovlen = 1};
    if (count > 0) {
        memset(&control, 0, sizeof control);
        whole.msg_control = control.bytes;
        whole.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *head = CMSG_FIRSTHDR(&whole);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(head), files, count * sizeof(int));
    }
    ssize_t sent;
    do
        sent = sendmsg(socket, &whole, MSG_NOSIGNAL | flags);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof *message;
}

int zygote_message_receive(int socket, ZygoteMessage *message, int *files, size_t *count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(ZYGOTE_FILES_MAX * sizeof(int))];
    } control;
    struct iovec part = {message, sizeof *message};
    struct msghdr whole = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    // Nobody wants files: the system drops those that come.
    if (files == NULL)
        whole.msg_controllen = 0;
    ssize_t got;
    do
        got = recvmsg(socket, &whole, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    if (files != NULL)
        *count = 0;
    if (got < 0)
        return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -1;
    struct cmsghdr *head = CMSG_FIRSTHDR(&whole);
    if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        *count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        memcpy(files, CMSG_DATA(head), *count * sizeof(int));
    }
    return got == (ssize_t)sizeof *message ? 1 : -1;
}
