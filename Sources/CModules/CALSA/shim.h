#include <alsa/asoundlib.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

/// `poll` with nanoseconds. glibc declares it only with _GNU_SOURCE, which Swift's importer does not set.
int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *longest, const sigset_t *mask);

// Variadic handlers cannot be written in Swift.
static void calsa_discard_error(const char *file, int line, const char *function, int code, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)code, (void)format;
}

/// Keeps libasound from printing to standard error; every call also returns its error as a code.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_discard_error); }

/// Frees the configuration tree, which open devices do not need; opening the next device reads it again.
static inline void calsa_forget_configuration(void) {
    snd_config_update_free_global();
    malloc_trim(0);
}
