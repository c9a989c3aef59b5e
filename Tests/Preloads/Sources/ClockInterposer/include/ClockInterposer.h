// Another host's clocks for one process: a library to preload (LD_PRELOAD), for tests of several hosts on one machine.
//
// Nothing is declared here for callers; the environment says what the clocks are:
//
//     TUTTI_CLOCK_START             true time, in nanoseconds, at which drift is zero; one value for a whole host
//     TUTTI_CLOCK_MONOTONIC_PPM     how much faster CLOCK_MONOTONIC, _RAW, _COARSE and BOOTTIME run than true time
//     TUTTI_CLOCK_MONOTONIC_OFFSET  nanoseconds that are added to them
//     TUTTI_CLOCK_REALTIME_PPM      the same for CLOCK_REALTIME, _COARSE and TAI
//     TUTTI_CLOCK_REALTIME_OFFSET
//
// True time is CLOCK_MONOTONIC_RAW of the initial time namespace, so that all processes of a host agree for as long as
// they live, whatever namespace they are in. A big offset of the monotonic clocks is better made by a time namespace,
// where the kernel itself keeps it; realtime has no namespace and is always shifted here.
//
// What is converted: clock_gettime, gettimeofday, time, timespec_get; absolute deadlines of clock_nanosleep,
// timerfd_settime, timer_settime, pthread_cond_timedwait and _clockwait, pthread_mutex_timedlock and _clocklock, the
// rwlock's, sem_timedwait and _clockwait; the kernel's receive and transmit stamps (SCM_TIMESTAMP, SCM_TIMESTAMPNS,
// SCM_TIMESTAMPING's software stamp) that recvmsg and recvmmsg hand out. Relative times are left alone: they err by
// the drift, which is less than the scheduler's. Raw system calls are not seen.
