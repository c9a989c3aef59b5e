/// What a side can do beyond what every release could: the first byte of the payload that it sends with its handshake.
/// A side that sends none has none of them, and bytes behind it are ignored.
struct ChannelFeatures: OptionSet, Hashable, Sendable {
    var rawValue: UInt8

    /// It opens a ``SharedPart``.
    static let sharedParts = Self(rawValue: 1 << 0)

    /// What this release can do.
    static let own: Self = [.sharedParts]

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(payload: [UInt8]) { self.init(rawValue: payload.first ?? 0) }

    var payload: [UInt8] { [rawValue] }
}
