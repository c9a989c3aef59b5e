// How often each whole number of microseconds was seen; what lies beyond the last counts as the last.
#pragma once

#include <stdint.h>

enum { HISTOGRAM_SIZE = 65536 };

struct histogram {
    uint64_t count;
    uint32_t bins[HISTOGRAM_SIZE];
};

void histogram_add(struct histogram *, int64_t nanoseconds);
/// The least number of microseconds that so many parts in a hundred do not exceed: 0 is the minimum, 100 the maximum.
int histogram_percentile(const struct histogram *, int part);
