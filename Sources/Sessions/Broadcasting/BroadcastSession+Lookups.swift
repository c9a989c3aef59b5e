import AudioCore
import Peering
import Programmes
import WireProtocol

/// What is looked up: about items of the queue by everybody who takes part, in this machine's library by its household.
extension BroadcastSession {
    mutating func lookUp(_ lookup: Lookup, for id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], !link.isStranger else { return }
        // One that asks and does not read fills this machine's memory. A listener's programs ask over its connection,
        // and are no reason to do without the listener.
        guard link.takesAnswers else {
            guard link.isMember, !link.takesNothing else { return drop(id, .stalled, now) }
            return findNothing(lookup, link, LookupRefusal.tooMany, now)
        }
        switch lookup.subject {
        case .lyrics(let item), .artwork(let item), .levels(let item):
            guard let location = programme.location(of: item) else { return findNothing(lookup, link, "", now) }
            begin(lookup, location, link, now)
        case .songs, .findings:
            guard link.connection.standing.mayReadLibrary else {
                let isOfMachine = lookup.subject == .findings
                return findNothing(
                    lookup, link, isOfMachine ? LookupRefusal.foreignMachine : LookupRefusal.foreignLibrary, now)
            }
            begin(lookup, nil, link, now)
        case .unknown: findNothing(lookup, link, LookupRefusal.unknownSubject, now)
        }
    }

    private mutating func begin(_ lookup: Lookup, _ item: ItemLocation?, _ link: ListenerLink, _ now: HostTime) {
        guard link.beginLookup() else { return findNothing(lookup, link, LookupRefusal.tooMany, now) }
        actions.append(.lookUp(link.id, lookup, item))
    }

    private mutating func findNothing(
        _ lookup: Lookup, _ link: ListenerLink, _ reason: String, _ now: HostTime
    ) {
        send(WireEncoder.finding(Finding(id: lookup.id, .nothing(reason: reason))), to: link, now)
    }

    /// Passes on what the shell found.
    mutating func tell(_ finding: Finding, to id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id] else { return }
        link.endLookup()
        send(WireEncoder.finding(finding), to: link, now)
    }
}
