// Both host clocks are affine in true time: kernel reading + offset + (true - start) * ppm.
//
// True time and the kernel's reading of any clock advance together to within what NTP slews, so the true time of a
// reading is found from the present distance of the two clocks: exact for now, and better than the drift of a drift
// for stamps and deadlines that are seconds away.
#include "Clocks.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct shift {
    double ppm;
    int64_t offset;
};

static struct shift shifts[3];
static int64_t start, namespace_offset;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static double number(const char *name) {
    const char *text = getenv(name);
    return text ? strtod(text, NULL) : 0;
}

static int64_t integer(const char *name) {
    const char *text = getenv(name);
    return text ? strtoll(text, NULL, 10) : 0;
}

// Allocates nothing: allocators read the clock, too, and may hold a lock when they first do.
static void read_namespace_offset(void) {
    char own[64] = "", children[64] = "";
    if (readlink("/proc/self/ns/time", own, sizeof own - 1) < 0) return;
    if (readlink("/proc/self/ns/time_for_children", children, sizeof children - 1) < 0) return;
    if (strcmp(own, children) != 0) return;
    const int file = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    char text[256];
    const ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count < 0 ? 0 : count] = 0;
    const char *line = strstr(text, "monotonic");
    if (!line) return;
    char *end;
    const int64_t seconds = strtoll(line + strlen("monotonic"), &end, 10);
    namespace_offset = seconds * SECOND + strtoll(end, NULL, 10);
}

static void configure(void) {
    read_namespace_offset();
    start = integer("TUTTI_CLOCK_START");
    shifts[MONOTONIC] =
        (struct shift){number("TUTTI_CLOCK_MONOTONIC_PPM"), integer("TUTTI_CLOCK_MONOTONIC_OFFSET")};
    shifts[REALTIME] = (struct shift){number("TUTTI_CLOCK_REALTIME_PPM"), integer("TUTTI_CLOCK_REALTIME_OFFSET")};
}

enum family family_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
        return MONOTONIC;
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
        return REALTIME;
    default:
        return NEITHER;
    }
}

void *next_function(const char *name, const char *version) {
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "clock interposer: %s is not there\n", name);
        abort();
    }
    return found;
}

int64_t kernel_now(clockid_t clock) {
    static _Atomic(__typeof__(&clock_gettime)) real;
    if (!real) real = NEXT(clock_gettime);
    struct timespec now;
    real(clock, &now);
    return nanoseconds_of(&now);
}

static int64_t true_now(void) { return kernel_now(CLOCK_MONOTONIC_RAW) - namespace_offset; }

// True time minus the kernel's reading of `clock`, now.
static int64_t distance(clockid_t clock) {
    if (clock == CLOCK_MONOTONIC_RAW) return -namespace_offset;
    return true_now() - kernel_now(clock);
}

int64_t host_from_kernel(clockid_t clock, int64_t nanoseconds) {
    pthread_once(&once, configure);
    const enum family family = family_of(clock);
    if (family == NEITHER) return nanoseconds;
    const struct shift shift = shifts[family];
    if (shift.ppm == 0) return nanoseconds + shift.offset;
    const int64_t elapsed = nanoseconds + distance(clock) - start;
    return nanoseconds + shift.offset + llrint((double)elapsed * shift.ppm * 1e-6);
}

int64_t kernel_from_host(clockid_t clock, int64_t nanoseconds) {
    pthread_once(&once, configure);
    const enum family family = family_of(clock);
    if (family == NEITHER) return nanoseconds;
    const struct shift shift = shifts[family];
    if (shift.ppm == 0) return nanoseconds - shift.offset;
    // elapsed * (1 + ppm) = host - offset + distance - start
    const double drifted = (double)(nanoseconds - shift.offset + distance(clock) - start);
    return nanoseconds - shift.offset - llrint(drifted * (1 - 1 / (1 + shift.ppm * 1e-6)));
}

struct timespec kernel_deadline(clockid_t clock, const struct timespec *host) {
    // Times far in the past or the future mean "at once" and "never"; leave them so.
    if (host->tv_sec <= 0 || host->tv_sec > INT64_MAX / SECOND / 2) return *host;
    const int64_t kernel = kernel_from_host(clock, nanoseconds_of(host));
    return timespec_of(kernel > 0 ? kernel : 0);
}
