#define _GNU_SOURCE
#include "CRealtime.h"

#include <alloca.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int try_priority(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters);
}

int crealtime_schedule_fifo(int priority) {
    // Root and CAP_SYS_NICE are not bound by the limit.
    int error = try_priority(priority);
    if (error == 0) return 0;

    struct rlimit limit;
    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0 || limit.rlim_max < 1) return error;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_RTPRIO, &limit) != 0) return errno;
    }
    if (limit.rlim_cur < (rlim_t)priority) priority = (int)limit.rlim_cur;
    return try_priority(priority);
}

int crealtime_lock_memory(void *start, size_t byte_count) {
    int error = mlock(start, byte_count) == 0 ? 0 : errno;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile uint8_t *bytes = start;
    for (size_t offset = 0; offset < byte_count; offset += page) bytes[offset] = bytes[offset];
    return error;
}

void crealtime_unlock_memory(void *start, size_t byte_count) { munlock(start, byte_count); }

void crealtime_touch_stack(size_t byte_count) {
    volatile uint8_t *bytes = alloca(byte_count);
    for (size_t offset = 0; offset < byte_count; offset += 1024) bytes[offset] = 0;
}

void crealtime_name_thread(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    pthread_setname_np(pthread_self(), cut);
}
