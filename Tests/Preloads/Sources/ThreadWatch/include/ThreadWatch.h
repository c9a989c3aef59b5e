// What a real-time thread must not do, counted: for tests, preloaded into a process and linked by none.
//
//     LD_PRELOAD=libThreadWatch.so TUTTI_WATCH_REPORT=/tmp/report program...
//
// The watched thread is the one that named itself "tutti alsa", or "tutti capture". It is watched from its first snd_pcm_prepare, the first
// thing that its loop does, to its snd_pcm_drop, the first thing after the loop. In between these calls are offences,
// unless they are made inside libasound (between entry and return of a snd_... function of the list in Sound.c):
//
//     allocate   malloc, calloc, realloc, reallocarray, posix_memalign, aligned_alloc, memalign
//     free       free
//     lock       pthread_mutex_lock, _trylock, _timedlock, _clocklock, pthread_rwlock_rdlock, _wrlock,
//                pthread_cond_wait, _timedwait, _clockwait, sem_wait, pthread_once (so swift_once); futexes by
//                syscall(), which is how Swift's Mutex waits and wakes (one that nobody else holds is taken without any
//                call: not seen)
//     object     swift_allocObject, and all that is made by it: classes, boxes, closures' contexts, arrays, errors
//     retain     swift_retain, _n, swift_tryRetain, and what ends in them (bridge objects)
//     release    swift_release, _n, likewise
//
// Calls of the Swift runtime are seen by the hooks that it keeps for Instruments: the compiler's calls and its own go
// through them, be it linked dynamically or statically (then the program must not be stripped).
//
// The report is written when the loop has ended: one fact a line.
//
//     ran SECONDS              between prepare and drop
//     sound FUNCTION COUNT     calls of libasound by the loop
//     elsewhere KIND COUNT     on other threads: shows that the hooks work in this process
//     libasound KIND COUNT     on the watched thread, inside libasound
//     offence KIND COUNT       the sum for each kind; none where there were none
//     call KIND                the first offences one by one, each followed by its stack:
//         at FUNCTION + OFFSET (FILE)
#ifndef THREAD_WATCH_H
#define THREAD_WATCH_H

/// Lets the watched thread call `body` once, outside libasound, half a second or so after its loop began. Programs look
/// this function up by its name, as they are not linked to the library.
void thread_watch_plant(void (*body)(void));

#endif
