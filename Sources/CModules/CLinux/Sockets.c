#define _GNU_SOURCE
#include "Sockets.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <netinet/in.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Control messages of one datagram: a timestamp, packet info, an extended error. */
union control {
    char bytes[512];
    struct cmsghdr alignment;
};

static int set_option(int fd, int level, int name, int value) {
    return setsockopt(fd, level, name, &value, sizeof value) == 0 ? 0 : -errno;
}

static int enable_stamps(int fd) {
    /* timestamping.rst 1.3: software timestamps of both directions, reported with the datagram they belong to. */
    int both = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
    if (set_option(fd, SOL_SOCKET, SO_TIMESTAMPING, both) == 0) return 0;
    return set_option(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1);
}

static int close_after(int fd, int error) {
    close(fd);
    return error;
}

/* Expedited forwarding (RFC 3246): Wi-Fi uses the queue with the shortest wait. A refusal is harmless. */
static void ask_for_priority(int fd, int family) {
    int dscp_ef = 46 << 2;
    set_option(fd, IPPROTO_IP, IP_TOS, dscp_ef);
    if (family == AF_INET6) set_option(fd, IPPROTO_IPV6, IPV6_TCLASS, dscp_ef);
}

static int open_socket(int family) {
    int fd = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_UDP);
    if (fd < 0) return -errno;
    ask_for_priority(fd, family);
    int result = enable_stamps(fd);
    return result < 0 ? close_after(fd, result) : fd;
}

static int bind_v6(uint16_t port) {
    int fd = open_socket(AF_INET6);
    if (fd < 0) return fd;
    int result = set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (result == 0) result = set_option(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1);
    if (result < 0) return close_after(fd, result);
    struct sockaddr_in6 any = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_ANY_INIT};
    if (bind(fd, (struct sockaddr *)&any, sizeof any) < 0) return close_after(fd, -errno);
    return fd;
}

static int bind_v4(uint16_t port) {
    int fd = open_socket(AF_INET);
    if (fd < 0) return fd;
    int result = set_option(fd, IPPROTO_IP, IP_PKTINFO, 1);
    if (result < 0) return close_after(fd, result);
    struct sockaddr_in any = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_ANY)};
    if (bind(fd, (struct sockaddr *)&any, sizeof any) < 0) return close_after(fd, -errno);
    return fd;
}

int tutti_udp_bind(uint16_t port) {
    int fd = bind_v6(port);
    return fd == -EAFNOSUPPORT || fd == -EADDRNOTAVAIL ? bind_v4(port) : fd;
}

int tutti_udp_connect(const struct sockaddr *peer, socklen_t length) {
    int fd = open_socket(peer->sa_family);
    if (fd < 0) return fd;
    return connect(fd, peer, length) == 0 ? fd : close_after(fd, -errno);
}

int tutti_udp_port(int fd) {
    struct sockaddr_storage name;
    socklen_t length = sizeof name;
    if (getsockname(fd, (struct sockaddr *)&name, &length) < 0) return -errno;
    if (name.ss_family == AF_INET6) return ntohs(((struct sockaddr_in6 *)&name)->sin6_port);
    return ntohs(((struct sockaddr_in *)&name)->sin_port);
}

static void map_v4(unsigned char *out, const struct in_addr *address) {
    memset(out, 0, 10);
    memset(out + 10, 0xff, 2);
    memcpy(out + 12, address, 4);
}

static void read_control(struct cmsghdr *message, struct tutti_datagram *datagram) {
    if (message->cmsg_level == SOL_SOCKET && message->cmsg_type == SCM_TIMESTAMPING) {
        struct timespec stamps[3]; /* software, unused, hardware */
        memcpy(stamps, CMSG_DATA(message), sizeof stamps);
        datagram->real_nanoseconds = stamps[0].tv_sec * 1000000000LL + stamps[0].tv_nsec;
    } else if (message->cmsg_level == SOL_SOCKET && message->cmsg_type == SCM_TIMESTAMPNS) {
        struct timespec stamp;
        memcpy(&stamp, CMSG_DATA(message), sizeof stamp);
        datagram->real_nanoseconds = stamp.tv_sec * 1000000000LL + stamp.tv_nsec;
    } else if (message->cmsg_level == IPPROTO_IPV6 && message->cmsg_type == IPV6_PKTINFO) {
        struct in6_pktinfo info;
        memcpy(&info, CMSG_DATA(message), sizeof info);
        memcpy(datagram->path.local, &info.ipi6_addr, 16);
        datagram->path.has_local = 1;
    } else if (message->cmsg_level == IPPROTO_IP && message->cmsg_type == IP_PKTINFO) {
        struct in_pktinfo info;
        memcpy(&info, CMSG_DATA(message), sizeof info);
        map_v4(datagram->path.local, &info.ipi_addr);
        datagram->path.has_local = 1;
    }
}

static int receive(int fd, void *buffer, int64_t capacity, struct tutti_datagram *datagram, int flags) {
    memset(datagram, 0, sizeof *datagram);
    struct iovec part = {buffer, (size_t)capacity};
    union control control;
    struct msghdr header = {
        .msg_name = &datagram->path.peer, .msg_namelen = sizeof datagram->path.peer,
        .msg_iov = &part, .msg_iovlen = 1,
        .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    ssize_t length = recvmsg(fd, &header, flags | MSG_DONTWAIT);
    if (length < 0) return -errno;
    datagram->length = length;
    datagram->path.peer_length = header.msg_namelen;
    for (struct cmsghdr *m = CMSG_FIRSTHDR(&header); m != NULL; m = CMSG_NXTHDR(&header, m)) read_control(m, datagram);
    return 0;
}

int tutti_udp_receive(int fd, void *buffer, int64_t capacity, struct tutti_datagram *datagram) {
    return receive(fd, buffer, capacity, datagram, 0);
}

int tutti_udp_receive_sent(int fd, void *buffer, int64_t capacity, struct tutti_datagram *datagram) {
    return receive(fd, buffer, capacity, datagram, MSG_ERRQUEUE);
}

static size_t write_local(struct cmsghdr *message, const struct tutti_datagram_path *path) {
    if (path->peer.ss_family == AF_INET6) {
        struct in6_pktinfo info = {0};
        memcpy(&info.ipi6_addr, path->local, 16);
        if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) {
            info.ipi6_ifindex = ((const struct sockaddr_in6 *)&path->peer)->sin6_scope_id;
        }
        message->cmsg_level = IPPROTO_IPV6;
        message->cmsg_type = IPV6_PKTINFO;
        message->cmsg_len = CMSG_LEN(sizeof info);
        memcpy(CMSG_DATA(message), &info, sizeof info);
        return CMSG_SPACE(sizeof info);
    }
    struct in_pktinfo info = {0};
    memcpy(&info.ipi_spec_dst, path->local + 12, 4);
    message->cmsg_level = IPPROTO_IP;
    message->cmsg_type = IP_PKTINFO;
    message->cmsg_len = CMSG_LEN(sizeof info);
    memcpy(CMSG_DATA(message), &info, sizeof info);
    return CMSG_SPACE(sizeof info);
}

int tutti_udp_send(int fd, const void *bytes, int64_t length, const struct tutti_datagram_path *path) {
    struct iovec part = {(void *)bytes, (size_t)length};
    union control control;
    memset(&control, 0, sizeof control);
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (path != NULL) {
        header.msg_name = (void *)&path->peer;
        header.msg_namelen = path->peer_length;
        if (path->has_local) {
            header.msg_control = control.bytes;
            header.msg_controllen = write_local((struct cmsghdr *)control.bytes, path);
        }
    }
    return sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}
