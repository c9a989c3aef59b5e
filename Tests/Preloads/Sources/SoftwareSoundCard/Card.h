// The parts of the software sound card; see include/SoftwareSoundCard.h for what it does.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// True time (TrueClock.c).

/// Nanoseconds of the initial time namespace's CLOCK_MONOTONIC_RAW, past any interposer.
int64_t card_true_now(void);

// What was heard (Recording.c).

struct recording {
    char path[PATH_MAX];          // as configured; the file in use may carry a number
    int file, timing;             // -1 while closed
    unsigned channels, rate;
    snd_pcm_format_t format;
    size_t source_frame_bytes;    // as the application writes them
    size_t file_frame_bytes;
    int64_t file_frames;          // in the file
    uint8_t *staging;             // frames in the file's layout which are not yet in the file
    int64_t staged_frames, staging_capacity;
    int64_t segment_first_frame;
    pthread_mutex_t file_lock;    // taken after the card's lock
};

int recording_open(struct recording *, snd_pcm_format_t, unsigned channels, unsigned rate);
void recording_close(struct recording *);
int64_t recording_frames(const struct recording *);
void recording_begin_segment(struct recording *, int64_t heard_at, double frames_per_second);
void recording_event(struct recording *, const char *name, int64_t at);
/// Takes interleaved frames as the application wrote them; null appends silence.
void recording_append(struct recording *, const uint8_t *frames, int64_t count);
/// Forgets the frames of the current segment from `segment_frames` on: they were fetched and never heard.
void recording_cut(struct recording *, int64_t segment_frames);
/// Brings staged frames into the file. `card_lock` is held by the caller, and released while writing.
void recording_flush(struct recording *, pthread_mutex_t *card_lock);

// What is in the air (Source.c).

struct source {
    char path[PATH_MAX];          // empty: the card has no capture side
    int file, timing;             // -1 while closed
    const uint8_t *mapped;        // the whole file
    size_t mapped_bytes;
    const uint8_t *frames;        // the first frame
    int64_t frame_count;
    snd_pcm_format_t format;      // as in the file
    unsigned channels, rate;
    size_t frame_bytes;
    int64_t at;                   // true time of the first frame; 0: when a capture first starts
};

int source_open(struct source *);
void source_close(struct source *);
/// Opens the sidecar, once, and states there when the first frame is in the air: `now` if that is not decided yet.
void source_begin(struct source *, int64_t now, double frames_per_second);
void source_event(struct source *, const char *name, int64_t at);
/// Frames from `first` on, in this format; silence before the first frame and after the last.
void source_read(const struct source *, int64_t first, int64_t count, snd_pcm_format_t, uint8_t *to);

// Faults (Control.c).

struct control {
    char path[PATH_MAX];
    bool busy, gone, chatters;
    int64_t gone_at, xrun_at, stall_at; // 0: none
    int64_t xrun_done, stall_done; // the last ones that were acted upon
};

void control_read(struct control *);
bool control_is_gone(const struct control *, int64_t now);

// The card (Card.c).

enum card_state {
    CARD_IDLE, CARD_RUNNING, CARD_PAUSED, CARD_DRAINING, CARD_DRAINED, CARD_XRUN, CARD_GONE,
    CARD_STALLED                  // says that it runs, and fetches nothing
};

/// On which clocks it stamps its status; an application that asks for another is refused.
enum card_stamps { STAMPS_RAW, STAMPS_MONOTONIC, STAMPS_REAL };

struct card_settings {
    double ppm;
    long burst_us, latency_us;
    bool coarse, realtime;
    bool keeps;                   // what is written, though it is taken back
    enum card_stamps stamps;
};

/// Frames of an application that may not take them back, in the order in which they came.
struct kept {
    uint8_t *frames;              // a ring
    int64_t capacity;             // in frames
    size_t frame_bytes;
    int64_t received;             // since prepare
    int64_t shown;                // of the frames that were fetched, as many as the application is to know
    int64_t room;                 // in the buffer that it believes in
};

struct card {
    snd_pcm_ioplug_t io;
    struct card_settings settings;
    struct recording recording;
    bool captures;                // else it plays
    struct source source;
    struct control control;
    int exclusive;                // descriptor that holds the lock file

    pthread_mutex_t lock;         // guards all below, and `recording`
    pthread_cond_t changed;       // state changed
    pthread_t thread;
    bool thread_runs, quits;
    int kick, ready;              // eventfds: wakes the thread; tells the application to look

    enum card_state state;
    snd_pcm_uframes_t boundary, avail_min, stop_threshold;
    int64_t burst_frames;
    double rate;                  // true frames per true nanosecond
    struct kept kept;
    int64_t fetched;              // frames since prepare, delivered ones of a capture: the hardware pointer
    int64_t broke_off_at;         // true time of the last xrun
    int64_t run_start;            // true time at which the first burst of this run was fetched
    int64_t run_first_frame;      // `fetched` at that instant
    int64_t run_bursts;           // bursts fetched in this run
    int64_t run_source_frame;     // capture: the source's frame at `run_start`
};

int card_open(struct card *);
void card_close(struct card *);
void card_start(struct card *, enum card_state);
void card_stop(struct card *);
void card_pause(struct card *, bool);
void card_prepare(struct card *);
/// Does what fell due by `now`. Like all below: called with the lock held.
void card_advance(struct card *, int64_t now);
int64_t card_queued(const struct card *);
/// Frames since prepare that the application's buffer is rid of.
int64_t card_pointer(struct card *);
/// Takes frames for good, and returns how many there was room for.
int64_t card_keep(struct card *, const snd_pcm_channel_area_t *, int64_t offset, int64_t count);
int64_t card_delay(const struct card *, int64_t now);
// Of frames that a delay tells: those that are through, or the nearest whole number where `coarse`.
int64_t card_whole_frames(const struct card *, double frames);
int64_t card_avail(const struct card *);
bool card_runs_free(const struct card *);
void card_break_off(struct card *, int64_t at);

// The capture side (Capture.c). Called with the lock held.

int64_t capture_due(const struct card *, int64_t burst);
int64_t capture_delay(const struct card *, int64_t at);
void capture_deliver_burst(struct card *, int64_t at);
/// Begins a run at the first instant of the card's grid of frames that is not before `now`.
void capture_begin_run(struct card *, int64_t now);
