import AudioCore
import NIOCore
import Peering
import WireProtocol

/// All that a connection said.
struct WireTranscript: WireSink, Hashable {
    private(set) var events: [PeerEvent] = []

    mutating func wireDidParse(_ message: ControlMessage) { events.append(.message(message)) }

    mutating func streamDidParse(property: AudioStreamProperty) { events.append(.property(property)) }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        var copy: [AudioPacketDescription] = []
        for index in descriptions.indices { copy.append(descriptions[index]) }
        events.append(.packets(copy, ByteBuffer(bytes: data.withUnsafeBytes { Array($0) })))
    }

    /// The messages that say this.
    var encoded: [ByteBuffer] {
        var messages: [ByteBuffer] = []
        var stream: (epoch: Epoch, properties: [AudioStreamProperty])?
        var place: (epoch: Epoch, position: FramePosition)?
        for event in events {
            switch event {
            case .message(.streamBegins(let epoch)): stream = (epoch, [])
            case .message(.packetsFollow(let epoch, let position)): place = (epoch, position)
            case .message(let message): messages.append(Self.encoded(message))
            case .property(.readyToProducePackets):
                if let stream { messages.append(WireEncoder.stream(stream.epoch, properties: stream.properties)) }
            case .property(let property): stream?.properties.append(property)
            case .packets(let packets, let data):
                guard let place else { continue }
                messages.append(
                    WireEncoder.packets(
                        place.epoch, at: place.position, descriptions: packets, data: data.readableBytesSpan))
            }
        }
        return messages
    }

    private static func encoded(_ message: ControlMessage) -> ByteBuffer {
        switch message {
        case .greeting(let greeting): WireEncoder.greeting(greeting)
        case .refusal(let refusal): WireEncoder.refusal(refusal)
        case .keepAlive, .streamBegins, .packetsFollow: WireEncoder.keepAlive()
        case .clock(let datagram): WireEncoder.clock(datagram)
        case .household(let document): WireEncoder.household(Array(document.readableBytesView))
        case .pairing(let step): WireEncoder.pairing(step)
        case .welcome(let welcome): WireEncoder.welcome(welcome)
        case .broadcastEnd(let end): WireEncoder.broadcastEnd(end)
        case .anchor(let anchor): WireEncoder.anchor(anchor)
        case .streamEnds(let epoch, let end): WireEncoder.streamEnd(epoch, at: end)
        case .cut(let epoch, let frame): WireEncoder.cut(epoch, at: frame)
        case .entry(let mark): WireEncoder.entry(mark)
        case .report(let report): WireEncoder.report(report)
        case .roster(let roster): WireEncoder.roster(roster)
        case .command(let command): WireEncoder.command(command)
        case .outcome(let outcome): WireEncoder.outcome(outcome)
        case .follow: WireEncoder.follow()
        case .unfollow: WireEncoder.unfollow()
        case .songOffer(let offer): WireEncoder.songOffer(offer)
        case .songBytes(let bytes): WireEncoder.songBytes(bytes)
        case .songCredit(let credit): WireEncoder.songCredit(credit)
        case .settings(let settings): WireEncoder.settings(settings)
        case .groupVolume(let volume): WireEncoder.groupVolume(volume)
        case .nextTitle(let title): WireEncoder.nextTitle(title)
        case .modes(let modes): WireEncoder.modes(modes)
        case .reportInterval(let interval): WireEncoder.reportInterval(interval)
        case .programmeState(let state): WireEncoder.programmeState(state)
        case .programmeChange(let change): WireEncoder.programmeChange(change)
        case .queuePageRequest(let request): WireEncoder.queuePageRequest(request)
        case .queuePage(let page): WireEncoder.queuePage(page)
        case .lookup(let lookup): WireEncoder.lookup(lookup)
        case .finding(let finding): WireEncoder.finding(finding)
        }
    }
}

/// Where the messages of a connection begin and end, told without looking into them: what a parser must hold is the
/// part of a message that it may understand.
struct WireFrames {
    /// In the order of the numbers in `WireProtocol`; others are skipped, not held.
    private static let knownTypes: Set<UInt16> = [
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25,
        0x30, 0x31, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x50, 0x51, 0x52, 0x53, 0x54, 0x55,
    ]
    private static let headerByteCount = 6

    private var header: [UInt8] = []
    private var missingPayload = 0
    private var payload = 0
    private var isSkipped = false

    var heldByteCount: Int { header.count + (isSkipped ? 0 : payload) }

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if missingPayload > 0 {
                missingPayload -= 1
                payload = missingPayload == 0 ? 0 : payload + 1
            } else {
                header.append(byte)
                guard header.count == Self.headerByteCount else { continue }
                read()
                header = []
            }
        }
    }

    private mutating func read() {
        missingPayload = header[2...].reduce(0) { $0 << 8 | Int($1) }
        isSkipped = !Self.knownTypes.contains(UInt16(header[0]) << 8 | UInt16(header[1]))
    }
}
