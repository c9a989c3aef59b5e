#define _GNU_SOURCE
#include "Departures.h"

#include "Clock.h"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// Enough for the queue of a TAP.
static const int buffer_bytes = 4 << 20;
/// No frame waits longer; if one seems to, somebody set the clock of the day.
static const int64_t longest_wait = 1000000000;

static int set_options(int descriptor) {
    // Passes what leaves, and not what arrives.
    struct sock_filter instructions[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, SKF_AD_OFF + SKF_AD_PKTTYPE),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PACKET_OUTGOING, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    struct sock_fprog filter = {.len = 4, .filter = instructions};
    int yes = 1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) < 0) return -1;
    if (setsockopt(descriptor, SOL_SOCKET, SO_RCVBUFFORCE, &buffer_bytes, sizeof buffer_bytes) < 0) return -1;
    return setsockopt(descriptor, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
}

int open_departures(const char *interface) {
    // No protocol yet: nothing comes before the filter is there.
    int descriptor = socket(AF_PACKET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    struct sockaddr_ll address = {
        .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)if_nametoindex(interface),
    };
    if (set_options(descriptor) == 0 && bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0)
        return descriptor;
    close(descriptor);
    return -1;
}

/// How long ago a message was stamped; 0 if it was not.
static int64_t age(struct msghdr *message) {
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_TIMESTAMPNS) continue;
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(part), sizeof stamp);
        return read_clock(CLOCK_REALTIME) - nanoseconds(stamp);
    }
    return 0;
}

ssize_t read_departure(int departures, void *bytes, size_t size, int64_t *moment) {
    struct iovec piece = {.iov_base = bytes, .iov_len = size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct msghdr message = {
        .msg_iov = &piece, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control,
    };
    ssize_t length = recvmsg(departures, &message, 0);
    if (length <= 0) return length;
    int64_t waited = age(&message);
    *moment = now() - (waited >= 0 && waited < longest_wait ? waited : 0);
    return length;
}
