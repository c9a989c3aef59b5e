/* Timestamped datagrams: what Swift cannot reach because it is made of macros (cmsg(3)) and variadic calls. */
#ifndef CLINUXSOCKET_H
#define CLINUXSOCKET_H

#include <stdint.h>
#include <sys/socket.h>

/* Where a datagram came from, and at which of our addresses it arrived: a reply must leave from there. */
struct tutti_datagram_path {
    struct sockaddr_storage peer;
    socklen_t peer_length;
    unsigned char local[16]; /* IPv6, or IPv4 mapped into it, network order */
    int has_local;
};

struct tutti_datagram {
    struct tutti_datagram_path path;
    int64_t real_nanoseconds; /* the kernel's software stamp, CLOCK_REALTIME; 0: none */
    int64_t length;
};

/* Every function returns a negative errno on failure. */

/* A non-blocking UDP socket bound to every address, IPv6 and IPv4 on one socket where IPv6 exists.
   Stamps of arrival and of departure are on. Port 0 lets the kernel choose. */
int tutti_udp_bind(uint16_t port);
/* A non-blocking UDP socket connected to one peer, stamps on. */
int tutti_udp_connect(const struct sockaddr *peer, socklen_t length);
/* The port that a bound socket got. */
int tutti_udp_port(int fd);

/* Next datagram; -EAGAIN: none. */
int tutti_udp_receive(int fd, void *buffer, int64_t capacity, struct tutti_datagram *datagram);
/* Next departure stamp from the error queue: the buffer gets the datagram as it left, link headers in front,
   real_nanoseconds the stamp. Other reports of the queue have no stamp. -EAGAIN: none. */
int tutti_udp_receive_sent(int fd, void *buffer, int64_t capacity, struct tutti_datagram *datagram);
/* Sends on a connected socket (path NULL) or along the way that a datagram came. */
int tutti_udp_send(int fd, const void *bytes, int64_t length, const struct tutti_datagram_path *path);

#endif
