import CAvahi

// No object of libavahi-client may be freed in its own callback, and callbacks come from inside the very calls that
// create the objects. So callbacks only copy what they are told into an inbox, which the loop reads afterwards.

/// Something that libavahi-client reported in a callback, copied and without its pointers.
enum AvahiEvent {
    case client(AvahiClientState)
    case group(ServiceType, AvahiEntryGroupState)
    case appeared(ServiceKey)
    case disappeared(ServiceKey)
    case allForNow
    case browserFailed
    /// The sighting is nil if the record is not a peer's.
    case resolved(ServiceKey, ServiceSighting?)
    case resolveFailed(ServiceKey)
}

/// What callbacks reported; used by the discovery thread only.
final class AvahiInbox {
    private var events: [AvahiEvent] = []

    func append(_ event: AvahiEvent) { events.append(event) }

    func takeAll() -> [AvahiEvent] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }
}

/// The context of an entry group's callback.
final class GroupContext {
    let inbox: AvahiInbox
    let type: ServiceType

    init(inbox: AvahiInbox, type: ServiceType) {
        self.inbox = inbox
        self.type = type
    }
}

/// The context of a resolver's callback.
final class ResolverContext {
    let inbox: AvahiInbox
    let key: ServiceKey

    init(inbox: AvahiInbox, key: ServiceKey) {
        self.inbox = inbox
        self.key = key
    }
}
