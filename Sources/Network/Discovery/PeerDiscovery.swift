import Synchronization

/// Advertises this process as `_tutti._tcp` and finds the others, through avahi-daemon. Advertises its page for
/// browsers too, as `_http._tcp` or `_https._tcp`, and looks for nobody else's.
///
/// Delivers every event on a thread of its own, one call at a time. Never fails: without a daemon it reports that by an
/// event, and continues when there is one. Nothing here is real-time safe.
public final class PeerDiscovery: Sendable {
    /// How long ``stop()`` waits for the daemon to respond.
    private static let stopLimitMilliseconds: Int32 = 1_000

    private let mailbox: DiscoveryMailbox
    /// Nil after it was stopped.
    private let thread: Mutex<DiscoveryThread?>

    /// - Parameter browses: whether to look for others. Browsing does not wait for our own registration.
    /// - Parameter advertisement: what to offer until the end; nil for nothing.
    /// - Parameter onEvent: called on the discovery thread; must return soon. Our own records are reported like all
    ///   others: the caller knows its own instance.
    public init(
        browses: Bool, advertisement: PeerAdvertisement? = nil,
        onEvent: @escaping @Sendable (PeerDiscoveryEvent) -> Void
    ) {
        let mailbox = DiscoveryMailbox()
        self.mailbox = mailbox
        let started = DiscoveryThread {
            guard let poll = mailbox.poll else {
                onEvent(.unavailable(.other("out of memory or file descriptors")))
                return
            }
            DiscoveryLoop(
                mailbox: mailbox, poll: poll, browses: browses, advertisement: advertisement, onEvent: onEvent
            ).run()
            mailbox.closePoll()
        }
        thread = Mutex(started)
        if started == nil { onEvent(.unavailable(.other("the system gives no more threads"))) }
    }

    deinit { stop() }

    /// Advertises the page from now on, in place of the one before; nil: there is none. From any thread; of no effect
    /// after ``stop()``.
    ///
    /// A page that changes is withdrawn for a second. Where its name is taken it gets another: "Tutti: Kitchen #2".
    public func advertise(page: PageAdvertisement?) {
        mailbox.advertise(page: page.map { ServiceAdvertisement($0) })
    }

    /// Withdraws the services and ends; no event comes after it has returned. From any thread, any number of times.
    ///
    /// Waits for a second at most, so that a daemon that does not answer delays nobody. Called from within an event it
    /// does not wait at all.
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
