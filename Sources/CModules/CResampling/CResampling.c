#include "CResampling.h"

// Two ways to compute the same frames, chosen by the step alone, so that a frame's bits do not depend on its neighbours:
//
// - At nearly one song frame per output frame, dozens of neighbouring frames lie between the same two rows. Eight of them
//   are computed at once: a tap's weight meets eight samples, and no sum has to be folded.
// - At any other step, each frame has rows of its own. Eight taps are computed at once.
//
// Every sum is kept in two parts: with a single one, each addition would wait for the last.

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
typedef int32_t eight_integers __attribute__((vector_size(32)));
typedef uint64_t eight_fractions __attribute__((vector_size(64)));

#define LOAD(place) (*(const eight *)(place))
#define SUM(v) ((((v)[0] + (v)[4]) + ((v)[2] + (v)[6])) + (((v)[1] + (v)[5]) + ((v)[3] + (v)[7])))

/// Frames that are computed at once, of those that lie between the same two rows.
enum { run_length = 8 };

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

INLINE tutti_position advanced(tutti_position position, tutti_position step, long count)
{
    unsigned __int128 fraction = (unsigned __int128)step.fraction * (uint64_t)count + position.fraction;
    return (tutti_position){position.whole + step.whole * count + (int64_t)(fraction >> 64), (uint64_t)fraction};
}

// MARK: Frames between the same two rows

/// The sums of one lane, for the taps before the middle of the filter and for those after it. Both begin at the filter's
/// ends, where weights are small: so their rounding is.
typedef struct {
    eight before, after, slope_before, slope_after;
} run_sums;

/// Whether at least eight frames in a row lie between the same two rows, but for those next to a row.
INLINE int is_nearly_one(const tutti_filter_table *table, tutti_position step)
{
    uint64_t excess = step.whole == 1 ? step.fraction : step.whole == 0 ? -step.fraction : UINT64_MAX;
    return excess <= UINT64_MAX >> (table->phase_bits + 3);
}

/// How many frames from `position` on lie between the same two rows, and one song frame apart.
INLINE long count_run(const tutti_filter_table *table, tutti_position position, tutti_position step, long limit)
{
    long count = limit;
    for (; count > 1; count--) {
        tutti_position last = advanced(position, step, count - 1);
        if (last.whole == position.whole + count - 1 && row_of(table, last.fraction) == row_of(table, position.fraction))
            break;
    }
    return count;
}

/// How far each frame of a run is from the lower row to the upper one.
INLINE void place_run(const tutti_filter_table *table, uint64_t fraction, uint64_t step, eight *between)
{
    const eight_fractions indices = {0, 1, 2, 3, 4, 5, 6, 7};
    eight_fractions fractions = fraction + indices * step;
    eight_integers shares = __builtin_convertvector((fractions << table->phase_bits) >> 40, eight_integers);
    *between = __builtin_convertvector(shares, eight) * 0x1p-24f;
}

/// - Parameters:
///   - slope: the upper row less the lower one.
///   - lane_count: a constant, so that the loops over lanes are unrolled; 1 or 2.
INLINE void filter_run(
    const float *low, const float *slope, const eight *between, long tap_count, const float *samples, long stride,
    long lane_count, eight *output)
{
    run_sums sums[2] = {0};
    for (long tap = 0, mirrored = tap_count - 1; tap < mirrored; tap++, mirrored--) {
        for (long lane = 0; lane < lane_count; lane++) {
            const float *lane_samples = samples + lane * stride;
            eight before = LOAD(lane_samples + tap), after = LOAD(lane_samples + mirrored);
            sums[lane].before += before * low[tap];
            sums[lane].slope_before += before * slope[tap];
            sums[lane].after += after * low[mirrored];
            sums[lane].slope_after += after * slope[mirrored];
        }
    }
    for (long lane = 0; lane < lane_count; lane++) {
        eight slopes = sums[lane].slope_before + sums[lane].slope_after;
        output[lane] = sums[lane].before + sums[lane].after + slopes * *between;
    }
}

INLINE void store_run(const eight *frames, long count, long lane_count, float *output, long stride)
{
    for (long lane = 0; lane < lane_count; lane++) {
        if (count == run_length) {
            *(eight *)(output + lane * stride) = frames[lane];
        } else {
            for (long frame = 0; frame < count; frame++) output[lane * stride + frame] = frames[lane][frame];
        }
    }
}

INLINE void resample_in_runs(
    const tutti_filter_table *table, tutti_position position, tutti_position step, long count,
    const tutti_planes *input, float *slope, const tutti_planes *output)
{
    const float *slope_of = 0;
    for (long frame = 0, run = 0; frame < count; frame += run, position = advanced(position, step, run)) {
        const float *low = row_of(table, position.fraction);
        if (slope_of != low) {
            const float *high = low + table->tap_count;
            for (long tap = 0; tap < table->tap_count; tap += 8)
                *(eight *)(slope + tap) = LOAD(high + tap) - LOAD(low + tap);
            slope_of = low;
        }
        run = count_run(table, position, step, count - frame < run_length ? count - frame : run_length);
        eight between, frames[2];
        place_run(table, position.fraction, step.fraction, &between);
        for (long lane = 0; lane < input->lane_count; lane += 2) {
            const float *samples = input->samples + lane * input->stride + position.whole;
            float *target = output->samples + lane * output->stride + frame;
            if (lane + 1 < input->lane_count) {
                filter_run(low, slope, &between, table->tap_count, samples, input->stride, 2, frames);
                store_run(frames, run, 2, target, output->stride);
            } else {
                filter_run(low, slope, &between, table->tap_count, samples, input->stride, 1, frames);
                store_run(frames, run, 1, target, output->stride);
            }
        }
    }
}

// MARK: Frames with rows of their own

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

INLINE void resample_one_by_one(
    const tutti_filter_table *table, tutti_position position, tutti_position step, long count,
    const tutti_planes *input, float *weights, const tutti_planes *output)
{
    for (long frame = 0; frame < count; frame++, position = advanced(position, step, 1)) {
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
    }
}

// MARK: -

FOR_THIS_PROCESSOR
void tutti_resample(
    const tutti_filter_table *table, tutti_position position, tutti_position step, long count,
    const tutti_planes *input, float *weights, const tutti_planes *output)
{
    if (is_nearly_one(table, step)) {
        resample_in_runs(table, position, step, count, input, weights, output);
    } else {
        resample_one_by_one(table, position, step, count, input, weights, output);
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
