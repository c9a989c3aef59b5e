#define _GNU_SOURCE
#include "ChildProcess.h"
#include "ResourceLimit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Since Linux 6.3. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

struct start {
    const char *path;
    char *const *arguments;
    char *const *environment;
    int input, output;
    const struct cchild_limits *limits;
    pid_t parent;
};

static int lower_all(const struct cchild_limits *limits) {
    int error = lower(RLIMIT_CORE, 0);
    if (error == 0) error = lower(RLIMIT_AS, limits->address_space_byte_count);
    if (error == 0) error = lower(RLIMIT_CPU, limits->processor_seconds);
    if (error == 0) error = lower(RLIMIT_NOFILE, limits->descriptor_count);
    if (error == 0) error = lower(RLIMIT_FSIZE, limits->file_byte_count);
    /* The parent may be nicer, or not be one that may be nice at all: that is no reason not to run. */
    if (error == 0 && limits->niceness > 0) {
        errno = 0;
        int own = getpriority(PRIO_PROCESS, 0);
        if (errno == 0) setpriority(PRIO_PROCESS, 0, own + limits->niceness);
    }
    return error;
}

/* The standard three become the child's; all others are closed. */
static int take_descriptors(const struct start *start) {
    /* Ours may be among the first three: so each is copied behind them first. */
    int input = fcntl(start->input, F_DUPFD_CLOEXEC, 3);
    int output = fcntl(start->output, F_DUPFD_CLOEXEC, 3);
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null >= 0 && null < 3) null = fcntl(null, F_DUPFD_CLOEXEC, 3);
    if (input < 0 || output < 0 || null < 0) return errno;
    if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0) return errno;
    closefrom(3);
    return 0;
}

static void reset_signals(void) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    /* Refused for the two that cannot be caught and those of the C library. */
    for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &action, NULL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Runs in the child, on the parent's memory: system calls only. Returns only if it fails. */
static int become(const struct start *start) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return errno;
    /* It may have ended before. */
    if (getppid() != start->parent) return ESRCH;
    if (setpgid(0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    int error = take_descriptors(start);
    if (error == 0) error = lower_all(start->limits);
    if (error != 0) return error;
    reset_signals();
    execve(start->path, start->arguments, start->environment);
    return errno;
}

int cchild_start(
    const char *path, char *const arguments[], char *const environment[], int input, int output,
    const struct cchild_limits *limits, pid_t *process) {
    const struct start start = {path, arguments, environment, input, output, limits, getpid()};
    volatile int error = 0;
    sigset_t all, before;
    sigfillset(&all);
    /* The child's actions are its own from the start, but a handler would run on our memory. */
    pthread_sigmask(SIG_BLOCK, &all, &before);
    /* This thread waits until the child executes or ends. */
    pid_t child = vfork();
    if (child == 0) {
        error = become(&start);
        _exit(127);
    }
    if (child < 0) error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (child > 0 && error != 0)
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
    if (error == 0) *process = child;
    return error;
}

int cchild_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno; }

int cchild_sealed_memory(const void *bytes, size_t count) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int fd = memfd_create("input", flags | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) fd = memfd_create("input", flags);
    if (fd < 0) return -1;
    size_t offset = 0;
    while (offset < count) {
        ssize_t written = pwrite(fd, (const char *)bytes + offset, count - offset, (off_t)offset);
        if (written > 0) {
            offset += (size_t)written;
        } else if (errno != EINTR) {
            break;
        }
    }
    if (offset == count && fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}
