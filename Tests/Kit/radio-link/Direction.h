// One direction of the link: frames on their way from one TAP to the other.
//
// A frame is lost with a fixed probability, or is due after base and jitter, to which now and then an
// exponential(spike) is added, at most `ceiling` in all. The jitter is the sum of `shape` equal exponentials: with one
// its density is highest at no delay at all, with more it is zero there. No frame is due before the frame that was
// sent before it, since a radio's link layer delivers in order. So a spike holds up all that is sent meanwhile, and
// then comes a burst.
#pragma once

#include "Histogram.h"

#include <stdint.h>

enum { FRAME_BYTES = 2048, QUEUE_FRAMES = 4096 };

/// Times in nanoseconds, probabilities from 0 to 1.
struct quality {
    int64_t base, jitter, spike, ceiling;
    double spike_probability, loss;
    int shape;
};

struct frame {
    int64_t due;
    int length;
    unsigned char bytes[FRAME_BYTES];
};

struct direction {
    /// A TAP; what leaves through it (Departures.h); and the TAP at the other end.
    int from, departures, to;
    struct quality quality;
    uint64_t random;
    int64_t last_due;
    /// A ring; what does not fit into it is dropped, and counted.
    unsigned head, count;
    struct frame queue[QUEUE_FRAMES];
    uint64_t lost, overflowed;
    /// From the departure of a frame to reading it, to its due time, and from that to writing it. The last is the
    /// tool's own fault, and nothing is delivered before it is read.
    struct histogram notice, delay, lateness;
};

/// Takes what waits at `from`.
void take_in(struct direction *);
/// Writes what is due.
void deliver(struct direction *);
/// When the first frame is due; INT64_MAX where none is on its way.
int64_t next_due(const struct direction *);
