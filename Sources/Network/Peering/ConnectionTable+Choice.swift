import Households
import WireProtocol

// Which of several broadcasts is taken, by an idle listener and by whoever looks on:
//
// 1. in a household, one of its machines, this one included;
// 2. one whose name belongs to its key since it was heard before;
// 3. any other.
//
// Of several in one class, the one with the lowest UUID, which follows from the key; of several broadcasts of one
// machine, the one that began first. None of that is a matter of what strangers say of themselves, and machines that
// see the same broadcasts, and know the same of them, take the same one.

/// How far a broadcaster is known; the lowest is taken.
public enum Acquaintance: Int, Comparable, Sendable {
    case household, heardBefore, stranger

    public static func < (a: Acquaintance, b: Acquaintance) -> Bool { a.rawValue < b.rawValue }
}

/// Choosing a broadcaster.
extension ConnectionTable {
    /// Returns how far a broadcaster is known, by what its connection has proved.
    /// - Parameter isInHousehold: whether this machine has a household. Without one its own broadcast ranks like any
    ///   other's, as it does for other machines.
    public func acquaintance(_ id: ConnectionID, isInHousehold: Bool) -> Acquaintance {
        guard let link = self[id] else { return .stranger }
        switch link.connection.standing {
        case .member: return .household
        case .thisMachine where isInHousehold: return .household
        case .thisMachine, .removed, .removedLately, .stranger, .guest:
            return ownsItsName(id) ? .heardBefore : .stranger
        }
    }

    /// Returns which of these broadcasts is taken; nil if none of them has greeted.
    public func preferred(of ids: [ConnectionID], isInHousehold: Bool) -> ConnectionID? {
        ids.filter { self[$0]?.connection.greeting != nil }
            .min { goesBefore($0, $1, isInHousehold: isInHousehold) }
    }

    private func goesBefore(_ a: ConnectionID, _ b: ConnectionID, isInHousehold: Bool) -> Bool {
        guard let one = self[a]?.connection.greeting, let other = self[b]?.connection.greeting else {
            return self[a] != nil
        }
        let known = acquaintance(a, isInHousehold: isInHousehold)
        let otherKnown = acquaintance(b, isInHousehold: isInHousehold)
        if known != otherKnown { return known < otherKnown }
        if one.peer != other.peer { return (one.peer.high, one.peer.low) < (other.peer.high, other.peer.low) }
        return (one.started, one.instance) < (other.started, other.instance)
    }
}
