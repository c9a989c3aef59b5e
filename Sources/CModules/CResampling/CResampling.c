#include "CResampling.h"

// Four frames at a time, and of one or two lanes: so many sums do not wait for one another, and are folded together.
// Each frame is computed in the same order, whatever its neighbours are.

#if defined(__x86_64__)
// AVX2 and fused multiply-add if the processor has them, else baseline x86-64.
#define FOR_THIS_PROCESSOR __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define FOR_THIS_PROCESSOR
#endif

/// Into each version of its caller.
#define INLINE static inline __attribute__((always_inline))

/// Samples at any address.
typedef float eight __attribute__((vector_size(32), aligned(4)));
typedef float four __attribute__((vector_size(16), aligned(4)));

#define LOAD(place) (*(const eight *)(place))

/// The sums of neighbours: two of the first vector, two of the second, and the same once more.
#define PAIRS(first, second) \
    (__builtin_shufflevector(first, second, 0, 2, 8, 10, 4, 6, 12, 14) \
     + __builtin_shufflevector(first, second, 1, 3, 9, 11, 5, 7, 13, 15))

enum { group_length = 4 };

/// Neighbouring frames.
typedef struct {
    /// The row of weights below each, which the next one follows.
    const float *rows[group_length];
    /// How far each is from that row to the next one.
    float between[group_length];
    /// The first lane's sample under the first tap of each.
    const float *samples[group_length];
} frame_group;

/// The last of `count` frames stands for those that are missing in the group.
INLINE void place_group(
    frame_group *group, const tutti_filter_table *table, tutti_position *position, tutti_position step, long count,
    const float *samples)
{
    for (long frame = 0; frame < group_length; frame++) {
        long row = (long)(position->fraction >> (64 - table->phase_bits));
        group->rows[frame] = table->rows + row * table->tap_count;
        group->between[frame] = (float)(uint32_t)((position->fraction << table->phase_bits) >> 40) * 0x1p-24f;
        group->samples[frame] = samples + position->whole;
        if (frame + 1 < count) {
            position->fraction += step.fraction;
            position->whole += step.whole + (position->fraction < step.fraction);
        }
    }
}

/// - Parameter lane_count: a constant, so that loops over lanes are unrolled; 1 or 2.
INLINE void filter_group(
    const frame_group *group, long tap_count, long stride, long lane_count, four *output)
{
    eight sums[2][group_length] = {0};
    for (long tap = 0; tap < tap_count; tap += 8) {
        for (long frame = 0; frame < group_length; frame++) {
            eight weight = LOAD(group->rows[frame] + tap);
            weight += (LOAD(group->rows[frame] + tap_count + tap) - weight) * group->between[frame];
            for (long lane = 0; lane < lane_count; lane++)
                sums[lane][frame] += LOAD(group->samples[frame] + lane * stride + tap) * weight;
        }
    }
    for (long lane = 0; lane < lane_count; lane++) {
        eight first = PAIRS(sums[lane][0], sums[lane][1]), second = PAIRS(sums[lane][2], sums[lane][3]);
        eight halves = PAIRS(first, second);
        output[lane] = __builtin_shufflevector(halves, halves, 0, 1, 2, 3)
            + __builtin_shufflevector(halves, halves, 4, 5, 6, 7);
    }
}

INLINE void store_group(four frames, long count, float *output)
{
    if (count >= group_length) {
        *(four *)output = frames;
    } else {
        for (long frame = 0; frame < count; frame++) output[frame] = frames[frame];
    }
}

FOR_THIS_PROCESSOR
void tutti_resample(
    const tutti_filter_table *table, tutti_position position, tutti_position step, long count,
    const tutti_planes *input, const tutti_planes *output)
{
    for (long frame = 0; frame < count; frame += group_length) {
        frame_group group;
        place_group(&group, table, &position, step, count - frame, input->samples);
        four frames[2];
        long lane = 0;
        for (; lane + 1 < input->lane_count; lane += 2) {
            float *target = output->samples + lane * output->stride + frame;
            filter_group(&group, table->tap_count, input->stride, 2, frames);
            store_group(frames[0], count - frame, target);
            store_group(frames[1], count - frame, target + output->stride);
            for (long index = 0; index < group_length; index++) group.samples[index] += 2 * input->stride;
        }
        if (lane < input->lane_count) {
            filter_group(&group, table->tap_count, input->stride, 1, frames);
            store_group(frames[0], count - frame, output->samples + lane * output->stride + frame);
        }
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
