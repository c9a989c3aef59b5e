// The card's other side: the clock's grid of frames goes on with the source in the air, a run takes part of it.
#include "Card.h"

#include <math.h>

int64_t capture_due(const struct card *card, int64_t burst) {
    return card->run_start + llrint((double)((burst + 1) * card->burst_frames) / card->rate)
        + card->settings.latency_us * 1000;
}

int64_t capture_delay(const struct card *card, int64_t at) {
    const int64_t read = card->fetched - card_queued(card);
    if (at < card->run_start) at = card->run_start;
    return card->run_first_frame + card_whole_frames(card, (double)(at - card->run_start) * card->rate) - read;
}

// Ring frames are interleaved: only interleaved access is offered.
static void deliver(struct card *card, int64_t count) {
    const snd_pcm_channel_area_t *areas = snd_pcm_ioplug_mmap_areas(&card->io);
    const int64_t size = (int64_t)card->io.buffer_size;
    const size_t frame_bytes = snd_pcm_format_physical_width(card->io.format) / 8 * card->io.channels;
    while (count > 0 && areas) {
        const int64_t offset = card->fetched % size;
        const int64_t part = count < size - offset ? count : size - offset;
        uint8_t *ring = (uint8_t *)areas[0].addr + areas[0].first / 8;
        source_read(&card->source, card->run_source_frame + card->fetched - card->run_first_frame, part,
            card->io.format, ring + offset * frame_bytes);
        card->fetched += part;
        count -= part;
    }
}

void capture_deliver_burst(struct card *card, int64_t at) {
    int64_t room = (int64_t)card->io.buffer_size - card_queued(card);
    if (room < 0) room = 0;
    const bool fits = card_runs_free(card) || room >= card->burst_frames;
    deliver(card, fits ? card->burst_frames : room);
    card->run_bursts++;
    if (!card_runs_free(card) && card_avail(card) >= (int64_t)card->stop_threshold) card_break_off(card, at);
}

void capture_begin_run(struct card *card, int64_t now) {
    source_begin(&card->source, now, card->rate * 1e9);
    const double elapsed = (double)(now - card->source.at) * card->rate;
    // A start at an instant of the grid is that instant, for all that was rounded.
    card->run_source_frame = (int64_t)ceil(elapsed - 1e-3);
    card->run_start = card->source.at + llrint((double)card->run_source_frame / card->rate);
    source_event(&card->source, "started", card->run_start);
}
