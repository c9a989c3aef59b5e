import SecureChannel
import WireProtocol

/// Names and keys.
extension ConnectionTable {
    /// Returns whether a peer that greeted is among those that the user named. One whose name belongs to another key is
    /// not.
    public func isAllowed(_ id: ConnectionID) -> Bool {
        guard let link = self[id], let greeting = link.connection.greeting else { return false }
        return isAllowed(link, greeting)
    }

    func isAllowed(_ link: Link, _ greeting: Greeting) -> Bool {
        allowed.names.isEmpty
            || allowed.names.contains { isName($0, of: link, greeting) && contradicted(by: link, $0) == nil }
    }

    /// Returns whether it would be among them if nobody had its name before.
    public func isNamed(_ id: ConnectionID) -> Bool {
        guard let link = self[id], let greeting = link.connection.greeting else { return false }
        return allowed.includes(greeting, at: link.connection.address)
    }

    /// Returns whether this is a peer's name now: by mDNS and its greeting, or since the name that it greeted with
    /// belongs to its key, and whatever mDNS says of others. A record takes no name from its owner.
    public func isName(_ name: String, of link: Link) -> Bool {
        link.connection.greeting.map { isName(name, of: link, $0) } ?? false
    }

    private func isName(_ text: String, of link: Link, _ greeting: Greeting) -> Bool {
        if allowed.isName(text, of: greeting, at: link.connection.address) { return true }
        return text == greeting.name && ownsItsName(link, greeting)
    }

    /// Returns whether the name that a peer greeted with belongs to its key.
    public func ownsItsName(_ id: ConnectionID) -> Bool {
        guard let link = self[id], let greeting = link.connection.greeting else { return false }
        return ownsItsName(link, greeting)
    }

    private func ownsItsName(_ link: Link, _ greeting: Greeting) -> Bool {
        guard let key = link.connection.remoteKey, let name = PeerName(greeting.name) else { return false }
        return pins.judge(name, key) == .known
    }

    /// Returns the pins of names that a peer goes by although they belong to another key.
    public func contradictedPins(_ id: ConnectionID) -> [PinnedNames.Pin] {
        guard let link = self[id] else { return [] }
        return names(of: link).compactMap { contradicted(by: link, $0.text) }
    }

    /// Returns a peer under each of its names, to be pinned when it takes part. Nobody who has proved no key: that is
    /// this very machine.
    public func meetings(_ id: ConnectionID) -> [MetPeer] {
        guard let link = self[id], let key = link.connection.remoteKey else { return [] }
        let named = Set(allowed.names.compactMap { PeerName($0) })
        return names(of: link).map { MetPeer($0, key, isNamed: named.contains($0)) }
    }

    /// The name that it greeted with, unless mDNS knows better, and those of the user's that mean it.
    private func names(of link: Link) -> [PeerName] {
        guard let greeting = link.connection.greeting else { return [] }
        var names: [PeerName] = []
        for text in [greeting.name] + allowed.names
        where isName(text, of: link, greeting) {
            if let name = PeerName(text), !names.contains(name) { names.append(name) }
        }
        return names
    }

    private func contradicted(by link: Link, _ name: String) -> PinnedNames.Pin? {
        guard let key = link.connection.remoteKey, let name = PeerName(name),
            case .anotherKey(let pin) = pins.judge(name, key)
        else { return nil }
        return pin
    }
}
