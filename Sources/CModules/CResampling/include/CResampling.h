#ifndef CRESAMPLING_H
#define CRESAMPLING_H

#include <stdint.h>

// The inner loops of a resampler. All functions are real-time safe. They are compiled for several processors; the best
// version is chosen when the program is loaded. On one machine the same input gives the same output, whatever the
// number of lanes and however the frames are cut into calls.

/// The filter's weights: 2^phase_bits rows, one for each phase, and one more row for interpolation.
typedef struct {
    /// Row after row of tap_count weights.
    const float *rows;
    /// A multiple of 8.
    long tap_count;
    /// From 1 to 24.
    int phase_bits;
} tutti_filter_table;

/// Samples of several lanes, each in its own plane.
typedef struct {
    /// The first sample of the first lane; no alignment needed.
    float *samples;
    /// Samples from one lane to the next.
    long stride;
    long lane_count;
} tutti_planes;

/// Whole frames, and a fraction in units of 2^-64 frame.
typedef struct {
    int64_t whole;
    uint64_t fraction;
} tutti_position;

/// Computes output frames: for each the weights of its phase, interpolated between two rows of the table, and for each
/// lane the inner product of the weights and its samples.
///
/// - Parameters:
///   - position: of the first output frame: the input frame under its first tap.
///   - step: from one output frame to the next; `count` of them stay within the planes.
///   - count: the number of output frames.
///   - output: as many lanes as the input.
void tutti_resample(
    const tutti_filter_table *table, tutti_position position, tutti_position step, long count,
    const tutti_planes *input, const tutti_planes *output);

/// Lays interleaved stereo frames out in two planes.
void tutti_split_stereo(const float *frames, long count, float *left, float *right);

/// Interleaves two planes.
void tutti_join_stereo(const float *left, const float *right, long count, float *frames);

#endif
