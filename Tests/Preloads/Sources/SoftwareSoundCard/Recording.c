// What was heard: a WAVE file that grows, and its sidecar (format: the RecordingSidecar module).
//
// Both are only appended to, so a killed process leaves them right: while the file is open its header states the
// largest length there is, and readers take what is there. Frames are staged in memory by whoever advances the card
// and written by the card's own thread, so that no real-time thread of the application waits for a disk.
#include "Card.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER_BYTES = 44 };

static void put16(uint8_t *to, uint32_t value) { to[0] = value; to[1] = value >> 8; }
static void put32(uint8_t *to, uint32_t value) { put16(to, value); put16(to + 2, value >> 16); }

static void put_header(const struct recording *r, uint8_t *h, uint32_t data_bytes) {
    const unsigned sample_bytes = r->file_frame_bytes / r->channels;
    memcpy(h, "RIFF....WAVEfmt ", 16);
    put32(h + 4, data_bytes > UINT32_MAX - 36 ? UINT32_MAX : data_bytes + 36);
    put32(h + 16, 16);
    put16(h + 20, r->format == SND_PCM_FORMAT_FLOAT_LE ? 3 : 1);
    put16(h + 22, r->channels);
    put32(h + 24, r->rate);
    put32(h + 28, r->rate * r->file_frame_bytes);
    put16(h + 32, r->file_frame_bytes);
    put16(h + 34, sample_bytes * 8);
    memcpy(h + 36, "data", 4);
    put32(h + 40, data_bytes);
}

static bool write_all(int file, const void *bytes, size_t count) {
    const uint8_t *from = bytes;
    while (count > 0) {
        ssize_t done = write(file, from, count);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        from += done;
        count -= done;
    }
    return true;
}

static void timing_line(struct recording *r, const char *line) {
    if (r->timing >= 0 && !write_all(r->timing, line, strlen(line))) perror("software sound card: sidecar");
}

static void preamble(const struct recording *r, char *to, size_t size) {
    snprintf(to, size, "tutti-recording 1\nsampleRate %u\nchannels %u\n", r->rate, r->channels);
}

// Goes on in an existing file of the same layout; says whether it could.
static bool resume_file(struct recording *r, const char *path) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return false;
    uint8_t found[HEADER_BYTES], wanted[HEADER_BYTES];
    put_header(r, wanted, UINT32_MAX);
    struct stat status;
    if (read(file, found, sizeof found) != HEADER_BYTES || fstat(file, &status) < 0
        || memcmp(found + 20, wanted + 20, 16) != 0) {
        close(file);
        return false;
    }
    r->file = file;
    r->file_frames = (status.st_size - HEADER_BYTES) / (int64_t)r->file_frame_bytes;
    return pwrite(file, wanted, sizeof wanted, 0) == HEADER_BYTES
        && ftruncate(file, HEADER_BYTES + r->file_frames * (int64_t)r->file_frame_bytes) == 0
        && lseek(file, 0, SEEK_END) >= 0;
}

static bool create_file(struct recording *r, const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) return false;
    uint8_t header[HEADER_BYTES];
    put_header(r, header, UINT32_MAX);
    r->file = file;
    r->file_frames = 0;
    return write_all(file, header, sizeof header);
}

// NAME.wav, and for a layout that differs from what is there NAME.2.wav and so on.
static void numbered_path(const struct recording *r, int number, char *to, size_t size) {
    const char *dot = strrchr(r->path, '.');
    int stem = dot ? (int)(dot - r->path) : (int)strlen(r->path);
    if (number == 1) snprintf(to, size, "%s", r->path);
    else snprintf(to, size, "%.*s.%d%s", stem, r->path, number, dot ? dot : "");
}

static int open_timing(struct recording *r, const char *path) {
    char timing_path[PATH_MAX + 32], text[128];
    snprintf(timing_path, sizeof timing_path, "%s.timing", path);
    r->timing = open(timing_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (r->timing < 0) return -errno;
    if (lseek(r->timing, 0, SEEK_END) > 0) return 0;
    preamble(r, text, sizeof text);
    timing_line(r, text);
    return 0;
}

int recording_open(struct recording *r, snd_pcm_format_t format, unsigned channels, unsigned rate) {
    r->format = format;
    r->channels = channels;
    r->rate = rate;
    r->source_frame_bytes = snd_pcm_format_physical_width(format) / 8 * channels;
    r->file_frame_bytes = format == SND_PCM_FORMAT_S24_LE ? 3 * channels : r->source_frame_bytes;
    r->staged_frames = 0;
    r->staging_capacity = rate;
    free(r->staging);
    r->staging = malloc(r->file_frame_bytes * r->staging_capacity);
    if (!r->staging) return -ENOMEM;
    if (!r->path[0]) return 0;
    for (int number = 1; number < 100; number++) {
        char path[PATH_MAX + 16];
        numbered_path(r, number, path, sizeof path);
        if (create_file(r, path) || (errno == EEXIST && resume_file(r, path))) return open_timing(r, path);
        if (r->file >= 0) close(r->file);
        r->file = -1;
        if (errno == ENOENT || errno == EACCES || errno == ENOSPC || errno == EROFS) break;
    }
    fprintf(stderr, "software sound card: cannot record to %s\n", r->path);
    return -EIO;
}

void recording_close(struct recording *r) {
    pthread_mutex_lock(&r->file_lock);
    if (r->file >= 0) {
        if (!write_all(r->file, r->staging, r->staged_frames * r->file_frame_bytes)) perror("software sound card");
        r->file_frames += r->staged_frames;
        uint8_t header[HEADER_BYTES];
        uint64_t bytes = r->file_frames * r->file_frame_bytes;
        put_header(r, header, bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes);
        if (pwrite(r->file, header, sizeof header, 0) != HEADER_BYTES) perror("software sound card");
        close(r->file);
    }
    if (r->timing >= 0) close(r->timing);
    r->file = r->timing = -1;
    free(r->staging);
    r->staging = NULL;
    r->staged_frames = r->file_frames = 0;
    pthread_mutex_unlock(&r->file_lock);
}

int64_t recording_frames(const struct recording *r) { return r->file_frames + r->staged_frames; }

void recording_begin_segment(struct recording *r, int64_t heard_at, double frames_per_second) {
    char line[128];
    r->segment_first_frame = recording_frames(r);
    snprintf(line, sizeof line, "segment %lld %lld %.9f\n", (long long)r->segment_first_frame, (long long)heard_at,
        frames_per_second);
    timing_line(r, line);
}

void recording_event(struct recording *r, const char *name, int64_t at) {
    char line[128];
    snprintf(line, sizeof line, "event %s %lld\n", name, (long long)at);
    timing_line(r, line);
}

static void write_staged(struct recording *r) {
    const size_t bytes = r->staged_frames * r->file_frame_bytes;
    if (r->file >= 0 && !write_all(r->file, r->staging, bytes)) perror("software sound card: recording");
    r->file_frames += r->staged_frames;
    r->staged_frames = 0;
}

static void stage(struct recording *r, const uint8_t *frames, int64_t count) {
    uint8_t *to = r->staging + r->staged_frames * r->file_frame_bytes;
    if (!frames) {
        memset(to, 0, count * r->file_frame_bytes);
    } else if (r->format == SND_PCM_FORMAT_S24_LE) {
        for (int64_t sample = 0; sample < count * r->channels; sample++) memcpy(to + 3 * sample, frames + 4 * sample, 3);
    } else {
        memcpy(to, frames, count * r->file_frame_bytes);
    }
    r->staged_frames += count;
}

void recording_append(struct recording *r, const uint8_t *frames, int64_t count) {
    while (count > 0) {
        int64_t room = r->staging_capacity - r->staged_frames;
        if (room == 0) {
            pthread_mutex_lock(&r->file_lock);
            write_staged(r);
            pthread_mutex_unlock(&r->file_lock);
            continue;
        }
        int64_t part = count < room ? count : room;
        stage(r, frames, part);
        if (frames) frames += part * r->source_frame_bytes;
        count -= part;
    }
}

void recording_cut(struct recording *r, int64_t segment_frames) {
    int64_t keep = r->segment_first_frame + (segment_frames > 0 ? segment_frames : 0);
    if (keep >= recording_frames(r)) return;
    pthread_mutex_lock(&r->file_lock);
    if (keep >= r->file_frames) {
        r->staged_frames = keep - r->file_frames;
    } else {
        r->staged_frames = 0;
        r->file_frames = keep;
        if (r->file >= 0
            && (ftruncate(r->file, HEADER_BYTES + keep * (int64_t)r->file_frame_bytes) < 0
                || lseek(r->file, 0, SEEK_END) < 0))
            perror("software sound card: cutting the recording");
    }
    pthread_mutex_unlock(&r->file_lock);
}

void recording_flush(struct recording *r, pthread_mutex_t *card_lock) {
    if (r->staged_frames == 0) return;
    const size_t bytes = r->staged_frames * r->file_frame_bytes;
    uint8_t *copy = malloc(bytes);
    if (!copy) return;
    memcpy(copy, r->staging, bytes);
    pthread_mutex_lock(&r->file_lock);
    r->file_frames += r->staged_frames;
    r->staged_frames = 0;
    const int file = r->file;
    pthread_mutex_unlock(card_lock);
    if (file >= 0 && !write_all(file, copy, bytes)) perror("software sound card: recording");
    pthread_mutex_unlock(&r->file_lock);
    free(copy);
    pthread_mutex_lock(card_lock);
}
