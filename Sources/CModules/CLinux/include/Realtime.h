// Scheduling and memory rights of a real-time thread, in the few calls that Swift cannot make portably.
#ifndef CREALTIME_H
#define CREALTIME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

/// Puts the calling thread under SCHED_FIFO with `priority`, or with the highest that RLIMIT_RTPRIO grants if that is
/// lower. Raises the soft limit to the hard one first. Children of a fork fall back to normal scheduling. Unblocks
/// SIGXCPU for this thread (`crealtime_limit_run_time`), also where priority is refused: somebody else may grant it.
/// Returns 0, or an errno: EPERM if no real-time priority is granted at all.
int crealtime_schedule_fifo(int priority);

/// Returns the kernel's ID of the calling thread, as other processes know it.
int crealtime_thread_id(void);

/// Limits how long a real-time thread of this process may run without waiting (RLIMIT_RTTIME). After half of that the
/// kernel sends SIGXCPU, and the thread loses its priority, unless the program handles the signal itself; after all of
/// it the kernel ends the process. Only ever lowers the limits. Returns 0, or an errno.
int crealtime_limit_run_time(uint64_t microseconds);

/// Keeps the pages of a memory block from being swapped out, and touches them now. Returns 0, or an errno: ENOMEM or
/// EPERM where RLIMIT_MEMLOCK does not allow it. The pages are touched anyway.
int crealtime_lock_memory(void *start, size_t byte_count);

void crealtime_unlock_memory(void *start, size_t byte_count);

/// Keeps every page of this process that was or will be touched from being swapped out or dropped. Returns 0, or EPERM
/// where RLIMIT_MEMLOCK is finite: with a limit, later allocations could fail.
int crealtime_lock_all_memory(void);

void crealtime_unlock_all_memory(void);

/// Touches `byte_count` bytes of the calling thread's stack, so that none of its pages faults later.
void crealtime_touch_stack(size_t byte_count);

/// Lets all threads allocate from one heap instead of one each (`M_ARENA_MAX`, mallopt(3)). Call it before any thread
/// is started.
void crealtime_share_heap(void);

/// Names the calling thread, as `top -H` shows it; the name is cut after 15 bytes.
void crealtime_name_thread(const char *name);

#endif
