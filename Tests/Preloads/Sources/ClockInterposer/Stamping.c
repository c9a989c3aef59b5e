// The kernel's stamps on datagrams, which are in real time.
#include "Clocks.h"

#include <linux/errqueue.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

static struct timespec shifted(struct timespec stamp) {
    if (stamp.tv_sec == 0 && stamp.tv_nsec == 0) return stamp;
    return timespec_of(host_from_kernel(CLOCK_REALTIME, nanoseconds_of(&stamp)));
}

static void shift_stamps(struct msghdr *message) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET) continue;
        if (part->cmsg_type == SCM_TIMESTAMPNS || part->cmsg_type == SCM_TIMESTAMPING) {
            // Of SCM_TIMESTAMPING's three the first is software's, in real time; the last is the hardware's own.
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
            stamp = shifted(stamp);
            memcpy(CMSG_DATA(part), &stamp, sizeof stamp);
        } else if (part->cmsg_type == SCM_TIMESTAMP) {
            struct timeval stamp;
            memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
            struct timespec precise = shifted((struct timespec){stamp.tv_sec, stamp.tv_usec * 1000});
            stamp = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
            memcpy(CMSG_DATA(part), &stamp, sizeof stamp);
        }
    }
}

ssize_t recvmsg(int socket, struct msghdr *message, int flags) {
    static _Atomic(__typeof__(&recvmsg)) real;
    if (!real) real = NEXT(recvmsg);
    ssize_t result = real(socket, message, flags);
    if (result >= 0) shift_stamps(message);
    return result;
}

int recvmmsg(int socket, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout) {
    static _Atomic(__typeof__(&recvmmsg)) real;
    if (!real) real = NEXT(recvmmsg);
    int result = real(socket, messages, count, flags, timeout);
    for (int index = 0; index < result; index++) shift_stamps(&messages[index].msg_hdr);
    return result;
}
