import CAvahi
import Synchronization

/// Passes requests from other threads to the discovery thread, and wakes it.
final class DiscoveryMailbox: Sendable {
    private struct Contents {
        var wanted: PeerAdvertisement?
        var isStopped = false
        /// Nil once the thread has ended.
        var poll: OpaquePointer?
    }

    private let contents: Mutex<Contents>

    init(wanted: PeerAdvertisement?) {
        contents = Mutex(Contents(wanted: wanted, poll: avahi_simple_poll_new()))
    }

    deinit { closePoll() }

    var isStopped: Bool { contents.withLock { $0.isStopped } }
    var wanted: PeerAdvertisement? { contents.withLock { $0.wanted } }

    func want(_ advertisement: PeerAdvertisement?) { change { $0.wanted = advertisement } }
    func stop() { change { $0.isStopped = true } }

    /// The event loop, for the discovery thread only. Nil if there was no memory or descriptor for it.
    var poll: OpaquePointer? { contents.withLock { SharedPointer($0.poll) }.pointer }

    /// Frees the event loop: there is nothing left to wake.
    func closePoll() {
        contents.withLock {
            if let poll = $0.poll { avahi_simple_poll_free(poll) }
            $0.poll = nil
        }
    }

    private func change(_ body: (inout Contents) -> Void) {
        contents.withLock {
            body(&$0)
            if let poll = $0.poll { avahi_simple_poll_wakeup(poll) }
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
