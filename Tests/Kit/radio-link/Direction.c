#include "Direction.h"

#include "Clock.h"
#include "Departures.h"

#include <math.h>
#include <stdbool.h>
#include <unistd.h>

/// In [0, 1): SplitMix64 (Steele, Lea and Flood, 2014), as in the simulation.
static double uniform(struct direction *direction) {
    uint64_t word = direction->random += 0x9e3779b97f4a7c15u;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
    word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
    return (double)((word ^ (word >> 31)) >> 11) * 0x1p-53;
}

static int64_t exponential(struct direction *direction, int64_t mean) {
    return (int64_t)(-(double)mean * log(1 - uniform(direction)));
}

static int64_t draw_delay(struct direction *direction) {
    const struct quality *quality = &direction->quality;
    int64_t delay = quality->base;
    for (int part = 0; part < quality->shape; part++) delay += exponential(direction, quality->jitter / quality->shape);
    if (uniform(direction) < quality->spike_probability) delay += exponential(direction, quality->spike);
    return delay < quality->ceiling ? delay : quality->ceiling;
}

/// Takes one frame; false when none waits.
static bool take_frame(struct direction *direction) {
    unsigned char spill[FRAME_BYTES];
    int64_t departure;
    bool is_full = direction->count == QUEUE_FRAMES;
    struct frame *frame = &direction->queue[(direction->head + direction->count) % QUEUE_FRAMES];
    ssize_t length = read_departure(direction->departures, is_full ? spill : frame->bytes, FRAME_BYTES, &departure);
    if (length <= 0) return false;
    histogram_add(&direction->notice, now() - departure);
    if (uniform(direction) < direction->quality.loss) {
        direction->lost++;
        return true;
    }
    int64_t due = departure + draw_delay(direction);
    if (is_full) {
        direction->overflowed++;
        return true;
    }
    if (due < direction->last_due) due = direction->last_due;
    direction->last_due = due;
    frame->due = due;
    frame->length = (int)length;
    direction->count++;
    histogram_add(&direction->delay, due - departure);
    return true;
}

void take_in(struct direction *direction) {
    unsigned char spill[FRAME_BYTES];
    // Bounded, so that a flood one way does not hold up the other. The TAP first: what is dropped there has departed.
    for (int dropped = 0; dropped < 64 && read(direction->from, spill, FRAME_BYTES) > 0; dropped++) {}
    for (int taken = 0; taken < 64 && take_frame(direction); taken++) {}
}

void deliver(struct direction *direction) {
    for (int64_t time = now(); next_due(direction) <= time; time = now()) {
        struct frame *frame = &direction->queue[direction->head];
        // The receiving kernel stamps it at once; what it then does with it is no delay. Refused while the interface is
        // down: as into the air.
        ssize_t written = write(direction->to, frame->bytes, (size_t)frame->length);
        if (written > 0) histogram_add(&direction->lateness, time - frame->due);
        direction->head = (direction->head + 1) % QUEUE_FRAMES;
        direction->count--;
    }
}

int64_t next_due(const struct direction *direction) {
    return direction->count > 0 ? direction->queue[direction->head].due : INT64_MAX;
}
