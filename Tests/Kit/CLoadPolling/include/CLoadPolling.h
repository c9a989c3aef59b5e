/* epoll(7), which Swift's Glibc lacks. */
#ifndef CLOADPOLLING_H
#define CLOADPOLLING_H

#include <stdint.h>

/* Why a descriptor is told. */
enum { LOAD_READABLE = 1, LOAD_WRITABLE = 2, LOAD_BROKEN = 4 };

struct load_event {
    uint64_t tag;
    uint32_t what;
};

/* Every function returns a negative errno on failure. */

int load_poll_create(void);
/* Begins to watch a descriptor, or changes what it is watched for: LOAD_READABLE, LOAD_WRITABLE, both or nothing. What
   is broken is told in any case. */
int load_poll_watch(int poll, int fd, uint32_t what, uint64_t tag, int is_new);
/* Waits for at most so many milliseconds; how many events there are. */
int load_poll_wait(int poll, struct load_event *events, int capacity, int milliseconds);

#endif
