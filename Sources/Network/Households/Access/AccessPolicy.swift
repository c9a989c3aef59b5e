/// What a peer is to this machine.
public enum PeerStanding: Hashable, Sendable, CaseIterable {
    /// A process of this machine: come by its local socket, or with this machine's key.
    case thisMachine
    case member
    /// Its key was removed from this machine's household.
    case removed
    /// The same, a moment ago: whom it removed itself, as it said first, is out as well.
    case removedLately
    case stranger
    /// A browser that this machine's page let in: it listens, and commands by its page alone.
    case guest

    /// Whether it may look up songs in this machine's library.
    public var mayReadLibrary: Bool {
        switch self {
        case .thisMachine, .member: true
        case .removed, .removedLately, .stranger, .guest: false
        }
    }
}

/// For whom something is allowed. The raw value is what the user writes.
public enum Audience: String, Hashable, Sendable, CaseIterable {
    case anyone, members, nobody
}

/// What a peer may want of this machine.
public enum AccessRight: Hashable, Sendable, CaseIterable {
    /// To be fed by this machine's broadcast.
    case listen
    /// To feed this machine's loudspeakers.
    case broadcast
    /// To play, pause, seek, skip and set volumes.
    case command
    /// To change what a listener's machine remembers beside its volume: offset and role. Songs that others add take
    /// `--accept-songs`.
    case store
}

/// Why somebody may not.
public enum AccessDenial: Error, Hashable, Sendable {
    /// It is for the members of this household.
    case membersOnly(household: String)
    /// The key was removed from this household: a machine that is to come back makes a new one.
    /// - Parameter lately: whom it removed itself is out as well.
    case removed(household: String, lately: Bool)
    /// It is for members, and this machine has no household.
    case noHousehold
    /// In open mode only this machine itself may.
    case thisMachineOnly
    /// The user allows it to nobody.
    case nobody
    /// A browser's connection is for listening.
    case listensOnly
}

/// Who may do what with this machine: the rights that the user gave, or else open mode's and a household's.
///
/// | right | in open mode | in a household |
/// |---|---|---|
/// | listen, broadcast, command | anyone | members |
/// | store | this machine | members |
///
/// This machine itself may do everything, whatever it allows to others.
public struct AccessPolicy: Hashable, Sendable {
    /// The household's name; nil in open mode.
    public var household: String?
    /// What the user chose, instead of what the table says.
    private var chosen: [AccessRight: Audience] = [:]

    public init(household: String? = nil) { self.household = household }

    /// - Parameter audience: nil for what the table says.
    /// - Precondition: the right is not to store, which is never anyone's.
    public mutating func allow(_ right: AccessRight, for audience: Audience?) {
        precondition(right != .store, "what stays behind is never for anyone")
        chosen[right] = audience
    }

    public func audience(of right: AccessRight) -> Audience {
        chosen[right] ?? (household == nil && right != .store ? .anyone : .members)
    }

    /// Returns why a peer of which nothing else is known yet may have none of these rights; nil if it may have one.
    public func denial(ofAll rights: [AccessRight], to standing: PeerStanding) -> AccessDenial? {
        let denials = rights.compactMap { denial(of: $0, to: standing) }
        return denials.count == rights.count ? denials.first : nil
    }

    /// Returns nil if the peer may.
    public func denial(of right: AccessRight, to standing: PeerStanding) -> AccessDenial? {
        switch (standing, audience(of: right)) {
        case (.guest, .nobody) where right == .listen: .nobody
        case (.guest, _): right == .listen ? nil : .listensOnly
        case (.thisMachine, _), (_, .anyone), (.member, .members): nil
        case (_, .nobody): .nobody
        case (.removed, .members), (.removedLately, .members):
            household.map { .removed(household: $0, lately: standing == .removedLately) } ?? .noHousehold
        case (.stranger, .members):
            household.map { .membersOnly(household: $0) } ?? (right == .store ? .thisMachineOnly : .noHousehold)
        }
    }
}

extension AccessDenial {
    /// For the one who may not; says what to do.
    public var text: String {
        switch self {
        case .membersOnly:
            "it takes part only with members of its household: run 'tutti pair' here, and type the code there"
        case .removed(let household, _):
            "this machine was removed from the household \(household): 'tutti household leave' here begins anew, then "
                + "'tutti pair' here and the code there let it in"
        case .noHousehold:
            "it is for members of a household, and there is none: run 'tutti household create' there, 'tutti pair' "
                + "here, and type the code there"
        case .thisMachineOnly:
            "without a household only the machine itself may change what stays behind; 'tutti household create' there"
        case .nobody:
            "it is allowed to nobody: start it there without --allow-listen, --allow-command or --allow-broadcast "
                + "nobody"
        case .listensOnly: "a browser commands by its page, not over the connection by which it listens"
        }
    }
}
