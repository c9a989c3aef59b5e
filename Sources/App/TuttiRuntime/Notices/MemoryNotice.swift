import AudioCore

/// Of what a listener remembers from earlier runs.
public enum MemoryNotice: Hashable, Sendable {
    /// How fast the broadcaster's clock ran the last time.
    case clockRate(PartsPerMillion)
    case cardRate(PartsPerMillion, device: String)
    /// The offset in force, kept for the device.
    case offset(TimeSpan, device: String)
    case offsetForgotten(device: String)
    /// Nothing can be kept for the next time.
    case notKept(MemoryFailure)

    public var level: NoticeLevel {
        switch self {
        case .clockRate, .cardRate, .notKept: .detail
        case .offset, .offsetForgotten: .info
        }
    }
}
