import CAvahi
import Synchronization

/// Tells the discovery thread what to advertise beside the peer, and to stop, from other threads, and wakes it.
final class DiscoveryMailbox: Sendable {
    private struct Contents {
        var isStopped = false
        var page: ServiceAdvertisement?
        /// Nil once the thread has ended.
        var poll: OpaquePointer?
    }

    private let contents = Mutex(Contents(poll: avahi_simple_poll_new()))

    deinit { closePoll() }

    var isStopped: Bool { contents.withLock { $0.isStopped } }

    func stop() {
        contents.withLock {
            $0.isStopped = true
            if let poll = $0.poll { avahi_simple_poll_wakeup(poll) }
        }
    }

    /// The page to advertise; nil for none.
    var page: ServiceAdvertisement? { contents.withLock { $0.page } }

    func advertise(page: ServiceAdvertisement?) {
        contents.withLock {
            $0.page = page
            if let poll = $0.poll { avahi_simple_poll_wakeup(poll) }
        }
    }

    /// The event loop, for the discovery thread only. Nil if there was no memory or descriptor for it.
    var poll: OpaquePointer? { contents.withLock { SharedPointer($0.poll) }.pointer }

    /// Frees the event loop: there is nothing left to wake.
    func closePoll() {
        contents.withLock {
            if let poll = $0.poll { avahi_simple_poll_free(poll) }
            $0.poll = nil
        }
    }

    /// Carries the pointer out of the lock.
    private struct SharedPointer: @unchecked Sendable {
        let pointer: OpaquePointer?

        init(_ pointer: OpaquePointer?) { self.pointer = pointer }
    }
}

// @unchecked SharedPointer: only the discovery thread uses the event loop, except for `avahi_simple_poll_wakeup`, which
// is made for other threads. It finds the loop alive because that call and `closePoll` both hold the lock.
