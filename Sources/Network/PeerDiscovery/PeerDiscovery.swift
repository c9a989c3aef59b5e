import Synchronization

/// Advertises this process as `_tutti._tcp` and finds the others, through avahi-daemon.
///
/// Has one thread of its own, on which every event is delivered, one call at a time. Never fails: where there is no
/// daemon it says so by an event and goes on when there is one. Nothing here is real-time safe.
public final class PeerDiscovery: Sendable {
    /// How long ``stop()`` waits for the daemon to take note.
    private static let stopLimitMilliseconds: Int32 = 1_000

    private let mailbox: DiscoveryMailbox
    /// Nil once it was stopped.
    private let thread: Mutex<DiscoveryThread?>

    /// - Parameter browses: whether to look for others. Browsing does not wait for our own registration.
    /// - Parameter advertisement: what to offer; nil for nothing yet.
    /// - Parameter onEvent: called on the discovery thread; it should return soon. Own records are reported like all
    ///   others: the caller knows its instance.
    public init(
        browses: Bool, advertisement: PeerAdvertisement? = nil,
        onEvent: @escaping @Sendable (PeerDiscoveryEvent) -> Void
    ) {
        let mailbox = DiscoveryMailbox(wanted: advertisement)
        self.mailbox = mailbox
        let started = DiscoveryThread {
            guard let poll = mailbox.poll else {
                onEvent(.unavailable(.other("out of memory or file descriptors")))
                return
            }
            DiscoveryLoop(mailbox: mailbox, poll: poll, browses: browses, onEvent: onEvent).run()
            mailbox.closePoll()
        }
        thread = Mutex(started)
        if started == nil { onEvent(.unavailable(.other("the system gives no more threads"))) }
    }

    deinit { stop() }

    /// Changes what is offered; nil withdraws it. What differs only in TXT keys is updated in place. From any thread.
    public func advertise(_ advertisement: PeerAdvertisement?) { mailbox.want(advertisement) }

    /// Says goodbye and ends; no event comes after it has returned. From any thread, any number of times.
    ///
    /// Waits for a second at most: a daemon that does not answer holds nobody up. Called from within an event it does
    /// not wait at all.
    public func stop() {
        mailbox.stop()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        guard let running else { return }
        if running.isCurrent {
            running.detach()
        } else {
            running.join(limitMilliseconds: Self.stopLimitMilliseconds)
        }
    }
}
