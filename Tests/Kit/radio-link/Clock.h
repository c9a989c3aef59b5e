// The kernel's clocks in nanoseconds.
#pragma once

#include <stdint.h>
#include <time.h>

static inline int64_t nanoseconds(struct timespec time) { return time.tv_sec * 1000000000LL + time.tv_nsec; }

static inline int64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return nanoseconds(time);
}

/// The monotonic clock.
static inline int64_t now(void) { return read_clock(CLOCK_MONOTONIC); }
