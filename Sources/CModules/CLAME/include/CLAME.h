#ifndef CLAME_H
#define CLAME_H

#include <stdbool.h>

// The only access to libmp3lame, which is loaded at run time and never linked: only a stream for radios needs it, and
// only for songs that are not MP3. The functions are those of lame.h, with the same contract.

typedef struct lame_global_struct clame_encoder;

/// Loads the library, once. Returns false if there is none.
bool clame_load(void);

// Only after clame_load() has returned true.

/// Returns an encoder of interleaved stereo to frames of a constant bit rate, each of which can be decoded without the
/// ones before it (no bit reservoir), and no frame beside them (no "Info" tag). NULL if the rates cannot be had.
clame_encoder *clame_open(int input_rate, int output_rate, int kilobits_per_second);

/// Encodes frames of two samples, -1 to 1, and returns the bytes written; negative if the room is less than
/// 1.25 * frames (at the output rate) + 7200 bytes, or for another failure.
int clame_encode(clame_encoder *encoder, const float *samples, int frame_count, unsigned char *bytes, int room);

/// Encodes what is left, and returns the bytes written: at most 7200.
int clame_flush(clame_encoder *encoder, unsigned char *bytes, int room);

void clame_close(clame_encoder *encoder);

#endif
