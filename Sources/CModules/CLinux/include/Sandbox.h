/* Processes without rights. Swift cannot reach these calls: they are macros (seccomp's filters, prctl), or missing from
   its view of the C library. */
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdint.h>
#include <sys/types.h>

/* Drops this process's rights. From here on it may read and write the descriptor `fd`, map anonymous memory without
   code, read the time, wait on its own locks, set its own alarm and exit. Any other system call ends it at once
   (SIGSYS). Its address space may grow by another `memory_byte_count`; it cannot open descriptors, leaves no core dump
   and cannot be traced by others. This holds for every thread of the process, including those that libraries started
   when they were loaded. Returns 0, or an errno: ENOSYS on a processor whose system calls are not listed here, EBUSY if
   a thread has a filter of its own. Call it only once. */
int csandbox_enter(int fd, uint64_t memory_byte_count);

/* Makes the kernel end this process with SIGALRM after this many seconds; 0 cancels it. */
void csandbox_set_alarm(int seconds);

/* Starts a program that inherits only one descriptor, as its `target`: the standard three are /dev/null, all others are
   closed, no signal is blocked or ignored, and it has its own process group, so that Ctrl-C reaches only us.
   `descriptor` and `target` must differ. Returns 0, or an errno. */
int csandbox_start(
    const char *path, char *const arguments[], char *const environment[], int descriptor, int target, pid_t *process);

#endif
