#define _GNU_SOURCE
#include "CProcessors.h"

#include <errno.h>
#include <sched.h>

int cprocessors_may_use(int processor) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 && CPU_ISSET(processor, &set);
}

int cprocessors_pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return sched_setaffinity(0, sizeof set, &set) == 0 ? 0 : errno;
}

int cprocessors_end(void) {
    return CPU_SETSIZE;
}
