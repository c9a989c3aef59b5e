// DiskWatch: tells in which order a process puts files in place and on the disk. It is preloaded, never linked.
//
//     DISK_WATCH_LOG=FILE    a line for each call that succeeded: `fsync PATH` or `rename OLD NEW`
