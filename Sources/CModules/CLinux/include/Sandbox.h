/* Processes without rights: what Swift cannot reach because it is made of macros (seccomp's filters, prctl), or not in
   its view of the C library. */
#ifndef CSANDBOX_H
#define CSANDBOX_H

#include <stdint.h>
#include <sys/types.h>

/* From here on this process may read and write the descriptor `fd`, ask for anonymous memory that holds no code, tell the
   time, wait on its own locks, set its own alarm and end. Any other system call ends it at once (SIGSYS). Its address
   space may grow by `memory_byte_count` more, it opens no descriptor, leaves no core and cannot be traced by others.
   All of this holds for every thread of the process, those that libraries started when they were loaded too. Returns 0,
   or an errno: ENOSYS on a processor whose calls are not listed here, EBUSY where a thread has a filter of its own. To be
   called once. */
int csandbox_enter(int fd, uint64_t memory_byte_count);

/* Has the kernel end this process by SIGALRM after so many seconds; 0: not any more. */
void csandbox_set_alarm(int seconds);

/* Starts a program with nothing of ours but one descriptor, which is its `target`: the standard three are /dev/null, all
   others are closed, no signal is blocked or ignored, and it has a process group of its own, so that Ctrl-C is for us
   alone. `descriptor` and `target` differ. Returns 0, or an errno. */
int csandbox_start(
    const char *path, char *const arguments[], char *const environment[], int descriptor, int target, pid_t *process);

#endif
