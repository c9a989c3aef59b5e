// Which processors threads run on. Swift's view of the C library lacks sched_setaffinity(2).
#ifndef CPROCESSORS_H
#define CPROCESSORS_H

/// Whether the calling thread may run on this processor, from 0 on. False where there is none of that number.
int cprocessors_may_use(int processor);

/// Keeps the calling thread on this processor. Returns 0, or an errno.
int cprocessors_pin(int processor);

/// One more than the highest number that a processor can have here.
int cprocessors_end(void);

#endif
