// Functions that read a clock.
#include "Clocks.h"

#include <errno.h>
#include <sys/time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static _Atomic(__typeof__(&clock_gettime)) real;
    if (!real) real = NEXT(clock_gettime);
    int result = real(clock, now);
    if (result == 0 && family_of(clock) != NEITHER)
        *now = timespec_of(host_from_kernel(clock, nanoseconds_of(now)));
    return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    if (clock_gettime(CLOCK_REALTIME, &precise) < 0) return -1;
    *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *now) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (now) *now = precise.tv_sec;
    return precise.tv_sec;
}

int timespec_get(struct timespec *now, int base) {
    if (base != TIME_UTC) return 0;
    clock_gettime(CLOCK_REALTIME, now);
    return base;
}
