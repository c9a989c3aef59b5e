// radio-link: a radio between a host and the bridge of its LAN, in place of a cable. Used by LANKit; needs root.
//
//     radio-link HOST BRIDGE PORT BASE JITTER SPIKE-PROBABILITY SPIKE CEILING LOSS SEED ASYMMETRY SHAPE
//
// Makes a TAP `eth0` in the network namespace of process HOST and a TAP PORT in that of process BRIDGE, and carries
// Ethernet frames between the two, each way as Direction.h says; to the host they take longer by ASYMMETRY. Times in
// nanoseconds. Prints a line when both are there. For each byte on standard input it prints a line of what it did so
// far, first of what the host sent, then of what it was sent:
//
//     FRAMES LOST OVERFLOWED   DELAY: MIN P50 P90 P99 MAX   NOTICE, LATENESS: P50 P99 MAX     (times in microseconds)
//
// Ends, and takes both interfaces with it, when standard input does.
//
// The delay counts from the moment at which the kernel gives a frame to the sender's TAP, which is where it stamps what
// is sent, to that at which it is written to the receiver's, which is where it stamps what is received. Waiting
// is to absolute times, under SCHED_FIFO and with locked memory; the last stretch is spent looking at the clock, since
// a virtual machine wakes late by a hundred microseconds, and not the same each time.
#define _GNU_SOURCE
#include "Clock.h"
#include "Departures.h"
#include "Direction.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

/// How long before a frame is due the clock is watched instead of slept on.
static const int64_t watch = 200000;

static struct direction outgoing, incoming;

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "radio-link: %s: %s\n", what, strerror(errno));
    exit(125);
}

/// Makes a TAP in a process's network namespace; `departures` is what will leave through it.
static int make_tap(const char *pid, const char *name, int *departures) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%s/ns/net", pid);
    int network = open(path, O_RDONLY | O_CLOEXEC);
    if (network < 0 || setns(network, CLONE_NEWNET) < 0) fail(path);
    close(network);
    int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
    if (tap < 0) fail("/dev/net/tun");
    struct ifreq request = {.ifr_flags = IFF_TAP | IFF_NO_PI};
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    if (ioctl(tap, TUNSETIFF, &request) < 0) fail(name);
    *departures = open_departures(name);
    if (*departures < 0) fail("packet socket");
    return tap;
}

static void be_punctual(void) {
    struct sched_param priority = {.sched_priority = 80};
    if (sched_setscheduler(0, SCHED_FIFO, &priority) < 0) perror("radio-link: real-time priority");
    if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0) perror("radio-link: locked memory");
}

static void print_tally(const struct direction *direction) {
    printf("%llu %llu %llu", (unsigned long long)direction->delay.count, (unsigned long long)direction->lost,
           (unsigned long long)direction->overflowed);
    static const int of_delay[] = {0, 50, 90, 99, 100}, of_wait[] = {50, 99, 100};
    for (int i = 0; i < 5; i++) printf(" %d", histogram_percentile(&direction->delay, of_delay[i]));
    for (int i = 0; i < 3; i++) printf(" %d", histogram_percentile(&direction->notice, of_wait[i]));
    for (int i = 0; i < 3; i++) printf(" %d", histogram_percentile(&direction->lateness, of_wait[i]));
}

/// Answers what was asked on standard input; false at its end.
static bool answer(void) {
    char byte;
    ssize_t count = read(STDIN_FILENO, &byte, 1);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return false;
    print_tally(&outgoing);
    printf(" ");
    print_tally(&incoming);
    printf("\n");
    fflush(stdout);
    return true;
}

static void set_timer(int timer, int64_t time) {
    struct itimerspec setting = {0};
    if (time != INT64_MAX)
        setting.it_value = (struct timespec){.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000};
    if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &setting, NULL) < 0) fail("timerfd_settime");
}

static void carry(void) {
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (timer < 0) fail("timerfd_create");
    struct pollfd waiting[] = {
        {.fd = STDIN_FILENO, .events = POLLIN}, {.fd = timer, .events = POLLIN},
        {.fd = outgoing.from, .events = POLLIN}, {.fd = incoming.from, .events = POLLIN},
    };
    for (unsigned round = 1;; round++) {
        deliver(&outgoing);
        deliver(&incoming);
        take_in(&outgoing);
        take_in(&incoming);
        int64_t next = next_due(&outgoing);
        if (next_due(&incoming) < next) next = next_due(&incoming);
        // Standard input is looked at even while frames come without a pause.
        if (next != INT64_MAX && next - now() < watch && round % 1024 != 0) continue;
        set_timer(timer, next == INT64_MAX ? next : next - watch);
        if (poll(waiting, 4, -1) < 0 && errno != EINTR) fail("poll");
        if ((waiting[0].revents & (POLLIN | POLLHUP)) && !answer()) return;
        // The host is gone.
        if ((waiting[2].revents | waiting[3].revents) & (POLLERR | POLLNVAL)) return;
    }
}

int main(int count, char **arguments) {
    if (count != 13) {
        fprintf(stderr, "usage: radio-link HOST BRIDGE PORT BASE JITTER SPIKE-PROBABILITY SPIKE CEILING LOSS SEED "
                        "ASYMMETRY SHAPE\n");
        return 64;
    }
    struct quality quality = {
        .base = atoll(arguments[4]), .jitter = atoll(arguments[5]), .spike_probability = atof(arguments[6]),
        .spike = atoll(arguments[7]), .ceiling = atoll(arguments[8]), .loss = atof(arguments[9]),
        .shape = atoi(arguments[12]),
    };
    uint64_t seed = strtoull(arguments[10], NULL, 10);
    int host = make_tap(arguments[1], "eth0", &outgoing.departures);
    int port = make_tap(arguments[2], arguments[3], &incoming.departures);
    outgoing.quality = incoming.quality = quality;
    incoming.quality.base += atoll(arguments[11]);
    incoming.quality.ceiling += atoll(arguments[11]);
    outgoing.from = incoming.to = host;
    outgoing.to = incoming.from = port;
    outgoing.random = seed;
    incoming.random = ~seed;
    be_punctual();
    printf("ready\n");
    fflush(stdout);
    carry();
    return 0;
}
