// The functions of libasound that the loop calls: where they begin, what the thread does is theirs.
#include "Watch.h"

#include "include/ThreadWatch.h"

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <stdlib.h>

enum { TURNS_BEFORE_PLANT = 100 };

static void (*_Atomic planted)(void);
static int turns;

void thread_watch_plant(void (*body)(void)) { planted = body; }

static void plant(void) {
    if (!planted || !watch_is_on() || ++turns != TURNS_BEFORE_PLANT) return;
    planted();
}

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static _Atomic unsigned long prepare_count, start_count, wait_count, write_count, read_count, rewind_count;

#define SOUND_FUNCTION(type, name, parameters, arguments, before, after)                                               \
    type name parameters {                                                                                             \
        static _Atomic(__typeof__(&name)) real;                                                                        \
        before;                                                                                                        \
        watch_enter_sound();                                                                                           \
        if (!real) real = (__typeof__(&name))next(#name);                                                              \
        type result = real arguments;                                                                                  \
        watch_leave_sound();                                                                                           \
        after;                                                                                                         \
        return result;                                                                                                 \
    }

#define COUNT(what) (void)(watch_is_on() && what++)

SOUND_FUNCTION(int, snd_pcm_prepare, (snd_pcm_t * pcm), (pcm), (watch_begin(), COUNT(prepare_count)), )
SOUND_FUNCTION(int, snd_pcm_drop, (snd_pcm_t * pcm), (pcm), watch_end(), )
SOUND_FUNCTION(int, snd_pcm_start, (snd_pcm_t * pcm), (pcm), COUNT(start_count), )
SOUND_FUNCTION(int, snd_pcm_resume, (snd_pcm_t * pcm), (pcm), , )
SOUND_FUNCTION(int, snd_pcm_wait, (snd_pcm_t * pcm, int timeout), (pcm, timeout), COUNT(wait_count), plant())
SOUND_FUNCTION(
    int, snd_pcm_poll_descriptors, (snd_pcm_t * pcm, struct pollfd *requests, unsigned int space),
    (pcm, requests, space), , )
SOUND_FUNCTION(
    snd_pcm_sframes_t, snd_pcm_writei, (snd_pcm_t * pcm, const void *buffer, snd_pcm_uframes_t size),
    (pcm, buffer, size), COUNT(write_count), )
SOUND_FUNCTION(
    snd_pcm_sframes_t, snd_pcm_readi, (snd_pcm_t * pcm, void *buffer, snd_pcm_uframes_t size), (pcm, buffer, size),
    COUNT(read_count), )
SOUND_FUNCTION(snd_pcm_sframes_t, snd_pcm_rewindable, (snd_pcm_t * pcm), (pcm), , )
SOUND_FUNCTION(
    snd_pcm_sframes_t, snd_pcm_rewind, (snd_pcm_t * pcm, snd_pcm_uframes_t frames), (pcm, frames), COUNT(rewind_count), )
SOUND_FUNCTION(snd_pcm_sframes_t, snd_pcm_forward, (snd_pcm_t * pcm, snd_pcm_uframes_t frames), (pcm, frames), , )
SOUND_FUNCTION(int, snd_pcm_delay, (snd_pcm_t * pcm, snd_pcm_sframes_t *frames), (pcm, frames), , )
SOUND_FUNCTION(int, snd_pcm_status, (snd_pcm_t * pcm, snd_pcm_status_t *status), (pcm, status), , )
SOUND_FUNCTION(int, snd_pcm_sw_params, (snd_pcm_t * pcm, snd_pcm_sw_params_t *params), (pcm, params), , )

void sound_report(FILE *file) {
    fprintf(file, "sound prepare %lu\nsound start %lu\nsound wait %lu\nsound write %lu\nsound read %lu\nsound rewind %lu\n",
        prepare_count, start_count, wait_count, write_count, read_count, rewind_count);
}
