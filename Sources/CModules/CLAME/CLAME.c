#include "CLAME.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

enum {
    // "Good quality, fast": lame.h.
    QUALITY = 5,
};

static struct {
    clame_encoder *(*init)(void);
    int (*set_in_samplerate)(clame_encoder *, int);
    int (*set_out_samplerate)(clame_encoder *, int);
    int (*set_num_channels)(clame_encoder *, int);
    int (*set_brate)(clame_encoder *, int);
    int (*set_quality)(clame_encoder *, int);
    int (*set_bWriteVbrTag)(clame_encoder *, int);
    int (*set_disable_reservoir)(clame_encoder *, int);
    int (*init_params)(clame_encoder *);
    int (*encode_buffer_interleaved_ieee_float)(clame_encoder *, const float *, int, unsigned char *, int);
    int (*encode_flush)(clame_encoder *, unsigned char *, int);
    int (*close)(clame_encoder *);
} lame;

static bool is_loaded;

static void load(void) {
    void *handle = dlopen("libmp3lame.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    bool is_complete = true;
#define FIND(name) is_complete &= (*(void **)&lame.name = dlsym(handle, "lame_" #name)) != NULL
    FIND(init);
    FIND(set_in_samplerate);
    FIND(set_out_samplerate);
    FIND(set_num_channels);
    FIND(set_brate);
    FIND(set_quality);
    FIND(set_bWriteVbrTag);
    FIND(set_disable_reservoir);
    FIND(init_params);
    FIND(encode_buffer_interleaved_ieee_float);
    FIND(encode_flush);
    FIND(close);
#undef FIND
    is_loaded = is_complete;
}

bool clame_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return is_loaded;
}

clame_encoder *clame_open(int input_rate, int output_rate, int kilobits_per_second) {
    clame_encoder *encoder = lame.init();
    if (!encoder) return NULL;
    bool is_set = lame.set_in_samplerate(encoder, input_rate) >= 0;
    is_set &= lame.set_out_samplerate(encoder, output_rate) >= 0;
    is_set &= lame.set_num_channels(encoder, 2) >= 0;
    is_set &= lame.set_brate(encoder, kilobits_per_second) >= 0;
    is_set &= lame.set_quality(encoder, QUALITY) >= 0;
    is_set &= lame.set_bWriteVbrTag(encoder, 0) >= 0;
    is_set &= lame.set_disable_reservoir(encoder, 1) >= 0;
    if (is_set && lame.init_params(encoder) >= 0) return encoder;
    lame.close(encoder);
    return NULL;
}

int clame_encode(clame_encoder *encoder, const float *samples, int frame_count, unsigned char *bytes, int room) {
    return lame.encode_buffer_interleaved_ieee_float(encoder, samples, frame_count, bytes, room);
}

int clame_flush(clame_encoder *encoder, unsigned char *bytes, int room) {
    return lame.encode_flush(encoder, bytes, room);
}

void clame_close(clame_encoder *encoder) { lame.close(encoder); }
