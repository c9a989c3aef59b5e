#ifndef CRESAMPLING_H
#define CRESAMPLING_H

/// The inner loop of a resampler: one output frame of every lane. The weights lie between two rows of the filter's
/// table; each lane's output is the inner product of the weights and its samples.
///
/// Real-time safe; compiled for several processors, the best of which is chosen when the program is loaded. On one
/// machine the same input gives the same output, however many lanes there are.
///
/// - Parameters:
///   - low: the row of the phase before, `tap_count` weights.
///   - high: the row of the phase behind.
///   - between: where the phase lies, from 0 (low) to 1 (high).
///   - tap_count: a multiple of 16.
///   - samples: of the first lane, `tap_count` of them; nothing need be aligned.
///   - lane_stride: samples from one lane to the next.
///   - weights: room for `tap_count`.
///   - output: of the first lane.
///   - output_stride: from one lane to the next.
void tutti_filter(
    const float *low, const float *high, float between, long tap_count, const float *samples, long lane_stride,
    long lane_count, float *weights, float *output, long output_stride);

#endif
