/* A limit of the calling process that can be lowered, and not raised again (getrlimit(2)). */
#ifndef CLINUX_RESOURCE_LIMIT_H
#define CLINUX_RESOURCE_LIMIT_H

#include <errno.h>
#include <sys/resource.h>

/* Lowers a limit to a value; one that is lower stays. Returns 0, or an errno. System calls only. */
static inline int lower(__rlimit_resource_t resource, rlim_t value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return errno;
    if (limit.rlim_max < value) value = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = value;
    return setrlimit(resource, &limit) == 0 ? 0 : errno;
}

#endif
