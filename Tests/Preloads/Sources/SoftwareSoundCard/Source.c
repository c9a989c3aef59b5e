// What is in the air: a WAVE file, mapped whole, and its sidecar (format: the RecordingSidecar module).
#include "Card.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned get16(const uint8_t *from) { return from[0] | from[1] << 8; }
static uint32_t get32(const uint8_t *from) { return get16(from) | (uint32_t)get16(from + 2) << 16; }

static bool read_format(struct source *s, const uint8_t *fmt) {
    unsigned tag = get16(fmt), bits = get16(fmt + 14);
    s->channels = get16(fmt + 2);
    s->rate = get32(fmt + 4);
    if (tag == 3 && bits == 32) s->format = SND_PCM_FORMAT_FLOAT_LE;
    else if (tag == 1 && bits == 16) s->format = SND_PCM_FORMAT_S16_LE;
    else if (tag == 1 && bits == 24) s->format = SND_PCM_FORMAT_S24_3LE;
    else if (tag == 1 && bits == 32) s->format = SND_PCM_FORMAT_S32_LE;
    else return false;
    s->frame_bytes = bits / 8 * s->channels;
    return s->channels > 0;
}

// The kinds that the test kit writes: plain formats, `fmt ` before `data`.
static int parse(struct source *s) {
    if (s->mapped_bytes < 44 || memcmp(s->mapped, "RIFF", 4) || memcmp(s->mapped + 8, "WAVE", 4)) return -EINVAL;
    bool has_format = false;
    for (size_t at = 12; at + 8 <= s->mapped_bytes;) {
        const uint8_t *chunk = s->mapped + at;
        const size_t left = s->mapped_bytes - at - 8;
        size_t bytes = get32(chunk + 4);
        if (bytes > left) bytes = left;
        if (!memcmp(chunk, "fmt ", 4) && bytes >= 16) has_format = read_format(s, chunk + 8);
        if (!memcmp(chunk, "data", 4)) {
            if (!has_format) return -EINVAL;
            s->frames = chunk + 8;
            s->frame_count = (int64_t)(bytes / s->frame_bytes);
            return 0;
        }
        at += 8 + bytes + bytes % 2;
    }
    return -EINVAL;
}

int source_open(struct source *s) {
    struct stat status;
    s->file = open(s->path, O_RDONLY | O_CLOEXEC);
    if (s->file < 0 || fstat(s->file, &status) < 0) return -errno;
    s->mapped_bytes = (size_t)status.st_size;
    void *mapped = mmap(NULL, s->mapped_bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, s->file, 0);
    if (mapped == MAP_FAILED) return -errno;
    s->mapped = mapped;
    return parse(s);
}

void source_close(struct source *s) {
    if (s->mapped) munmap((void *)s->mapped, s->mapped_bytes);
    if (s->file >= 0) close(s->file);
    if (s->timing >= 0) close(s->timing);
    s->mapped = NULL;
    s->file = s->timing = -1;
}

static void line(struct source *s, const char *text) {
    if (s->timing >= 0 && write(s->timing, text, strlen(text)) < 0) perror("software sound card: sidecar");
}

// When the source was in the air before this process, or this opening, looked; 0 where it was not.
static int64_t read_beginning(const char *path, double frames_per_second) {
    FILE *file = fopen(path, "re");
    if (!file) return 0;
    char text[128];
    long long at = 0, found;
    double rate;
    while (fgets(text, sizeof text, file))
        if (sscanf(text, "segment 0 %lld %lf", &found, &rate) == 2 && rate > frames_per_second - 1e-6
            && rate < frames_per_second + 1e-6)
            at = found;
    fclose(file);
    return at;
}

void source_begin(struct source *s, int64_t now, double frames_per_second) {
    if (s->timing >= 0) return;
    char path[PATH_MAX + 8], text[160];
    snprintf(path, sizeof path, "%s.timing", s->path);
    const int64_t before = read_beginning(path, frames_per_second);
    s->timing = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (s->timing < 0) perror("software sound card: sidecar");
    if (!s->at) s->at = before ? before : now;
    if (lseek(s->timing, 0, SEEK_END) == 0) {
        snprintf(text, sizeof text, "tutti-recording 1\nsampleRate %u\nchannels %u\n", s->rate, s->channels);
        line(s, text);
    }
    if (before == s->at) return;
    snprintf(text, sizeof text, "segment 0 %lld %.9f\n", (long long)s->at, frames_per_second);
    line(s, text);
}

void source_event(struct source *s, const char *name, int64_t at) {
    char text[128];
    snprintf(text, sizeof text, "event %s %lld\n", name, (long long)at);
    line(s, text);
}

// The low three bytes of four, with the sign in the fourth.
static void pad(const uint8_t *from, int64_t samples, uint8_t *to) {
    for (; samples > 0; samples--, from += 3, to += 4) {
        memcpy(to, from, 3);
        to[3] = from[2] & 0x80 ? 0xff : 0;
    }
}

void source_read(const struct source *s, int64_t first, int64_t count, snd_pcm_format_t format, uint8_t *to) {
    const bool pads = format != s->format;
    const size_t wide = pads ? s->frame_bytes / 3 * 4 : s->frame_bytes;
    for (int64_t done = 0; done < count;) {
        const int64_t at = first + done;
        int64_t part = count - done;
        if (at < 0 || at >= s->frame_count) {
            if (at < 0 && part > -at) part = -at;
            memset(to + done * wide, 0, part * wide);
        } else {
            if (part > s->frame_count - at) part = s->frame_count - at;
            const uint8_t *from = s->frames + at * s->frame_bytes;
            if (pads) pad(from, part * s->channels, to + done * wide);
            else memcpy(to + done * wide, from, part * wide);
        }
        done += part;
    }
}
