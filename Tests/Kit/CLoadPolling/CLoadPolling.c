#include "CLoadPolling.h"

#include <errno.h>
#include <sys/epoll.h>

enum { BATCH = 256 };

int load_poll_create(void) {
    int poll = epoll_create1(EPOLL_CLOEXEC);
    return poll < 0 ? -errno : poll;
}

int load_poll_watch(int poll, int fd, uint32_t what, uint64_t tag, int is_new) {
    struct epoll_event event = {.data.u64 = tag};
    if (what & LOAD_READABLE) event.events |= EPOLLIN;
    if (what & LOAD_WRITABLE) event.events |= EPOLLOUT;
    return epoll_ctl(poll, is_new ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, fd, &event) < 0 ? -errno : 0;
}

int load_poll_wait(int poll, struct load_event *events, int capacity, int milliseconds) {
    struct epoll_event found[BATCH];
    int count = epoll_wait(poll, found, capacity < BATCH ? capacity : BATCH, milliseconds);
    if (count < 0) return errno == EINTR ? 0 : -errno;
    for (int i = 0; i < count; i++) {
        events[i].tag = found[i].data.u64;
        events[i].what = ((found[i].events & EPOLLIN) ? LOAD_READABLE : 0)
            | ((found[i].events & EPOLLOUT) ? LOAD_WRITABLE : 0)
            | ((found[i].events & (EPOLLERR | EPOLLHUP)) ? LOAD_BROKEN : 0);
    }
    return count;
}
