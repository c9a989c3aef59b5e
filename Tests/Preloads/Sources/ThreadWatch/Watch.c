// Which thread is watched, what it did, and the report.
#include "Watch.h"

#include "include/ThreadWatch.h"

#include <execinfo.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CALLS = 16, FRAMES = 24 };

struct call {
    enum kind kind;
    int depth;
    void *frames[FRAMES];
};

// Initial-exec: touching it must never allocate.
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))
THREAD_LOCAL bool is_named, is_watched;
THREAD_LOCAL int inside;

static const char *const names[KIND_COUNT] = {"allocate", "free", "lock", "object", "retain", "release"};
static _Atomic uint64_t elsewhere[KIND_COUNT];
// The watched thread's own; there is one at a time.
static uint64_t in_sound[KIND_COUNT], offences[KIND_COUNT];
static struct call calls[CALLS];
static int call_count;
static struct timespec begun;
static double seconds;

static void record(enum kind kind) {
    offences[kind]++;
    if (call_count == CALLS) return;
    struct call *call = &calls[call_count++];
    call->kind = kind;
    // What the unwinder does is not the thread's fault.
    inside++;
    call->depth = backtrace(call->frames, FRAMES);
    inside--;
}

void watch_note(enum kind kind) {
    if (!is_watched) atomic_fetch_add_explicit(&elsewhere[kind], 1, memory_order_relaxed);
    else if (inside > 0) in_sound[kind]++;
    else record(kind);
}

void watch_enter_sound(void) { inside++; }
void watch_leave_sound(void) { inside--; }
bool watch_is_on(void) { return is_watched && inside == 0; }

void watch_named(const char *name) { is_named = strcmp(name, "tutti alsa") == 0 || strcmp(name, "tutti capture") == 0; }

void watch_begin(void) {
    if (!is_named || is_watched) return;
    clock_gettime(CLOCK_MONOTONIC_RAW, &begun);
    is_watched = true;
}

static void report(FILE *file) {
    fprintf(file, "ran %.3f\n", seconds);
    sound_report(file);
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        fprintf(file, "elsewhere %s %lu\n", names[kind], (unsigned long)elsewhere[kind]);
        fprintf(file, "libasound %s %lu\n", names[kind], (unsigned long)in_sound[kind]);
        if (offences[kind]) fprintf(file, "offence %s %lu\n", names[kind], (unsigned long)offences[kind]);
    }
    for (int index = 0; index < call_count; index++) {
        fprintf(file, "call %s\n", names[calls[index].kind]);
        // The first frames are the hook's own.
        for (int frame = 2; frame < calls[index].depth; frame++) symbols_print(file, calls[index].frames[frame]);
    }
}

void watch_end(void) {
    if (!is_watched) return;
    is_watched = false;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    seconds += (double)(now.tv_sec - begun.tv_sec) + (double)(now.tv_nsec - begun.tv_nsec) * 1e-9;
    const char *path = getenv("TUTTI_WATCH_REPORT");
    FILE *file = path ? fopen(path, "we") : NULL;
    if (!file) return;
    report(file);
    fclose(file);
}

__attribute__((constructor)) static void prepare_to_unwind(void) {
    // The first call loads the unwinder.
    void *frame;
    backtrace(&frame, 1);
}
