#include "CResampling.h"

// Two sums per lane, for alternate groups of eight taps: with a single sum, each addition would wait for the last.

#if defined(__x86_64__)
// AVX2 and fused multiply-add if the processor has them, else baseline x86-64.
#define FOR_THIS_PROCESSOR __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

/// Eight samples at any address.
typedef float eight __attribute__((vector_size(32), aligned(4)));

#define LOAD(place) (*(const eight *)(place))
#define SUM(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

FOR_THIS_PROCESSOR
void tutti_filter(
    const float *low, const float *high, float between, long tap_count, const float *samples, long lane_stride,
    long lane_count, float *weights, float *output, long output_stride)
{
    if (lane_count == 2) {
        const float *left = samples, *right = samples + lane_stride;
        eight left_even = {0}, left_odd = {0}, right_even = {0}, right_odd = {0};
        for (long tap = 0; tap < tap_count; tap += 16) {
            eight even = LOAD(low + tap), odd = LOAD(low + tap + 8);
            even += (LOAD(high + tap) - even) * between;
            odd += (LOAD(high + tap + 8) - odd) * between;
            left_even += LOAD(left + tap) * even;
            left_odd += LOAD(left + tap + 8) * odd;
            right_even += LOAD(right + tap) * even;
            right_odd += LOAD(right + tap + 8) * odd;
        }
        eight left_sum = left_even + left_odd, right_sum = right_even + right_odd;
        output[0] = SUM(left_sum);
        output[output_stride] = SUM(right_sum);
        return;
    }
    for (long tap = 0; tap < tap_count; tap += 8) {
        eight weight = LOAD(low + tap);
        weight += (LOAD(high + tap) - weight) * between;
        *(eight *)(weights + tap) = weight;
    }
    for (long lane = 0; lane < lane_count; lane++) {
        const float *lane_samples = samples + lane * lane_stride;
        eight even = {0}, odd = {0};
        for (long tap = 0; tap < tap_count; tap += 16) {
            even += LOAD(lane_samples + tap) * LOAD(weights + tap);
            odd += LOAD(lane_samples + tap + 8) * LOAD(weights + tap + 8);
        }
        eight sum = even + odd;
        output[lane * output_stride] = SUM(sum);
    }
}
