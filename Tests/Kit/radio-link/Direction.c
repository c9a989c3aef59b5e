#include "Direction.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

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
    bool is_full = direction->count == QUEUE_FRAMES;
    struct frame *frame = &direction->queue[(direction->head + direction->count) % QUEUE_FRAMES];
    ssize_t length = read(direction->from, is_full ? spill : frame->bytes, FRAME_BYTES);
    if (length <= 0) return false;
    int64_t arrival = now();
    if (uniform(direction) < direction->quality.loss) {
        direction->lost++;
        return true;
    }
    int64_t due = arrival + draw_delay(direction);
    if (is_full) {
        direction->overflowed++;
        return true;
    }
    if (due < direction->last_due) due = direction->last_due;
    direction->last_due = due;
    frame->due = due;
    frame->length = (int)length;
    direction->count++;
    histogram_add(&direction->delay, due - arrival);
    return true;
}

void take_in(struct direction *direction) {
    // Bounded, so that a flood one way does not hold up the other.
    for (int taken = 0; taken < 64 && take_frame(direction); taken++) {}
}

void deliver(struct direction *direction) {
    while (next_due(direction) <= now()) {
        struct frame *frame = &direction->queue[direction->head];
        // Refused while the interface is down: as into the air.
        ssize_t written = write(direction->to, frame->bytes, (size_t)frame->length);
        if (written > 0) histogram_add(&direction->lateness, now() - frame->due);
        direction->head = (direction->head + 1) % QUEUE_FRAMES;
        direction->count--;
    }
}

int64_t next_due(const struct direction *direction) {
    return direction->count > 0 ? direction->queue[direction->head].due : INT64_MAX;
}
