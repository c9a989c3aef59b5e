import AudioCore
import CLinux
import Glibc

/// Wakes a sleeping thread from any other, with an `eventfd`.
///
/// Signals do not accumulate: several before one wait count as one.
public final class WakeSignal: Sendable {
    private let descriptor: Int32

    /// - Throws: if the process has no file descriptor left.
    public init() throws(DescriptorError) {
        descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard descriptor >= 0 else { throw DescriptorError(code: errno) }
    }

    /// Wakes the waiting thread, now or at its next wait. Never blocks.
    public func signal() {
        var one: UInt64 = 1
        write(descriptor, &one, 8)
    }

    /// Waits for a signal, at most for the given time. May return early: check your state again.
    public func wait(atMost span: TimeSpan) {
        let milliseconds = max(0, min(60_000, (span.nanoseconds + 999_999) / 1_000_000))
        var request = poll.request
        guard Glibc.poll(&request, 1, Int32(milliseconds)) > 0 else { return }
        poll.clear()
    }

    /// Waits for a signal or until another descriptor is readable or in error, at most for the given time (nil: for
    /// ever). May return early: check your state again.
    public func wait(atMost span: TimeSpan?, orReadable other: Int32) {
        var requests = [
            poll.request,
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        let milliseconds = span.map { max(0, min(60_000, ($0.nanoseconds + 999_999) / 1_000_000)) } ?? -1
        guard Glibc.poll(&requests, nfds_t(requests.count), Int32(milliseconds)) > 0, requests[0].revents != 0 else {
            return
        }
        poll.clear()
    }

    /// Waits by other means: passes `body` a descriptor that becomes readable with a signal. `body` returns when it is
    /// readable, or earlier.
    public func wait(_ body: (Int32) -> Void) {
        body(descriptor)
        poll.clear()
    }

    /// The signal as a thread may wait for it that must not count references. Valid as long as the signal lives.
    public var poll: WakePoll { WakePoll(descriptor: descriptor) }

    deinit { close(descriptor) }
}

/// What a real-time thread waits for with `poll`. Real-time safe.
public struct WakePoll: BitwiseCopyable, Sendable {
    fileprivate let descriptor: Int32

    /// For `poll`: readable with a signal.
    public var request: pollfd { pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0) }

    /// Forgets the signals so far.
    public func clear() {
        var count: UInt64 = 0
        read(descriptor, &count, 8)
    }
}
