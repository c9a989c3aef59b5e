/// The type of a message. A receiver skips an unknown type by its length.
enum MessageType: UInt16, CaseIterable, Sendable {
    // Both directions.
    case greeting = 0x01
    case refusal = 0x02
    case keepAlive = 0x03
    case clock = 0x04
    case household = 0x05
    case pairing = 0x06
    // Broadcaster to listener.
    case welcome = 0x10
    case broadcastEnd = 0x11
    case groupVolume = 0x13
    case nextTitle = 0x14
    case modes = 0x15
    case reportInterval = 0x16
    // Broadcaster to observer.
    case roster = 0x12
    // The media part, broadcaster to listener.
    case stream = 0x20
    case anchor = 0x21
    case packets = 0x22
    case streamEnd = 0x23
    case entry = 0x24
    case cut = 0x25
    // Listener to broadcaster.
    case report = 0x30
    case settings = 0x31
    // Whoever commands or follows, to the broadcaster; a command for its sound also to a listener.
    case command = 0x40
    case follow = 0x41
    case queuePageRequest = 0x42
    case songOffer = 0x43
    case songBytes = 0x44
    /// Also to a listener, from a member of its household.
    case lookup = 0x45
    // Broadcaster to whoever commands or follows.
    case outcome = 0x50
    case programmeState = 0x51
    case programmeChange = 0x52
    case queuePage = 0x53
    case songCredit = 0x54
    case finding = 0x55
}
