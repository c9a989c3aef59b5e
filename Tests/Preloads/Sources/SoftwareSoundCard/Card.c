// The card itself: a clock of its own, a DMA engine that fetches bursts, a FIFO of fixed latency, a loudspeaker.
//
// Everything is a function of true time. Whoever looks (the application through libasound, or the card's own thread)
// first lets happen what fell due by now, in order and at its own instant; a late look changes no time that is
// reported. The thread is there so that frames are fetched on time while the application looks away: what it rewrites
// after their fetch was heard as it was.
#include "Card.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const int64_t idle_wake_ns = 20000000;

static void post(int event) {
    uint64_t one = 1;
    if (write(event, &one, sizeof one) < 0 && errno != EAGAIN) perror("software sound card: eventfd");
}

static void enter(struct card *card, enum card_state state) {
    card->state = state;
    pthread_cond_broadcast(&card->changed);
    post(card->ready);
    post(card->kick);
}

static bool is_fetching(const struct card *card) {
    return card->state == CARD_RUNNING || card->state == CARD_DRAINING;
}

static int64_t due(const struct card *card, int64_t burst) {
    if (card->captures) return capture_due(card, burst);
    return card->run_start + llrint((double)(burst * card->burst_frames) / card->rate);
}

static int64_t latency(const struct card *card) { return card->settings.latency_us * 1000; }

// Frames heard by `at`, counted as `fetched` is; negative before the first sound.
static double heard(const struct card *card, int64_t at) {
    double frames = (double)(at - card->run_start - latency(card)) * card->rate + (double)card->run_first_frame;
    return frames < (double)card->fetched ? frames : (double)card->fetched;
}

int64_t card_queued(const struct card *card) {
    if (card->settings.keeps) return card->kept.received - card->fetched;
    if (!card->boundary) return 0;
    int64_t boundary = (int64_t)card->boundary;
    int64_t queued = (int64_t)card->io.appl_ptr - card->fetched % boundary;
    if (card->captures) queued = -queued;
    if (queued < -boundary / 2) queued += boundary;
    if (queued > boundary / 2) queued -= boundary;
    return queued;
}

int64_t card_avail(const struct card *card) {
    return card->captures ? card_queued(card) : (int64_t)card->io.buffer_size - card_queued(card);
}

// What was taken back and written anew is more than fits the buffer: no room is shown until that is through.
int64_t card_pointer(struct card *card) {
    if (!card->settings.keeps) return card->fetched;
    struct kept *kept = &card->kept;
    const int64_t room = card_avail(card);
    if (room > kept->room) {
        kept->shown += room - kept->room;
        kept->room = room;
    }
    return kept->shown;
}

int64_t card_keep(struct card *card, const snd_pcm_channel_area_t *areas, int64_t offset, int64_t count) {
    struct kept *kept = &card->kept;
    const int64_t space = kept->capacity - card_queued(card);
    if (count > space) count = space;
    const uint8_t *from = (const uint8_t *)areas[0].addr + areas[0].first / 8 + (size_t)offset * kept->frame_bytes;
    for (int64_t i = 0; i < count; i++) {
        const size_t slot = (size_t)((kept->received + i) % kept->capacity);
        memcpy(kept->frames + slot * kept->frame_bytes, from + (size_t)i * kept->frame_bytes, kept->frame_bytes);
    }
    kept->received += count;
    kept->room = count < kept->room ? kept->room - count : 0;
    return count;
}

// What counts whole transfers is at a whole frame when it counts, but for the latency, which is no whole number of frames
// on the card's own clock: rounded down, a card that is 40 ppm fast would be a frame behind one that is 35 ppm slow.
int64_t card_whole_frames(const struct card *card, double frames) {
    return (int64_t)(card->settings.coarse ? round(frames) : floor(frames));
}

int64_t card_delay(const struct card *card, int64_t now) {
    if (card->state == CARD_IDLE || (card->captures && card->state == CARD_PAUSED)) return card_queued(card);
    int64_t at = now;
    if (card->settings.coarse && is_fetching(card))
        at = card->captures && card->run_bursts == 0 ? card->run_start : due(card, card->run_bursts - 1);
    if (card->state == CARD_STALLED) at = card->control.stall_done;
    if (card->captures) return capture_delay(card, at);
    return card_queued(card) + card->fetched - card_whole_frames(card, heard(card, at));
}

// Ring frames are interleaved: only interleaved access is offered.
static void fetch(struct card *card, int64_t count) {
    const bool keeps = card->settings.keeps;
    const snd_pcm_channel_area_t *areas = keeps ? NULL : snd_pcm_ioplug_mmap_areas(&card->io);
    const int64_t size = keeps ? card->kept.capacity : (int64_t)card->io.buffer_size;
    const uint8_t *ring = card->kept.frames;
    if (areas) ring = (const uint8_t *)areas[0].addr + areas[0].first / 8;
    while (count > 0 && ring) {
        int64_t offset = card->fetched % size;
        int64_t part = count < size - offset ? count : size - offset;
        recording_append(&card->recording, ring + offset * card->recording.source_frame_bytes, part);
        card->fetched += part;
        count -= part;
    }
}

static void note_event(struct card *card, const char *name, int64_t at) {
    if (card->captures) source_event(&card->source, name, at);
    else recording_event(&card->recording, name, at);
}

// What was fetched and not heard by now never will be.
static void cut(struct card *card, int64_t now) {
    if (!card->captures) recording_cut(&card->recording, (int64_t)heard(card, now) - card->run_first_frame);
}

void card_break_off(struct card *card, int64_t at) {
    note_event(card, "xrun", at);
    card->broke_off_at = at;
    enter(card, CARD_XRUN);
    snd_pcm_ioplug_set_state(&card->io, SND_PCM_STATE_XRUN);
}

// libasound is told nothing: to the application it runs on.
static void stand_still(struct card *card, int64_t at) {
    card->control.stall_done = at;
    cut(card, at);
    note_event(card, "stalled", at);
    enter(card, CARD_STALLED);
}

bool card_runs_free(const struct card *card) { return card->stop_threshold >= card->boundary; }

static void fetch_burst(struct card *card, int64_t at) {
    const int64_t queued = card_queued(card);
    const int64_t present = queued < 0 ? 0 : queued < card->burst_frames ? queued : card->burst_frames;
    if (card->state == CARD_DRAINING && present == 0) return enter(card, CARD_DRAINED);
    fetch(card, present);
    card->run_bursts++;
    if (present == card->burst_frames || card->state == CARD_DRAINING) return;
    if (!card_runs_free(card)) return card_break_off(card, at + llrint((double)present / card->rate));
    recording_append(&card->recording, NULL, card->burst_frames - present);
    card->fetched += card->burst_frames - present;
}

static void unplug(struct card *card, int64_t now) {
    if (is_fetching(card)) cut(card, now);
    note_event(card, "vanished", now);
    enter(card, CARD_GONE);
    snd_pcm_ioplug_set_state(&card->io, SND_PCM_STATE_DISCONNECTED);
}

void card_advance(struct card *card, int64_t now) {
    if (card->state == CARD_GONE) return;
    if (control_is_gone(&card->control, now)) return unplug(card, now);
    const int64_t xrun_at = card->control.xrun_at;
    const int64_t stall_at = card->control.stall_at;
    while (is_fetching(card)) {
        const int64_t next = due(card, card->run_bursts);
        if (xrun_at > card->run_start && xrun_at != card->control.xrun_done && xrun_at <= next && xrun_at <= now) {
            card->control.xrun_done = xrun_at;
            return card_break_off(card, xrun_at);
        }
        if (card->state == CARD_RUNNING && stall_at > card->run_start && stall_at != card->control.stall_done
            && stall_at <= next && stall_at <= now)
            return stand_still(card, stall_at);
        if (next > now) return;
        if (card->captures) capture_deliver_burst(card, next);
        else fetch_burst(card, next);
        if (is_fetching(card) && card_avail(card) >= (int64_t)card->avail_min) post(card->ready);
    }
}

void card_prepare(struct card *card) {
    card->fetched = 0;
    card->kept.received = card->kept.shown = 0;
    card->kept.room = (int64_t)card->io.buffer_size;
    card->run_first_frame = 0;
    card->run_bursts = 0;
    if (card->state != CARD_GONE) enter(card, CARD_IDLE);
}

static void begin_run(struct card *card, enum card_state state) {
    int64_t now = card_true_now();
    // The end of a burst that was too short is noticed when it is fetched: it is heard out first.
    if (now < card->broke_off_at) now = card->broke_off_at;
    card->run_start = now;
    card->run_first_frame = card->fetched;
    card->run_bursts = 0;
    if (card->captures) capture_begin_run(card, now);
    else recording_begin_segment(&card->recording, now + latency(card), card->rate * 1e9);
    enter(card, state);
    card_advance(card, now);
}

void card_start(struct card *card, enum card_state state) { begin_run(card, state); }

void card_stop(struct card *card) {
    const int64_t now = card_true_now();
    card_advance(card, now);
    // What a drain has fetched whole plays out, though libasound drops the stream at once.
    if (card->state == CARD_RUNNING || (card->state == CARD_DRAINING && card_queued(card) > 0))
        cut(card, now);
    if (card->captures && is_fetching(card)) source_event(&card->source, "stopped", now);
    if (card->state != CARD_GONE) enter(card, CARD_IDLE);
}

// As in USB drivers, what was fetched before the pause is still heard.
void card_pause(struct card *card, bool pauses) {
    if (!pauses) return begin_run(card, CARD_RUNNING);
    card_advance(card, card_true_now());
    if (card->state == CARD_RUNNING) enter(card, CARD_PAUSED);
}

static void wait_until(struct card *card, int64_t when) {
    int64_t rest = when - card_true_now();
    if (rest < 0) rest = 0;
    struct timespec timeout = {rest / 1000000000, rest % 1000000000};
    struct pollfd kick = {card->kick, POLLIN, 0};
    if (ppoll(&kick, 1, &timeout, NULL) > 0) {
        uint64_t ignored;
        if (read(card->kick, &ignored, sizeof ignored) < 0 && errno != EAGAIN) perror("software sound card: eventfd");
    }
}

static void *run(void *argument) {
    struct card *card = argument;
    int64_t next_look = 0;
    pthread_mutex_lock(&card->lock);
    while (!card->quits) {
        int64_t now = card_true_now();
        if (now >= next_look) {
            control_read(&card->control);
            next_look = now + idle_wake_ns;
        }
        card_advance(card, now);
        recording_flush(&card->recording, &card->lock);
        int64_t until = is_fetching(card) ? due(card, card->run_bursts) : next_look;
        if (until > next_look) until = next_look;
        pthread_mutex_unlock(&card->lock);
        wait_until(card, until);
        pthread_mutex_lock(&card->lock);
    }
    pthread_mutex_unlock(&card->lock);
    return NULL;
}

static int start_thread(struct card *card) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = pthread_create(&card->thread, NULL, run, card);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error) return -error;
    card->thread_runs = true;
    pthread_setname_np(card->thread, "sound-card");
    struct sched_param priority = {.sched_priority = 70};
    if (card->settings.realtime) pthread_setschedparam(card->thread, SCHED_FIFO, &priority);
    return 0;
}

int card_open(struct card *card) {
    pthread_mutexattr_t inheriting;
    pthread_mutexattr_init(&inheriting);
    pthread_mutexattr_setprotocol(&inheriting, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&card->lock, &inheriting);
    pthread_mutex_init(&card->recording.file_lock, &inheriting);
    pthread_mutexattr_destroy(&inheriting);
    pthread_cond_init(&card->changed, NULL);
    card->kick = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    card->ready = eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC);
    if (card->kick < 0 || card->ready < 0) return -errno;
    return start_thread(card);
}

void card_close(struct card *card) {
    if (card->thread_runs) {
        pthread_mutex_lock(&card->lock);
        if (is_fetching(card)) card_stop(card);
        card->quits = true;
        post(card->kick);
        pthread_mutex_unlock(&card->lock);
        pthread_join(card->thread, NULL);
    }
    recording_close(&card->recording);
    source_close(&card->source);
    free(card->kept.frames);
    if (card->kick >= 0) close(card->kick);
    if (card->ready >= 0) close(card->ready);
    if (card->exclusive >= 0) close(card->exclusive);
    pthread_cond_destroy(&card->changed);
    pthread_mutex_destroy(&card->recording.file_lock);
    pthread_mutex_destroy(&card->lock);
}
