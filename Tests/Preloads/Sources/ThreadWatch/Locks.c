// Whatever may wait for another thread, and the name by which the watched thread is known.
#include "Watch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// The next function of the name, without the hook counting what the search does. Condition variables have an older
// version of another layout, so theirs is named.
static void *next(const char *name, const char *version) {
    watch_enter_sound();
    void *found = version ? dlvsym(RTLD_NEXT, name, version) : NULL;
    if (!found) found = dlsym(RTLD_NEXT, name);
    watch_leave_sound();
    if (!found) abort();
    return found;
}

#define LOCK_FUNCTION(name, version, parameters, arguments)                                                            \
    int name parameters {                                                                                              \
        static _Atomic(__typeof__(&name)) real;                                                                        \
        watch_note(LOCK);                                                                                              \
        if (!real) real = (__typeof__(&name))next(#name, version);                                                     \
        return real arguments;                                                                                         \
    }

LOCK_FUNCTION(pthread_mutex_lock, NULL, (pthread_mutex_t * mutex), (mutex))
LOCK_FUNCTION(pthread_mutex_trylock, NULL, (pthread_mutex_t * mutex), (mutex))
LOCK_FUNCTION(
    pthread_mutex_timedlock, NULL, (pthread_mutex_t * restrict mutex, const struct timespec *restrict time),
    (mutex, time))
LOCK_FUNCTION(
    pthread_mutex_clocklock, NULL,
    (pthread_mutex_t * restrict mutex, clockid_t clock, const struct timespec *restrict time), (mutex, clock, time))
LOCK_FUNCTION(pthread_rwlock_rdlock, NULL, (pthread_rwlock_t * lock), (lock))
LOCK_FUNCTION(pthread_rwlock_wrlock, NULL, (pthread_rwlock_t * lock), (lock))
LOCK_FUNCTION(
    pthread_cond_wait, "GLIBC_2.3.2", (pthread_cond_t * restrict condition, pthread_mutex_t *restrict mutex),
    (condition, mutex))
LOCK_FUNCTION(
    pthread_cond_timedwait, "GLIBC_2.3.2",
    (pthread_cond_t * restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict time),
    (condition, mutex, time))
LOCK_FUNCTION(
    pthread_cond_clockwait, NULL,
    (pthread_cond_t * restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
        const struct timespec *restrict time),
    (condition, mutex, clock, time))
LOCK_FUNCTION(sem_wait, NULL, (sem_t * semaphore), (semaphore))
LOCK_FUNCTION(pthread_once, NULL, (pthread_once_t * once, void (*body)(void)), (once, body))

long syscall(long number, ...) {
    static _Atomic(__typeof__(&syscall)) real;
    va_list list;
    long a[6];
    va_start(list, number);
    for (int index = 0; index < 6; index++) a[index] = va_arg(list, long);
    va_end(list);
    if (number == SYS_futex) watch_note(LOCK);
    if (!real) real = (__typeof__(&syscall))next("syscall", NULL);
    return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int pthread_setname_np(pthread_t thread, const char *name) {
    static _Atomic(__typeof__(&pthread_setname_np)) real;
    if (!real) real = (__typeof__(&pthread_setname_np))next("pthread_setname_np", NULL);
    if (pthread_equal(thread, pthread_self())) watch_named(name);
    return real(thread, name);
}
