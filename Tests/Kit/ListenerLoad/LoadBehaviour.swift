import AudioCore

/// How a listener reads what it is sent.
public enum LoadBehaviour: String, CaseIterable, Sendable {
    case steady
    /// Stops reading for random spans, some of them longer than a broadcaster waits.
    case stalling
    /// Reads at half the song's rate.
    case halfSpeed
    /// Cut off at random, and back a little later.
    case flapping

    static let stallSpan = 0.5...8.0
    static let readSpan = 2.0...6.0
    static let connectedSpan = 1.0...10.0
    static let awaySpan = 0.2...3.0
    /// How often one of half speed reads.
    static let sip = TimeSpan.milliseconds(100)
    /// What the kernel holds for one that does not read: little, so that the broadcaster notices.
    static let receiveBuffer: Int32 = 64 * 1024
    /// Before an attempt to connect again.
    static let retrySpan = TimeSpan.milliseconds(500)

    var receiveBuffer: Int32? { self == .stalling || self == .halfSpeed ? Self.receiveBuffer : nil }
}
