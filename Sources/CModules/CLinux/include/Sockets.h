/* Timestamped datagrams. Swift cannot use these calls directly: they need macros (cmsg(3)) and variadic functions. */
#ifndef CLINUXSOCKET_H
#define CLINUXSOCKET_H

#include <stdint.h>
#include <sys/socket.h>

/* Where a datagram came from, and the local address at which it arrived: a reply must leave from there. */
struct tutti_datagram_path {
    struct sockaddr_storage peer;
    socklen_t peer_length;
    unsigned char local[16]; /* IPv6 or IPv4-mapped, network byte order */
    int has_local;
};

struct tutti_datagram {
    struct tutti_datagram_path path;
    int64_t real_nanoseconds; /* the kernel's software timestamp, CLOCK_REALTIME; 0: none */
    int64_t length;
};

/* Every function returns a negative errno on failure. */

/* Returns a non-blocking UDP socket bound to every address; IPv6 and IPv4 on one socket where IPv6 exists. Arrival and
   departure timestamps are on. Port 0 lets the kernel choose. */
int tutti_udp_bind(uint16_t port);
/* Returns a non-blocking UDP socket connected to one peer, timestamps on. */
int tutti_udp_connect(const struct sockaddr *peer, socklen_t length);
/* Returns the port of a bound socket. */
int tutti_udp_port(int fd);

/* Receives the next datagram; -EAGAIN: none. */
int tutti_udp_receive(int fd, void *buffer, int64_t capacity, struct tutti_datagram *datagram);
/* Reads the next departure timestamp from the error queue: the buffer gets the datagram as it left, with link headers
   in front, and real_nanoseconds the timestamp. Other reports in the queue have no timestamp. -EAGAIN: none. */
int tutti_udp_receive_sent(int fd, void *buffer, int64_t capacity, struct tutti_datagram *datagram);
/* Sends on a connected socket (path NULL), or back along the path of a received datagram. */
int tutti_udp_send(int fd, const void *bytes, int64_t length, const struct tutti_datagram_path *path);

#endif
