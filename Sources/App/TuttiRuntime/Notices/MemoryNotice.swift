import AudioCore

/// A notice about what a listener remembers from earlier runs.
public enum MemoryNotice: Hashable, Sendable {
    /// The remembered rate of the broadcaster's clock.
    case clockRate(PartsPerMillion)
    case cardRate(PartsPerMillion, device: String)
    /// The offset in force, remembered for the device.
    case offset(TimeSpan, device: String)
    case offsetForgotten(device: String)
    /// The volume in force is the one remembered for the device.
    case volume(Volume, isMuted: Bool, device: String)
    /// The same of the channel role.
    case role(ChannelRole, device: String)
    /// Nothing can be stored for the next run.
    case notKept(MemoryFailure)
    /// Some of what earlier runs stored makes no sense.
    case damaged(MemoryDamage)
    /// What earlier runs stored cannot be read.
    case unreadable(MemoryFailure)
    /// Which names belong to which keys is not known from earlier runs, or cannot be stored.
    case pins(MemoryFailure)
    /// What other members say of the household cannot be stored, or what is stored not be read.
    case household(MemoryFailure)

    public var level: NoticeLevel {
        switch self {
        case .clockRate, .cardRate, .notKept: .detail
        case .offset, .offsetForgotten, .volume, .role: .info
        case .damaged, .unreadable, .pins, .household: .warning
        }
    }
}
