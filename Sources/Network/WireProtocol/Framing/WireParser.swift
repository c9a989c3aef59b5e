import AudioCore
import NIOCore

/// The push parser of a connection: takes bytes in pieces of any size, and gives messages and media.
///
/// A state machine with three states: header, body, and skipping the body of an unknown message. What is
/// complete in the bytes of one call is read in place; only what began in an earlier call was copied. It stores no more
/// than one message that it understands (``WireLimits/payloadByteCount``). It owns no socket and reads no clock; calls
/// must not overlap. After an error it rejects all further bytes with the same error.
public struct WireParser {
    private enum State {
        case header
        case body(MessageType, byteCount: Int)
        case skipping(byteCount: Int)
        case failed(WireError)
    }

    private var state = State.header
    /// The beginning of a message, copied so that none of the caller's memory is kept.
    private var held = ByteBuffer()
    private var isGreeted = false

    private var payloadByteCount: Int

    /// Type and length.
    private static let headerByteCount = 6

    /// - Parameter payloadByteCount: of the longest message accepted; at most ``WireLimits/payloadByteCount``.
    public init(payloadByteCount: Int = WireLimits.payloadByteCount) {
        self.payloadByteCount = min(payloadByteCount, WireLimits.payloadByteCount)
    }

    /// Accepts longer messages from now on; at most ``WireLimits/payloadByteCount``.
    public mutating func allow(payloadByteCount: Int) {
        self.payloadByteCount = min(max(payloadByteCount, self.payloadByteCount), WireLimits.payloadByteCount)
    }

    /// Bytes that wait for the rest of their message.
    package var heldByteCount: Int { held.readableBytes }

    /// Parses a copy of the bytes.
    public mutating func parse<Sink: WireSink>(_ bytes: RawSpan, into sink: inout Sink) throws(WireError) {
        var copy = ByteBuffer()
        copy.writeBytes(bytes)
        try parse(copy, into: &sink)
    }

    /// Parses bytes in place; packets are slices of them (``WireSink/wireDidParse(packets:data:)``).
    public mutating func parse<Sink: WireSink>(_ bytes: ByteBuffer, into sink: inout Sink) throws(WireError) {
        if case .failed(let error) = state { throw error }
        var bytes = bytes
        do throws(WireError) {
            while try advance(&bytes, into: &sink) {}
        } catch {
            state = .failed(error)
            held = ByteBuffer()
            throw error
        }
        held.writeBuffer(&bytes)
    }

    /// Does one transition: on what began in an earlier call, plus no more than completes it, or on the bytes in place.
    /// Returns false if more bytes are needed.
    private mutating func advance<Sink: WireSink>(
        _ bytes: inout ByteBuffer, into sink: inout Sink
    ) throws(WireError) -> Bool {
        guard held.readableBytes > 0 else { return try step(&bytes, into: &sink) }
        let missing = max(0, wantedByteCount - held.readableBytes)
        if var rest = bytes.readSlice(length: min(missing, bytes.readableBytes)) { held.writeBuffer(&rest) }
        var input = held
        held = ByteBuffer()
        let isDone = try step(&input, into: &sink)
        if !isDone { held = input }
        return isDone
    }

    /// Bytes needed for the next transition.
    private var wantedByteCount: Int {
        switch state {
        case .header: Self.headerByteCount
        case .body(_, let byteCount): byteCount
        case .skipping, .failed: 0
        }
    }

    /// Does one transition. Returns false if more bytes are needed.
    private mutating func step<Sink: WireSink>(
        _ input: inout ByteBuffer, into sink: inout Sink
    ) throws(WireError) -> Bool {
        switch state {
        case .header:
            guard input.readableBytes >= Self.headerByteCount, let type = input.readInteger(as: UInt16.self),
                let length = input.readInteger(as: UInt32.self)
            else { return false }
            state = try stateAfterHeader(type: type, byteCount: Int(length))
        case .body(let type, let byteCount):
            guard var payload = input.readSlice(length: byteCount) else { return false }
            state = .header
            try deliver(type, &payload, into: &sink)
        case .skipping(let byteCount):
            let skipped = min(byteCount, input.readableBytes)
            input.moveReaderIndex(forwardBy: skipped)
            state = skipped == byteCount ? .header : .skipping(byteCount: byteCount - skipped)
            return skipped == byteCount
        case .failed(let error):
            throw error
        }
        return true
    }

    private func stateAfterHeader(type: UInt16, byteCount: Int) throws(WireError) -> State {
        guard let known = MessageType(rawValue: type) else {
            guard isGreeted else { throw .unexpectedMessage(messageType: type) }
            guard byteCount <= WireLimits.skippedPayloadByteCount else {
                throw .tooLong(messageType: type, byteCount: byteCount)
            }
            return .skipping(byteCount: byteCount)
        }
        guard isGreeted == (known != .greeting) else { throw .unexpectedMessage(messageType: type) }
        guard byteCount <= payloadByteCount else { throw .tooLong(messageType: type, byteCount: byteCount) }
        return .body(known, byteCount: byteCount)
    }

    private mutating func deliver<Sink: WireSink>(
        _ type: MessageType, _ payload: inout ByteBuffer, into sink: inout Sink
    ) throws(WireError) {
        switch type {
        case .stream: try deliverStream(&payload, into: &sink)
        case .packets: try deliverPackets(&payload, into: &sink)
        default:
            guard let message = ControlMessage(type, from: &payload) else {
                throw .malformed(messageType: type.rawValue)
            }
            if type == .greeting { isGreeted = true }
            sink.wireDidParse(message)
        }
    }

    private func deliverStream<Sink: WireSink>(
        _ payload: inout ByteBuffer, into sink: inout Sink
    ) throws(WireError) {
        guard let epoch = payload.readEpoch(), let properties = StreamProperties.read(from: &payload) else {
            throw .malformed(messageType: MessageType.stream.rawValue)
        }
        sink.wireDidParse(.streamBegins(epoch))
        for property in properties { sink.streamDidParse(property: property) }
        sink.streamDidParse(property: .readyToProducePackets)
    }

    private func deliverPackets<Sink: WireSink>(
        _ payload: inout ByteBuffer, into sink: inout Sink
    ) throws(WireError) {
        guard let header = PacketsMessage.read(from: &payload) else {
            throw .malformed(messageType: MessageType.packets.rawValue)
        }
        sink.wireDidParse(.packetsFollow(header.epoch, header.position))
        sink.wireDidParse(packets: header.descriptions, data: payload)
    }
}

extension ControlMessage {
    /// Reads the payload of a message that is not media. Nil if it breaks its layout; extra bytes at its end are
    /// ignored.
    fileprivate init?(_ type: MessageType, from payload: inout ByteBuffer) {
        switch type {
        case .greeting:
            guard let greeting = Greeting(from: &payload) else { return nil }
            self = .greeting(greeting)
        case .refusal:
            guard let refusal = Refusal(from: &payload) else { return nil }
            self = .refusal(refusal)
        case .keepAlive:
            self = .keepAlive
        case .clock:
            guard let datagram = payload.readBytes(length: WireLimits.clockDatagramByteCount) else { return nil }
            self = .clock(datagram)
        case .household:
            self = .household(payload)
        case .pairing:
            guard payload.readableBytes <= WireLimits.pairingStepByteCount else { return nil }
            self = .pairing(Array(payload.readableBytesView))
        case .welcome:
            guard let welcome = Welcome(from: &payload) else { return nil }
            self = .welcome(welcome)
        case .broadcastEnd:
            guard let end = BroadcastEnd(from: &payload) else { return nil }
            self = .broadcastEnd(end)
        case .anchor:
            guard let epoch = payload.readEpoch(), let frame = payload.readPosition(),
                let session = payload.readInteger(as: Int64.self), let rate = payload.readDouble()
            else { return nil }
            let anchor = Anchor(
                epoch: epoch, frame: frame, session: SessionTime(nanoseconds: session), framesPerSecond: rate)
            guard anchor.isValid else { return nil }
            self = .anchor(anchor)
        case .streamEnd:
            guard let epoch = payload.readEpoch(), let end = payload.readPosition(),
                (0..<WireLimits.framePositionBound).contains(end.index)
            else { return nil }
            self = .streamEnds(epoch, end)
        case .cut:
            guard let epoch = payload.readEpoch(), let frame = payload.readPosition(),
                (0..<WireLimits.framePositionBound).contains(frame.index)
            else { return nil }
            self = .cut(epoch, frame)
        case .entry:
            guard let epoch = payload.readEpoch(), let frame = payload.readPosition(),
                let count = payload.readInteger(as: UInt32.self)
            else { return nil }
            self = .entry(EntryMark(epoch: epoch, frame: frame, lostPacketCount: count))
        case .report:
            guard let report = ListenerReport(from: &payload) else { return nil }
            self = .report(report)
        case .reportInterval:
            guard let interval = payload.readSpan(), WireLimits.reportIntervals.contains(interval) else { return nil }
            self = .reportInterval(interval)
        case .roster:
            guard let roster = Roster(from: &payload) else { return nil }
            self = .roster(roster)
        case .command, .outcome, .follow, .programmeState, .programmeChange, .queuePageRequest, .queuePage, .settings,
            .groupVolume, .nextTitle, .modes, .songOffer, .songBytes, .songCredit, .lookup, .finding:
            self.init(ofProgramme: type, from: &payload)
        case .stream, .packets:
            return nil
        }
    }

    /// Reads the payload of a message about the programme.
    private init?(ofProgramme type: MessageType, from payload: inout ByteBuffer) {
        var message: ControlMessage?
        switch type {
        case .command: message = Command(from: &payload).map { .command($0) }
        case .outcome: message = CommandOutcome(from: &payload).map { .outcome($0) }
        case .follow: message = payload.readInteger(as: UInt8.self) == 0 ? .unfollow : .follow
        case .songOffer: message = SongOffer(from: &payload).map { .songOffer($0) }
        case .songBytes: message = SongBytes(from: &payload).map { .songBytes($0) }
        case .songCredit: message = SongCredit(from: &payload).map { .songCredit($0) }
        case .settings: message = ListenerSettings(from: &payload).map { .settings($0) }
        case .groupVolume: message = VolumeSetting(from: &payload).map { .groupVolume($0) }
        case .nextTitle:
            message = payload.readText(limit: Limits.titleByteCount).map { .nextTitle($0.isEmpty ? nil : $0) }
        case .modes: message = PlayModes(from: &payload).map { .modes($0) }
        case .programmeState: message = ProgrammeState(from: &payload).map { .programmeState($0) }
        case .programmeChange: message = ProgrammeChange(from: &payload).map { .programmeChange($0) }
        case .queuePageRequest: message = QueuePageRequest(from: &payload).map { .queuePageRequest($0) }
        case .queuePage: message = QueuePage(from: &payload).map { .queuePage($0) }
        case .lookup: message = Lookup(from: &payload).map { .lookup($0) }
        case .finding: message = Finding(from: &payload).map { .finding($0) }
        default: break
        }
        guard let message else { return nil }
        self = message
    }
}
