/* Child processes with limits. posix_spawn sets none, and what forks in Swift may not allocate before it executes. */
#ifndef CCHILD_H
#define CCHILD_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the child may use at most (getrlimit(2)): bytes of address space, seconds of processor time, open descriptors,
   and bytes in a file that it writes. A limit of ours that is lower stays. It leaves no core dump. */
struct cchild_limits {
    uint64_t address_space_byte_count;
    uint64_t processor_seconds;
    uint64_t descriptor_count;
    uint64_t file_byte_count;
    /* Added to the parent's (setpriority(2)); 0 to 19. */
    int niceness;
};

/* Starts a program with two descriptors of ours as its standard input and output; its standard error is /dev/null, all
   other descriptors are closed. No signal is blocked or ignored in it. It has its own process group, whose number is
   its process's, gains no rights from the files that it executes, and is killed when the calling thread ends. Memory
   is not copied: pages that a real-time thread writes stay as they are. `path` is taken as it is. Returns 0, or an
   errno of what failed, and nothing runs then. Any thread may call it. */
int cchild_start(
    const char *path, char *const arguments[], char *const environment[], int input, int output,
    const struct cchild_limits *limits, pid_t *process);

/* Makes a pipe of which both ends, reading and writing, are closed on execution. Returns 0, or an errno. */
int cchild_pipe(int ends[2]);

/* Returns a descriptor, closed on execution, of memory that holds a copy of these bytes and can be changed no more; it
   is read from the start. -1 and errno if there is no memory or no descriptor. */
int cchild_sealed_memory(const void *bytes, size_t count);

#endif
