import CAvahi

// No object of libavahi-client may be freed in a callback of its own, and callbacks come from inside the very calls
// that make the objects. So callbacks do nothing but copy what they were told into an inbox; the loop reads it
// afterwards.

/// Something that libavahi-client reported by a callback; copied, free of its pointers.
enum AvahiOccurrence {
    case client(AvahiClientState)
    case group(AvahiEntryGroupState)
    case appeared(ServiceKey)
    case disappeared(ServiceKey)
    case allForNow
    case browserFailed
    /// The record may not be a peer's: then nil.
    case resolved(ServiceKey, ServiceSighting?)
    case resolveFailed(ServiceKey)
}

/// What callbacks have left; touched by the discovery thread only.
final class AvahiInbox {
    private var occurrences: [AvahiOccurrence] = []

    func append(_ occurrence: AvahiOccurrence) { occurrences.append(occurrence) }

    func takeAll() -> [AvahiOccurrence] {
        defer { occurrences.removeAll(keepingCapacity: true) }
        return occurrences
    }
}

/// What a resolver's callback needs to know.
final class ResolverContext {
    let inbox: AvahiInbox
    let key: ServiceKey

    init(inbox: AvahiInbox, key: ServiceKey) {
        self.inbox = inbox
        self.key = key
    }
}
