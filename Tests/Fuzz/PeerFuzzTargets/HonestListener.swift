import AudioCore
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// A listener that does as it should, and notes what it is sent and when.
struct HonestListener {
    static let id = ConnectionID(0)
    static let name = "Honest"
    static let greeting = WireSeeds.greeting(
        .listener, instance: 0x600D_600D_600D_600D, name: name, codecs: [.mpegLayer3])

    /// What belongs to the song: its properties, packets, entries and end.
    private(set) var song: [PeerEvent] = []
    /// When each of these came.
    private(set) var songTimes: [HostTime] = []
    var isClosed = false
    /// Whether it was told that another connection of its process goes on.
    private(set) var isDisplaced = false
    private(set) var anchor: Anchor?
    private var connection: PeerConnection
    private var end: FramePosition?
    private var hasPackets = false
    private var clock: ClockClient?
    private var lastReport: (time: HostTime, state: ListenerState)?

    init(now: HostTime) { connection = PeerConnection(direction: .dialed, address: "", now: now) }

    mutating func receive(_ bytes: ByteBuffer, now: HostTime) throws(WireError) {
        for event in try connection.receive(bytes, now: now) {
            if event.isSongAtFault {
                song.append(event)
                songTimes.append(now)
            }
            switch event {
            case .message(.welcome(let welcome)):
                clock = ClockKey(bytes: welcome.clockKey).map { ClockClient(key: $0, seed: 1) }
            case .message(.packetsFollow): hasPackets = true
            case .message(.anchor(let anchor)): self.anchor = anchor
            case .message(.streamEnds(_, let end)): self.end = end
            case .message(.clock(let datagram)): _ = clock?.receive(datagram, at: now + .microseconds(100))
            case .message(.refusal(let refusal)): isDisplaced = isDisplaced || refusal.reason == .duplicate
            default: break
            }
        }
    }

    /// What it has to say now.
    mutating func say(now: HostTime) -> [ByteBuffer] {
        guard !isClosed, clock != nil else { return [] }
        var messages: [ByteBuffer] = []
        let state = state(now)
        if lastReport.map({ $0.state != state || now - $0.time >= .milliseconds(500) }) ?? true {
            lastReport = (now, state)
            messages.append(WireEncoder.report(WireSeeds.report(state)))
        }
        if state != .finished, let request = clock?.poll(now: now) { messages.append(WireEncoder.clock(request.bytes)) }
        return messages
    }

    private func state(_ now: HostTime) -> ListenerState {
        guard hasPackets, clock?.estimate != nil else { return .preparing }
        let session = SessionTime(nanoseconds: now.nanoseconds)
        guard let anchor, session >= anchor.session else { return .ready }
        return end.map { session >= anchor.session(of: $0) } ?? false ? .finished : .playing
    }
}

extension PeerEvent {
    fileprivate var isSongAtFault: Bool {
        switch self {
        case .property, .packets: true
        case .message(.streamBegins), .message(.packetsFollow), .message(.entry), .message(.streamEnds): true
        case .message: false
        }
    }
}
