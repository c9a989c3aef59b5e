// The conversion between this host's clocks and the kernel's; see include/ClockInterposer.h.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define SECOND 1000000000LL

enum family { NEITHER, MONOTONIC, REALTIME };

/// Which of the two clocks a clock id belongs to.
enum family family_of(clockid_t);

/// What the kernel itself says.
int64_t kernel_now(clockid_t);

/// This host's reading at the instant at which the kernel's clock reads `nanoseconds`.
int64_t host_from_kernel(clockid_t, int64_t nanoseconds);
/// The kernel's reading at the instant at which this host's clock reads `nanoseconds`.
int64_t kernel_from_host(clockid_t, int64_t nanoseconds);

/// The kernel's deadline for an absolute one of this host.
struct timespec kernel_deadline(clockid_t, const struct timespec *host);

static inline int64_t nanoseconds_of(const struct timespec *t) { return (int64_t)t->tv_sec * SECOND + t->tv_nsec; }

static inline struct timespec timespec_of(int64_t nanoseconds) {
    int64_t seconds = nanoseconds / SECOND, rest = nanoseconds % SECOND;
    if (rest < 0) {
        rest += SECOND;
        seconds--;
    }
    return (struct timespec){.tv_sec = seconds, .tv_nsec = rest};
}

/// The function that would have been called without this library.
#define NEXT(name) ((__typeof__(&name))next_function(#name, NULL))
void *next_function(const char *name, const char *version);
