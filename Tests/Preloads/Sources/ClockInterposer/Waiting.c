// Functions that wait for an absolute time.
#include "Clocks.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/timerfd.h>

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
    if (!(flags & TIMER_ABSTIME)) return NEXT(clock_nanosleep)(clock, flags, time, rest);
    const struct timespec deadline = kernel_deadline(clock, time);
    return NEXT(clock_nanosleep)(clock, flags, &deadline, rest);
}

// The descriptor does not tell its clock. Whichever of the two readings of now is nearer to the deadline is meant.
static clockid_t nearer_clock(const struct timespec *deadline) {
    const int64_t at = nanoseconds_of(deadline);
    const int64_t monotonic = at - host_from_kernel(CLOCK_MONOTONIC, kernel_now(CLOCK_MONOTONIC));
    const int64_t realtime = at - host_from_kernel(CLOCK_REALTIME, kernel_now(CLOCK_REALTIME));
    return (monotonic < 0 ? -monotonic : monotonic) <= (realtime < 0 ? -realtime : realtime) ? CLOCK_MONOTONIC
                                                                                             : CLOCK_REALTIME;
}

static struct itimerspec kernel_timer(const struct itimerspec *host, bool absolute) {
    struct itimerspec kernel = *host;
    const bool disarms = host->it_value.tv_sec == 0 && host->it_value.tv_nsec == 0;
    if (absolute && !disarms) kernel.it_value = kernel_deadline(nearer_clock(&host->it_value), &host->it_value);
    return kernel;
}

int timerfd_settime(int file, int flags, const struct itimerspec *value, struct itimerspec *old) {
    const struct itimerspec kernel = kernel_timer(value, flags & TFD_TIMER_ABSTIME);
    return NEXT(timerfd_settime)(file, flags, &kernel, old);
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value, struct itimerspec *restrict old) {
    const struct itimerspec kernel = kernel_timer(value, flags & TIMER_ABSTIME);
    return NEXT(timer_settime)(timer, flags, &kernel, old);
}

// glibc keeps a condition variable's clock in this bit (nptl, pthread_cond_init).
static clockid_t clock_of(const pthread_cond_t *condition) {
    return condition->__data.__wrefs & 2 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int pthread_cond_timedwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict time) {
    static _Atomic(__typeof__(&pthread_cond_timedwait)) real;
    // An older version of the same name has another layout.
    if (!real) real = (__typeof__(&pthread_cond_timedwait))next_function("pthread_cond_timedwait", "GLIBC_2.3.2");
    const struct timespec deadline = kernel_deadline(clock_of(condition), time);
    return real(condition, mutex, &deadline);
}

int pthread_cond_clockwait(
    pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
    const struct timespec *restrict time) {
    const struct timespec deadline = kernel_deadline(clock, time);
    return NEXT(pthread_cond_clockwait)(condition, mutex, clock, &deadline);
}

int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict time) {
    const struct timespec deadline = kernel_deadline(CLOCK_REALTIME, time);
    return NEXT(pthread_mutex_timedlock)(mutex, &deadline);
}

int pthread_mutex_clocklock(pthread_mutex_t *restrict mutex, clockid_t clock, const struct timespec *restrict time) {
    const struct timespec deadline = kernel_deadline(clock, time);
    return NEXT(pthread_mutex_clocklock)(mutex, clock, &deadline);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict time) {
    const struct timespec deadline = kernel_deadline(CLOCK_REALTIME, time);
    return NEXT(pthread_rwlock_timedrdlock)(lock, &deadline);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict lock, const struct timespec *restrict time) {
    const struct timespec deadline = kernel_deadline(CLOCK_REALTIME, time);
    return NEXT(pthread_rwlock_timedwrlock)(lock, &deadline);
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict time) {
    const struct timespec deadline = kernel_deadline(CLOCK_REALTIME, time);
    return NEXT(sem_timedwait)(semaphore, &deadline);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict time) {
    const struct timespec deadline = kernel_deadline(clock, time);
    return NEXT(sem_clockwait)(semaphore, clock, &deadline);
}
