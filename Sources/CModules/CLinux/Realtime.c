#define _GNU_SOURCE
#include "Realtime.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int try_priority(int priority) {
    struct sched_param parameters = {.sched_priority = priority};
    return pthread_setschedparam(pthread_self(), SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters);
}

// The thread may have been started by one that blocks signals, as Dispatch's threads do. The signal would then wait for
// another thread, which the runaway may keep from its processor.
static void take_run_time_signal(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGXCPU);
    pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

int crealtime_schedule_fifo(int priority) {
    take_run_time_signal();
    // The limit does not apply to root and CAP_SYS_NICE.
    int error = try_priority(priority);
    if (error == 0) return 0;

    struct rlimit limit;
    if (getrlimit(RLIMIT_RTPRIO, &limit) != 0 || limit.rlim_max < 1) return error;
    if (limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        if (setrlimit(RLIMIT_RTPRIO, &limit) != 0) return errno;
    }
    if (limit.rlim_cur < (rlim_t)priority) priority = (int)limit.rlim_cur;
    return try_priority(priority);
}

int crealtime_thread_id(void) { return (int)gettid(); }

// The limits to restore: the kernel raises the soft one by a second with every signal.
static struct rlimit run_time;

// Takes a thread's real-time priority away, if it has one.
static bool take_priority(pid_t thread) {
    const int policy = sched_getscheduler(thread) & ~SCHED_RESET_ON_FORK;
    if (policy != SCHED_FIFO && policy != SCHED_RR) return false;
    const struct sched_param normal = {0};
    // An unprivileged thread must not clear SCHED_RESET_ON_FORK.
    return sched_setscheduler(thread, SCHED_OTHER | SCHED_RESET_ON_FORK, &normal) == 0;
}

// Does the same for all threads of the process. Makes system calls only, as a signal handler must.
static bool take_priorities(void) {
    struct entry {
        uint64_t inode;
        int64_t offset;
        unsigned short length;
        unsigned char type;
        char name[];
    };
    const int directory = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return take_priority(0);
    bool has_taken = false;
    _Alignas(struct entry) char entries[2048];
    for (long count; (count = syscall(SYS_getdents64, directory, entries, sizeof entries)) > 0;) {
        for (long offset = 0; offset < count; offset += ((struct entry *)(entries + offset))->length) {
            pid_t thread = 0;
            for (const char *digit = ((struct entry *)(entries + offset))->name; *digit >= '0' && *digit <= '9'; digit++)
                thread = thread * 10 + *digit - '0';
            if (thread > 0 && take_priority(thread)) has_taken = true;
        }
    }
    close(directory);
    return has_taken;
}

// The kernel prefers the runaway thread, but any thread may receive the signal. So the one that does takes the priority
// from all; a thread without priority can be preempted like any other.
static void give_up_priority(int number) {
    const int saved = errno;
    if (take_priorities()) {
        setrlimit(RLIMIT_RTTIME, &run_time);
    } else {
        // The signal came from the limit on total processor time, which is meant to end the process.
        signal(number, SIG_DFL);
        raise(number);
    }
    errno = saved;
}

static int watch_run_time(void) {
    struct sigaction action;
    if (sigaction(SIGXCPU, NULL, &action) != 0) return errno;
    if (action.sa_flags & SA_SIGINFO || action.sa_handler != SIG_DFL) return 0;
    action = (struct sigaction){.sa_handler = give_up_priority, .sa_flags = SA_RESTART};
    return sigaction(SIGXCPU, &action, NULL) == 0 ? 0 : errno;
}

int crealtime_limit_run_time(uint64_t microseconds) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_RTTIME, &limit) != 0) return errno;
    if (limit.rlim_max > microseconds) limit.rlim_max = microseconds;
    if (limit.rlim_cur > limit.rlim_max / 2) limit.rlim_cur = limit.rlim_max / 2;
    run_time = limit;
    const int error = watch_run_time();
    if (error != 0) return error;
    return setrlimit(RLIMIT_RTTIME, &limit) == 0 ? 0 : errno;
}

int crealtime_lock_memory(void *start, size_t byte_count) {
    int error = mlock(start, byte_count) == 0 ? 0 : errno;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile uint8_t *bytes = start;
    for (size_t offset = 0; offset < byte_count; offset += page) bytes[offset] = bytes[offset];
    return error;
}

void crealtime_unlock_memory(void *start, size_t byte_count) { munlock(start, byte_count); }

// The limit does not apply to this capability.
static bool may_lock_anything(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
    if (syscall(SYS_capget, &header, data) != 0) return false;
    return data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK);
}

int crealtime_lock_all_memory(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return errno;
    if (limit.rlim_cur != RLIM_INFINITY && !may_lock_anything()) {
        if (limit.rlim_max != RLIM_INFINITY) return EPERM;
        limit.rlim_cur = RLIM_INFINITY;
        if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return errno;
    }
    // MCL_ONFAULT: stacks and reserves that nobody touched stay unallocated.
    return mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0 ? 0 : errno;
}

void crealtime_unlock_all_memory(void) { munlockall(); }

void crealtime_touch_stack(size_t byte_count) {
    volatile uint8_t *bytes = alloca(byte_count);
    for (size_t offset = 0; offset < byte_count; offset += 1024) bytes[offset] = 0;
}

void crealtime_share_heap(void) { mallopt(M_ARENA_MAX, 1); }

void crealtime_name_thread(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    pthread_setname_np(pthread_self(), cut);
}
