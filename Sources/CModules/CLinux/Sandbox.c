#define _GNU_SOURCE
#include "Sandbox.h"
#include "ResourceLimit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Returns the bytes of address space in use, from /proc/self/statm. */
static uint64_t address_space(void) {
    char text[64] = {0};
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    ssize_t count = read(fd, text, sizeof text - 1);
    close(fd);
    return count > 0 ? strtoull(text, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

#ifdef ARCHITECTURE
/* LOAD_LOW reads the low half of a 64-bit argument, which holds every bit that is checked. Both processors are
   little-endian. */
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define LOAD_LOW(index) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[index]))
#define IF_EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(value), yes, no)
#define IF_ANY_BIT(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (uint32_t)(bits), yes, no)
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define KILL BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW_CALL(name) IF_EQUAL(__NR_##name, 0, 1), ALLOW
/* A descriptor is an int: the low half holds all of it. */
#define ALLOW_ON_DESCRIPTOR(name, fd) IF_EQUAL(__NR_##name, 0, 4), LOAD_LOW(0), IF_EQUAL(fd, 0, 1), ALLOW, KILL

static int install_filter(int fd) {
    struct sock_filter filter[] = {
        LOAD(arch),
        IF_EQUAL(ARCHITECTURE, 1, 0),
        KILL,
        LOAD(nr),
        ALLOW_ON_DESCRIPTOR(read, fd),
        ALLOW_ON_DESCRIPTOR(write, fd),
        /* Memory: anonymous, and never executable. */
        IF_EQUAL(__NR_mmap, 0, 6),
        LOAD_LOW(2),
        IF_ANY_BIT(PROT_EXEC, 3, 0),
        LOAD_LOW(3),
        IF_ANY_BIT(MAP_ANONYMOUS, 0, 1),
        ALLOW,
        KILL,
        IF_EQUAL(__NR_mprotect, 0, 4),
        LOAD_LOW(2),
        IF_ANY_BIT(PROT_EXEC, 1, 0),
        ALLOW,
        KILL,
        ALLOW_CALL(munmap),
        ALLOW_CALL(mremap),
        ALLOW_CALL(brk),
        ALLOW_CALL(madvise),
        ALLOW_CALL(futex),
        /* Swift's locks identify their owner by it. */
        ALLOW_CALL(gettid),
        ALLOW_CALL(setitimer),
        ALLOW_CALL(clock_gettime),
        ALLOW_CALL(gettimeofday),
        ALLOW_CALL(getrandom),
        ALLOW_CALL(sched_yield),
        ALLOW_CALL(sched_getaffinity),
        ALLOW_CALL(rt_sigprocmask),
        ALLOW_CALL(rt_sigreturn),
        ALLOW_CALL(restart_syscall),
        ALLOW_CALL(exit),
        ALLOW_CALL(exit_group),
        KILL,
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    if (result < 0) return errno;
    /* The number of a thread that cannot take the filter: then no thread has it. */
    return result == 0 ? 0 : EBUSY;
}
#endif

int csandbox_enter(int fd, uint64_t memory_byte_count) {
#ifdef ARCHITECTURE
    uint64_t size = address_space();
    if (size == 0) return ENOENT;
    int error = lower(RLIMIT_AS, size + memory_byte_count);
    if (error == 0) error = lower(RLIMIT_CORE, 0);
    if (error == 0) error = lower(RLIMIT_FSIZE, 0);
    if (error == 0) error = lower(RLIMIT_NOFILE, 0);
    if (error != 0) return error;
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    return install_filter(fd);
#else
    (void)fd, (void)memory_byte_count;
    return ENOSYS;
#endif
}

void csandbox_set_alarm(int seconds) {
    struct itimerval timer = {.it_value = {.tv_sec = seconds}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

int csandbox_start(
    const char *path, char *const arguments[], char *const environment[], int descriptor, int target, pid_t *process) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) return error;
    error = posix_spawnattr_init(&attributes);
    if (error != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    for (int standard = 0; standard <= 2 && error == 0; standard++)
        error = posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0);
    if (error == 0) error = posix_spawn_file_actions_adddup2(&actions, descriptor, target);
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(&actions, target + 1);
    if (error == 0) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (error == 0) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(
            &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    if (error == 0) error = posix_spawn(process, path, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}
