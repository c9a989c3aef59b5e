// The card as libasound sees it: callbacks, constraints, configuration.
#include "Card.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static struct card *lock_card(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    pthread_mutex_lock(&card->lock);
    return card;
}

static int unlock_card(struct card *card, int result) {
    pthread_mutex_unlock(&card->lock);
    return result;
}

static int state_error(const struct card *card) {
    if (card->state == CARD_GONE) return -ENODEV;
    return card->state == CARD_XRUN ? -EPIPE : 0;
}

// Opens the recording on the first run of a configuration: probing a device leaves no files.
static int ensure_recording(struct card *card) {
    if (card->captures) return 0;
    if (card->recording.staging) return 0;
    return recording_open(&card->recording, card->io.format, card->io.channels, card->io.rate);
}

static int start(snd_pcm_ioplug_t *io) {
    struct card *card = lock_card(io);
    int error = state_error(card);
    if (!error) error = ensure_recording(card);
    if (!error) card_start(card, CARD_RUNNING);
    return unlock_card(card, error);
}

static int stop(snd_pcm_ioplug_t *io) {
    struct card *card = lock_card(io);
    card_stop(card);
    return unlock_card(card, 0);
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
    struct card *card = lock_card(io);
    card_advance(card, card_true_now());
    snd_pcm_sframes_t at = card->boundary ? card_pointer(card) % (int64_t)card->boundary : 0;
    const bool broke_off = card->state == CARD_XRUN;
    if (card->state == CARD_GONE) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
    unlock_card(card, 0);
    return broke_off ? -EPIPE : at;
}

static int delay(snd_pcm_ioplug_t *io, snd_pcm_sframes_t *frames) {
    struct card *card = lock_card(io);
    const int64_t now = card_true_now();
    card_advance(card, now);
    const int error = state_error(card);
    *frames = error ? 0 : card_delay(card, now);
    return unlock_card(card, error);
}

static int prepare(snd_pcm_ioplug_t *io) {
    struct card *card = lock_card(io);
    card_prepare(card);
    return unlock_card(card, card->state == CARD_GONE ? -ENODEV : 0);
}

static int drain(snd_pcm_ioplug_t *io) {
    struct card *card = lock_card(io);
    int error = state_error(card);
    // libasound drops a capture that is drained, whatever is said here.
    if (card->captures) return unlock_card(card, error);
    if (!error) error = ensure_recording(card);
    if (error) return unlock_card(card, error);
    if (card->state == CARD_IDLE) card_start(card, CARD_DRAINING);
    if (card->state == CARD_PAUSED) card_start(card, CARD_DRAINING);
    if (card->state == CARD_RUNNING) card->state = CARD_DRAINING;
    while (card->state == CARD_DRAINING && !io->nonblock) pthread_cond_wait(&card->changed, &card->lock);
    if (card->state == CARD_DRAINING) return unlock_card(card, -EAGAIN);
    return unlock_card(card, card->state == CARD_GONE ? -ENODEV : 0);
}

static int pause_card(snd_pcm_ioplug_t *io, int enable) {
    struct card *card = lock_card(io);
    const int error = state_error(card);
    if (!error) card_pause(card, enable);
    return unlock_card(card, error);
}

// For four times as much as the application believes to be there: whoever takes frames back and writes others may have
// more under way.
static int make_room(struct card *card) {
    struct kept *kept = &card->kept;
    kept->frame_bytes = (size_t)snd_pcm_format_physical_width(card->io.format) / 8 * card->io.channels;
    kept->capacity = 4 * (int64_t)card->io.buffer_size;
    free(kept->frames);
    kept->frames = calloc((size_t)kept->capacity, kept->frame_bytes);
    return kept->frames ? 0 : -ENOMEM;
}

static int hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
    (void)params;
    struct card *card = lock_card(io);
    recording_close(&card->recording);
    card->rate = (double)io->rate * (1 + card->settings.ppm * 1e-6) / 1e9;
    card->burst_frames = llrint((double)io->rate * (double)card->settings.burst_us / 1e6);
    if (card->burst_frames < 1) card->burst_frames = 1;
    return unlock_card(card, card->settings.keeps ? make_room(card) : 0);
}

static snd_pcm_sframes_t transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset, snd_pcm_uframes_t count) {
    struct card *card = lock_card(io);
    card_advance(card, card_true_now());
    const int error = state_error(card);
    const int64_t taken = error ? error : card_keep(card, areas, (int64_t)offset, (int64_t)count);
    pthread_mutex_unlock(&card->lock);
    return taken ? taken : -EAGAIN;
}

static int hw_free(snd_pcm_ioplug_t *io) {
    struct card *card = lock_card(io);
    if (card->state != CARD_IDLE && card->state != CARD_GONE) card_stop(card);
    recording_close(&card->recording);
    return unlock_card(card, 0);
}

static bool has_stamps(const struct card *card, snd_pcm_tstamp_type_t type) {
    switch (card->settings.stamps) {
    case STAMPS_RAW: return true;
    case STAMPS_MONOTONIC: return type != SND_PCM_TSTAMP_TYPE_MONOTONIC_RAW;
    default: return type == SND_PCM_TSTAMP_TYPE_GETTIMEOFDAY;
    }
}

static int sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
    struct card *card = lock_card(io);
    snd_pcm_tstamp_type_t type = SND_PCM_TSTAMP_TYPE_GETTIMEOFDAY;
    snd_pcm_sw_params_get_tstamp_type(params, &type);
    if (!has_stamps(card, type)) return unlock_card(card, -EINVAL);
    snd_pcm_sw_params_get_boundary(params, &card->boundary);
    snd_pcm_sw_params_get_avail_min(params, &card->avail_min);
    snd_pcm_sw_params_get_stop_threshold(params, &card->stop_threshold);
    return unlock_card(card, 0);
}

static int poll_revents(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *revents) {
    if (count != 1) return -EINVAL;
    struct card *card = lock_card(io);
    card_advance(card, card_true_now());
    *revents = 0;
    const unsigned short wanted = card->captures ? POLLIN : POLLOUT;
    const bool waits = (card->state == CARD_RUNNING || card->state == CARD_PAUSED || card->state == CARD_IDLE
                        || card->state == CARD_STALLED)
        && card_avail(card) < (int64_t)card->avail_min;
    if (card->state == CARD_XRUN || card->state == CARD_GONE) {
        *revents = wanted | POLLERR;
    } else if (waits || card->state == CARD_DRAINING) {
        uint64_t ignored;
        if (read(card->ready, &ignored, sizeof ignored) < 0 && errno != EAGAIN) perror("software sound card: eventfd");
    } else if (descriptors->revents & POLLIN) {
        *revents = wanted;
    }
    return unlock_card(card, 0);
}

static int close_card(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card_close(card);
    free(card);
    return 0;
}

#define CALLBACKS                                                                                                      \
    .start = start, .stop = stop, .pointer = pointer, .close = close_card, .hw_params = hw_params, .hw_free = hw_free, \
    .sw_params = sw_params, .prepare = prepare, .drain = drain, .pause = pause_card, .poll_revents = poll_revents,     \
    .delay = delay

static const snd_pcm_ioplug_callback_t callbacks = {CALLBACKS};
// Writes go to the card itself, not to memory that both sides see.
static const snd_pcm_ioplug_callback_t keeping_callbacks = {CALLBACKS, .transfer = transfer};

// Configuration.

struct limits {
    unsigned formats[8], format_count;
    unsigned rates[8], rate_count;
    long channels_min, channels_max, buffer_bytes_max;
};

static unsigned words(const char *text, unsigned *values, unsigned capacity, long (*parse)(const char *)) {
    char copy[256], *rest = NULL;
    unsigned count = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ", &rest); word && count < capacity; word = strtok_r(NULL, " ", &rest)) {
        long value = parse(word);
        if (value >= 0) values[count++] = (unsigned)value;
    }
    return count;
}

static long parse_format(const char *word) { return snd_pcm_format_value(word); }
static long parse_rate(const char *word) { return strtol(word, NULL, 10); }

static bool is_common(const char *id) {
    return !strcmp(id, "type") || !strcmp(id, "comment") || !strcmp(id, "hint");
}

static int read_stamps(struct card *card, const char *text) {
    static const char *const names[] = {[STAMPS_RAW] = "raw", [STAMPS_MONOTONIC] = "monotonic", [STAMPS_REAL] = "real"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i])) continue;
        card->settings.stamps = (enum card_stamps)i;
        return 0;
    }
    return -EINVAL;
}

static int read_field(struct card *card, struct limits *limits, const char *id, snd_config_t *field) {
    const char *text = NULL;
    int flag;
    if (!strcmp(id, "ppm")) return snd_config_get_ireal(field, &card->settings.ppm);
    if (!strcmp(id, "burst_us")) return snd_config_get_integer(field, &card->settings.burst_us);
    if (!strcmp(id, "latency_us")) return snd_config_get_integer(field, &card->settings.latency_us);
    if (!strcmp(id, "channels_min")) return snd_config_get_integer(field, &limits->channels_min);
    if (!strcmp(id, "channels_max")) return snd_config_get_integer(field, &limits->channels_max);
    if (!strcmp(id, "buffer_bytes_max")) return snd_config_get_integer(field, &limits->buffer_bytes_max);
    if (!strcmp(id, "coarse") || !strcmp(id, "realtime")) {
        if ((flag = snd_config_get_bool(field)) < 0) return flag;
        *(id[0] == 'c' ? &card->settings.coarse : &card->settings.realtime) = flag;
        return 0;
    }
    if (snd_config_get_string(field, &text) < 0 || !text) return -EINVAL;
    if (!strcmp(id, "stamps")) return read_stamps(card, text);
    if (!strcmp(id, "rewinds")) {
        card->settings.keeps = !strcmp(text, "ignored");
        return card->settings.keeps || !strcmp(text, "given") ? 0 : -EINVAL;
    }
    if (!strcmp(id, "recording")) snprintf(card->recording.path, sizeof card->recording.path, "%s", text);
    else if (!strcmp(id, "source")) snprintf(card->source.path, sizeof card->source.path, "%s", text);
    else if (!strcmp(id, "source_at")) card->source.at = strtoll(text, NULL, 10);
    else if (!strcmp(id, "control")) snprintf(card->control.path, sizeof card->control.path, "%s", text);
    else if (!strcmp(id, "formats")) limits->format_count = words(text, limits->formats, 8, parse_format);
    else if (!strcmp(id, "rates")) limits->rate_count = words(text, limits->rates, 8, parse_rate);
    else return -EINVAL;
    return 0;
}

static int read_config(struct card *card, struct limits *limits, snd_config_t *conf) {
    snd_config_iterator_t i, next;
    snd_config_for_each(i, next, conf) {
        snd_config_t *field = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(field, &id) < 0 || is_common(id)) continue;
        if (read_field(card, limits, id, field) < 0) {
            SNDERR("software sound card: unknown or malformed field %s", id);
            return -EINVAL;
        }
    }
    if (card->settings.burst_us < 100 || card->settings.latency_us < 0 || limits->format_count == 0
        || limits->rate_count == 0)
        return -EINVAL;
    return 0;
}

static int set_constraints(snd_pcm_ioplug_t *io, const struct limits *limits) {
    static const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED};
    const unsigned bytes_max = (unsigned)limits->buffer_bytes_max;
    const unsigned access_count = io->mmap_rw ? 2 : 1;
    int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, access_count, accesses);
    if (!error)
        error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, limits->format_count, limits->formats);
    if (!error) error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_RATE, limits->rate_count, limits->rates);
    if (!error)
        error = snd_pcm_ioplug_set_param_minmax(
            io, SND_PCM_IOPLUG_HW_CHANNELS, (unsigned)limits->channels_min, (unsigned)limits->channels_max);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, bytes_max / 2);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 128, bytes_max);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 1024);
    return error;
}

// A capture has the layout of the file that is in the air, and converts nothing.
static int open_source(struct card *card, struct limits *limits) {
    if (!card->source.path[0]) return -ENOENT;
    const int error = source_open(&card->source);
    if (error) return error;
    unsigned count = 0;
    for (unsigned i = 0; i < limits->format_count; i++) {
        const unsigned format = limits->formats[i];
        const bool pads = format == SND_PCM_FORMAT_S24_LE && card->source.format == SND_PCM_FORMAT_S24_3LE;
        if (format == (unsigned)card->source.format || pads) limits->formats[count++] = format;
    }
    limits->format_count = count;
    limits->rates[0] = card->source.rate;
    limits->rate_count = 1;
    limits->channels_min = limits->channels_max = card->source.channels;
    return count ? 0 : -EINVAL;
}

// One at a time, as hardware: the lock goes with the process, however that ends.
static int take_exclusively(struct card *card) {
    card->exclusive = -1;
    const char *identity = card->captures ? card->source.path : card->recording.path;
    if (!identity[0]) return 0;
    char path[PATH_MAX + 8];
    snprintf(path, sizeof path, "%s.lock", identity);
    card->exclusive = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (card->exclusive < 0) return -errno;
    return flock(card->exclusive, LOCK_EX | LOCK_NB) == 0 ? 0 : -EBUSY;
}

static int check_presence(struct card *card) {
    control_read(&card->control);
    card->control.xrun_done = 0;
    // As libraries of sound servers do.
    if (card->control.chatters) {
        printf("the card speaks\n");
        fprintf(stderr, "the card complains\n");
    }
    if (control_is_gone(&card->control, card_true_now())) return -ENODEV;
    return card->control.busy ? -EBUSY : take_exclusively(card);
}

static void set_defaults(struct card *card) {
    card->settings.burst_us = 5000;
    card->settings.latency_us = 1000;
    card->settings.realtime = true;
    card->recording.file = card->recording.timing = -1;
    card->source.file = card->source.timing = -1;
    card->kick = card->ready = card->exclusive = -1;
    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "Tutti software sound card";
    card->io.flags = SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
    card->io.mmap_rw = 1;
    card->io.callback = &callbacks;
    card->io.private_data = card;
}

SND_PCM_PLUGIN_DEFINE_FUNC(tutti_card) {
    (void)root;
    static const struct limits all = {
        .formats = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S32_LE,
            SND_PCM_FORMAT_FLOAT_LE},
        .format_count = 5,
        .rates = {44100, 48000, 96000},
        .rate_count = 3,
        .channels_min = 1,
        .channels_max = 8,
        .buffer_bytes_max = 1 << 20,
    };
    struct limits limits = all;
    struct card *card = calloc(1, sizeof *card);
    if (!card) return -ENOMEM;
    set_defaults(card);
    card->captures = stream == SND_PCM_STREAM_CAPTURE;
    int error = read_config(card, &limits, conf);
    if (card->captures) card->settings.keeps = false;
    if (card->settings.keeps) {
        card->io.mmap_rw = 0;
        card->io.callback = &keeping_callbacks;
    }
    if (!error && card->captures) error = open_source(card, &limits);
    if (!error) error = check_presence(card);
    if (error) {
        if (card->exclusive >= 0) close(card->exclusive);
        source_close(&card->source);
        free(card);
        return error;
    }
    if (card->settings.stamps != STAMPS_REAL) card->io.flags |= SND_PCM_IOPLUG_FLAG_MONOTONIC;
    error = card_open(card);
    card->io.poll_fd = card->ready;
    card->io.poll_events = POLLIN;
    if (!error) error = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (error) {
        card_close(card);
        free(card);
        return error;
    }
    error = set_constraints(&card->io, &limits);
    if (error) {
        snd_pcm_ioplug_delete(&card->io);
        return error;
    }
    *pcmp = card->io.pcm;
    return 0;
}

SND_PCM_PLUGIN_SYMBOL(tutti_card);
