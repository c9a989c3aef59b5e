import NIOCore

/// The last message before its sender closes the connection, with the reason.
///
/// | field | type | meaning |
/// |---|---|---|
/// | reason | u16 | see ``Reason-swift.enum`` |
/// | text | text, 512 bytes | for display: from a busy listener what it plays and from whom |
public struct Refusal: Hashable, Sendable {
    public enum Reason: UInt16, Hashable, Sendable {
        /// A reason that this version does not know.
        case other = 0
        /// The listener plays another broadcast, or the new machine is being paired with another member.
        case busy = 1
        /// Not on the allow-list of this listener or broadcast.
        case notAllowed = 2
        /// Another connection between the two instances survives.
        case duplicate = 3
        /// Neither side has what the other wants: two broadcasters, or two listeners.
        case wrongRole = 4
        /// The listener's greeting does not name the song's codec, and it cannot be sent linear PCM either.
        case cannotDecode = 5
        /// The broadcast or the listener is ending.
        case leaving = 6
        /// The peer broke the protocol.
        case protocolError = 7
        /// Another code than the one that the new machine shows.
        case wrongCode = 8
        /// The peer's key was removed from the household a moment ago. Whom the peer removed itself, as it said first,
        /// is out as well.
        case removedLately = 9
    }

    public var reason: Reason
    public var text: String

    public init(_ reason: Reason, _ text: String) {
        self.reason = reason
        self.text = text
    }

    /// Sent over a connection that another one with the same process, older or newer, replaces.
    public static let otherConnection = Refusal(.duplicate, "another connection goes on")

    /// To a peer whose name belongs to another key. It learns that somebody had this name, not who.
    public static let anotherKey = Refusal(
        .notAllowed,
        "this name had another key before; `tutti peers forget` on the machine that refuses accepts the new one")

    func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(reason.rawValue)
        buffer.writeText(text, limit: WireLimits.reasonByteCount)
    }

    init?(from buffer: inout ByteBuffer) {
        guard let reason = buffer.readInteger(as: UInt16.self),
            let text = buffer.readText(limit: WireLimits.reasonByteCount)
        else { return nil }
        self.init(Reason(rawValue: reason) ?? .other, text)
    }
}
