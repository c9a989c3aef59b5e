import SecureChannel

/// Which key each name of a peer belongs to, by first use: whoever was met first under a name has it.
///
/// A name is pinned when its peer takes part in a broadcast, not when it greets: who greets and leaves shall neither
/// occupy a name nor fill the ``capacity``. Among strangers the first still wins. A pin is never moved to another key;
/// it goes when the user forgets it, or to make room.
///
/// The names that the user named stay longest: a name that was only met never takes the place of one of these.
public struct PinnedNames: Hashable, Sendable {
    /// A name, and the key that it belongs to.
    public struct Pin: Hashable, Sendable {
        public let name: PeerName
        public let key: PeerKey
        /// When a peer of this name and key was last met, in seconds since 1970, by this machine's wall clock.
        public private(set) var lastMet: Int64
        /// Whether the user ever named it, with `--to` or `--from`.
        public private(set) var isNamed: Bool

        public init(_ peer: MetPeer, lastMet: Int64) {
            name = peer.name
            key = peer.key
            isNamed = peer.isNamed
            self.lastMet = lastMet
        }

        /// Takes note of another meeting.
        /// - Returns: whether that changed enough to be stored.
        fileprivate mutating func note(_ peer: MetPeer, at time: Int64) -> Bool {
            // Also a time that lies ahead, of a clock that was wrong.
            let isOld = !(0...PinnedNames.refreshSeconds).contains(time &- lastMet)
            guard isOld || peer.isNamed && !isNamed else { return false }
            lastMet = time
            isNamed = isNamed || peer.isNamed
            return true
        }

        /// Whether it goes before another one to make room.
        fileprivate func goesBefore(_ other: Pin) -> Bool {
            (isNamed ? 1 : 0, lastMet, name) < (other.isNamed ? 1 : 0, other.lastMet, other.name)
        }
    }

    /// What is known of a peer's name.
    public enum Verdict: Hashable, Sendable {
        case new
        case known
        /// The name belongs to another key.
        case anotherKey(Pin)
    }

    /// Names at most: more than anybody has machines.
    public static let capacity = 256
    /// A meeting is noted again after this time.
    static let refreshSeconds: Int64 = 86_400

    private var pins: [PeerName: Pin] = [:]

    public init() {}

    /// Returns nil if they are too many, or if a name comes twice.
    public init?(_ pins: [Pin]) {
        guard pins.count <= Self.capacity else { return nil }
        for pin in pins { self.pins[pin.name] = pin }
        guard self.pins.count == pins.count else { return nil }
    }

    /// In no order.
    public var all: some Collection<Pin> { pins.values }

    public func judge(_ name: PeerName, _ key: PeerKey) -> Verdict {
        guard let pin = pins[name] else { return .new }
        return pin.key == key ? .known : .anotherKey(pin)
    }

    /// Pins the name of a peer that takes part, unless it belongs to another key.
    /// - Parameter time: in seconds since 1970.
    /// - Returns: whether there is something new to be stored.
    @discardableResult
    public mutating func note(_ peer: MetPeer, at time: Int64) -> Bool {
        if var pin = pins[peer.name] {
            guard pin.key == peer.key, pin.note(peer, at: time) else { return false }
            pins[peer.name] = pin
            return true
        }
        if pins.count >= Self.capacity {
            guard let victim = pins.values.min(by: { $0.goesBefore($1) }), peer.isNamed || !victim.isNamed else {
                return false
            }
            pins[victim.name] = nil
        }
        pins[peer.name] = Pin(peer, lastMet: time)
        return true
    }

    /// Lets a name belong to nobody.
    /// - Returns: its pin; nil if there was none.
    public mutating func forget(_ name: PeerName) -> Pin? { pins.removeValue(forKey: name) }
}

/// A peer that took part in a broadcast under a name.
public struct MetPeer: Hashable, Sendable {
    public let name: PeerName
    /// The key that it has proved to have.
    public let key: PeerKey
    /// Whether the user named it.
    public let isNamed: Bool

    public init(_ name: PeerName, _ key: PeerKey, isNamed: Bool) {
        self.name = name
        self.key = key
        self.isNamed = isNamed
    }
}
