// The frames that leave through an interface, each with the moment at which the kernel gave it to the device.
//
// A TAP hands out frames without a stamp: what reads them would measure its own wake-up as part of the delay, which is
// 100 us and more on a busy machine and blurs the shape of the distribution that it is to give. So frames are read from
// a packet socket on the interface, and those in the TAP are only thrown away. Wait for the TAP, though: a frame is in
// the packet socket before the device has it, and whoever is woken by that socket delays the frame by his wake-up.
#pragma once

#include <stdint.h>
#include <sys/types.h>

/// Opens a packet socket in the current network namespace; -1 and `errno` on failure.
int open_departures(const char *interface);
/// Takes a frame as `read` does; `moment` is when it left, of the monotonic clock in nanoseconds.
ssize_t read_departure(int departures, void *bytes, size_t size, int64_t *moment);
