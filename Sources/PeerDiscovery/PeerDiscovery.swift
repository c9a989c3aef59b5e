/// Advertises this process as `_tutti._tcp` and finds the others, through avahi-daemon.
///
/// Has one thread of its own, on which every event is delivered, one call at a time. Never fails: where there is no
/// daemon it says so by an event and goes on when there is one. Nothing here is real-time safe.
public final class PeerDiscovery: Sendable {
    private let onEvent: @Sendable (PeerDiscoveryEvent) -> Void

    /// - Parameter browses: whether to look for others. Browsing does not wait for our own registration.
    /// - Parameter advertisement: what to offer; nil for nothing yet.
    /// - Parameter onEvent: called on the discovery thread; it should return soon. Own records are reported like all
    ///   others: the caller knows its instance.
    public init(
        browses: Bool, advertisement: PeerAdvertisement? = nil,
        onEvent: @escaping @Sendable (PeerDiscoveryEvent) -> Void
    ) {
        self.onEvent = onEvent
    }

    /// Changes what is offered; nil withdraws it. What differs only in TXT keys is updated in place. From any thread.
    public func advertise(_ advertisement: PeerAdvertisement?) {}

    /// Says goodbye and ends; no event comes after it has returned. Waits for a second at most. From any thread.
    public func stop() {}
}
