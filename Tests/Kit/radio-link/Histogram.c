#include "Histogram.h"

void histogram_add(struct histogram *histogram, int64_t nanoseconds) {
    int64_t microseconds = nanoseconds < 0 ? 0 : nanoseconds / 1000;
    histogram->bins[microseconds < HISTOGRAM_SIZE ? microseconds : HISTOGRAM_SIZE - 1]++;
    histogram->count++;
}

int histogram_percentile(const struct histogram *histogram, int part) {
    uint64_t wanted = (histogram->count * (uint64_t)part + 99) / 100, seen = 0;
    if (histogram->count == 0) return 0;
    if (wanted == 0) wanted = 1;
    for (int bin = 0; bin < HISTOGRAM_SIZE; bin++) {
        seen += histogram->bins[bin];
        if (seen >= wanted) return bin;
    }
    return HISTOGRAM_SIZE - 1;
}
