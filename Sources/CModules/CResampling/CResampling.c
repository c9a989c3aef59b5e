#include "CResampling.h"

// Two sums per lane, for alternate groups of eight taps: with a single sum, each addition would wait for the last.

#if defined(__x86_64__)
// AVX2 and fused multiply-add if the processor has them, else baseline x86-64.
#define FOR_THIS_PROCESSOR __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

/// Into each version of its caller.
#define INLINE static inline __attribute__((always_inline))

/// Eight samples at any address.
typedef float eight __attribute__((vector_size(32), aligned(4)));

#define LOAD(place) (*(const eight *)(place))
#define SUM(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

/// The table of a filter is larger than the first cache, and neighbouring frames use distant rows.
enum { frames_ahead = 8, floats_per_cache_line = 16 };

INLINE const float *row_of(const tutti_filter_table *table, uint64_t fraction)
{
    return table->rows + (long)(fraction >> (64 - table->phase_bits)) * table->tap_count;
}

INLINE void prefetch(const float *place, long count)
{
    for (long index = 0; index < count; index += floats_per_cache_line) __builtin_prefetch(place + index);
}

INLINE void filter_stereo(
    const float *low, float between, long tap_count, const float *left, const float *right, float *left_output,
    float *right_output)
{
    const float *high = low + tap_count;
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
    *left_output = SUM(left_sum);
    *right_output = SUM(right_sum);
}

INLINE void filter_lanes(
    const float *low, float between, long tap_count, const float *samples, const tutti_planes *input, float *weights,
    float *output, long output_stride)
{
    const float *high = low + tap_count;
    for (long tap = 0; tap < tap_count; tap += 8) {
        eight weight = LOAD(low + tap);
        weight += (LOAD(high + tap) - weight) * between;
        *(eight *)(weights + tap) = weight;
    }
    for (long lane = 0; lane < input->lane_count; lane++) {
        const float *lane_samples = samples + lane * input->stride;
        eight even = {0}, odd = {0};
        for (long tap = 0; tap < tap_count; tap += 16) {
            even += LOAD(lane_samples + tap) * LOAD(weights + tap);
            odd += LOAD(lane_samples + tap + 8) * LOAD(weights + tap + 8);
        }
        eight sum = even + odd;
        output[lane * output_stride] = SUM(sum);
    }
}

FOR_THIS_PROCESSOR
void tutti_resample(
    const tutti_filter_table *table, tutti_position position, tutti_position step, long count,
    const tutti_planes *input, float *weights, const tutti_planes *output)
{
    for (long frame = 0; frame < count; frame++) {
        prefetch(row_of(table, position.fraction + frames_ahead * step.fraction), 2 * table->tap_count);
        const float *low = row_of(table, position.fraction);
        float between = (float)(uint32_t)((position.fraction << table->phase_bits) >> 40) * 0x1p-24f;
        const float *samples = input->samples + position.whole;
        float *target = output->samples + frame;
        if (input->lane_count == 2) {
            filter_stereo(
                low, between, table->tap_count, samples, samples + input->stride, target, target + output->stride);
        } else {
            filter_lanes(low, between, table->tap_count, samples, input, weights, target, output->stride);
        }
        position.fraction += step.fraction;
        position.whole += step.whole + (position.fraction < step.fraction);
    }
}

FOR_THIS_PROCESSOR
void tutti_split_stereo(const float *frames, long count, float *restrict left, float *restrict right)
{
    for (long frame = 0; frame < count; frame++) {
        left[frame] = frames[2 * frame];
        right[frame] = frames[2 * frame + 1];
    }
}

FOR_THIS_PROCESSOR
void tutti_join_stereo(const float *left, const float *right, long count, float *restrict frames)
{
    for (long frame = 0; frame < count; frame++) {
        frames[2 * frame] = left[frame];
        frames[2 * frame + 1] = right[frame];
    }
}
