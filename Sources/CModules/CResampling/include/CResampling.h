#ifndef CRESAMPLING_H
#define CRESAMPLING_H

/// Computes one output frame of every lane: the inner loop of a resampler. The weights are interpolated between two
/// rows of the filter's table; each lane's output is the inner product of the weights and its samples.
///
/// Real-time safe. Compiled for several processors; the best version is chosen when the program is loaded. On one
/// machine the same input gives the same output, whatever the number of lanes.
///
/// - Parameters:
///   - low: the table row of the phase before, `tap_count` weights.
///   - high: the table row of the phase after.
///   - between: position of the phase, from 0 (low) to 1 (high).
///   - tap_count: a multiple of 16.
///   - samples: those of the first lane, `tap_count` of them; no alignment needed.
///   - lane_stride: samples from one lane to the next.
///   - weights: scratch space for `tap_count` weights.
///   - output: the first lane's output sample.
///   - output_stride: samples from one lane's output to the next.
void tutti_filter(
    const float *low, const float *high, float between, long tap_count, const float *samples, long lane_stride,
    long lane_count, float *weights, float *output, long output_stride);

#endif
