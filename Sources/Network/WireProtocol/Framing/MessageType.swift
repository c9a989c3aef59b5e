/// The type of a message. A receiver skips an unknown type by its length.
enum MessageType: UInt16, CaseIterable, Sendable {
    // Both directions.
    case greeting = 0x01
    case refusal = 0x02
    case keepAlive = 0x03
    case clock = 0x04
    // Broadcaster to listener.
    case welcome = 0x10
    case broadcastEnd = 0x11
    // Broadcaster to observer.
    case roster = 0x12
    // The media part, broadcaster to listener.
    case stream = 0x20
    case anchor = 0x21
    case packets = 0x22
    case streamEnd = 0x23
    case entry = 0x24
    // Listener to broadcaster.
    case report = 0x30
}
