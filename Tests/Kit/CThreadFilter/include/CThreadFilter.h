// A thread with a seccomp filter of its own, which allows everything.
#ifndef CTHREADFILTER_H
#define CTHREADFILTER_H

/// Installs the filter on the calling thread alone. Returns 0, or an errno.
int cthreadfilter_install(void);

#endif
