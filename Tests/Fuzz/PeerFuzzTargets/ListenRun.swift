import AudioCore
import ClockSync
import Listening
import NIOCore
import Peering
import Playout
import WireProtocol

/// Broadcasters of any kind at a listener: it holds no more than it says, and when they are gone it takes part in the
/// next broadcast.
struct ListenRun {
    static let key = ClockKey(identifier: 0x0001_0203_0405_0607, secret0: 2, secret1: 3)

    private var stage: ListenStage
    private var current: ConnectionID?
    private var lastPiece = ByteBuffer()
    private var repeatedByteCount = 0
    private var isRecorder: Bool
    private var violation: String?

    private static let longest = TimeSpan.seconds(60)
    private static let mostBroadcasters = 6
    private static let mostRepeatedBytes = 24 << 20

    init(setting: UInt8) {
        isRecorder = setting & 2 != 0
        stage = ListenStage { configuration in
            configuration.once = setting & 1 != 0
            configuration.isRecorder = setting & 2 != 0
            if setting & 4 != 0 { configuration.allowedNames = ["Next", "peer 0"] }
            if setting & 8 != 0 { configuration.address = NetworkAddress(host: "10.0.0.1") }
            if setting & 16 != 0 { configuration.offset = .milliseconds(-300) }
        }
    }

    consuming func violation(_ reader: inout InputReader) -> String? {
        while !reader.isEmpty, stage.outcome == nil, stage.violation == nil, stage.elapsed < Self.longest {
            step(&reader)
        }
        return violation ?? heldViolation ?? stage.violation ?? nextBroadcastViolation()
    }

    private var heldViolation: String? {
        let held = heldByteCount(of: stage.session)
        // What may be kept of all that are not chosen; of each a message that has begun, and the event that was too
        // much.
        let most = ListenLimits.pendingByteCount + ListenLimits.pendingEventCount * 512
        let each = 3 * WireLimits.payloadByteCount
        return held > 1024 * 1024 + most + stage.broadcasters.count * each ? "the listener holds \(held) bytes" : nil
    }

    /// All go away. When what they left has been heard, another broadcast comes.
    private mutating func nextBroadcastViolation() -> String? {
        for id in stage.broadcasters.keys.sorted(by: { $0.number < $1.number }) { stage.close(id) }
        for instance in 0..<UInt64(4) { stage.forget(.instance(instance)) }
        stage.play(.idle)
        stage.replies = .honest
        stage.advance(ticks: 380, by: .milliseconds(100))
        guard stage.outcome == nil, stage.violation == nil else { return stage.violation }
        let (begunCount, id) = (stage.begunCount, stage.open(.accepted))
        var greeting = WireSeeds.greeting(.broadcaster, instance: 0xBEEF_BEEF_BEEF_BEEF, name: "Next")
        greeting.started = .max
        stage.receive(id, WireEncoder.greeting(greeting))
        stage.receive(id, WireEncoder.welcome(Welcome(clockPort: 7, clockKey: Self.key.bytes)))
        for message in WireSeeds.broadcast[2..<5] { stage.receive(id, message) }
        stage.advance(ticks: 50)
        if let violation = stage.violation { return violation }
        if stage.outcome != nil { return nil }
        if stage.begunCount != begunCount + 1 { return "the next broadcast is not heard" }
        if stage.reportCounts[id] ?? 0 == 0 { return "the next broadcaster is told nothing" }
        return isRecorder || stage.session.sessionTime(at: stage.now) != nil ? nil : "the next clock is not known"
    }

    private mutating func step(_ reader: inout InputReader) {
        let operation = reader.byte()
        let choice = Int(operation >> 4)
        switch operation & 15 {
        case 0...2: say(ByteBuffer(bytes: reader.bytes(Int(reader.byte()) << (choice == 15 ? 4 : 0))))
        case 3, 10: say(message(choice, &reader))
        case 4: stage.advance(ticks: choice + 1)
        case 5: stage.advance(ticks: (choice + 1) * 10)
        case 6:
            guard stage.broadcasters.count < Self.mostBroadcasters else { return }
            current = stage.open(choice & 1 == 0 ? .accepted : .dialed)
        case 7: if let current { stage.close(current) }
        case 8:
            let ids = stage.broadcasters.keys.sorted { $0.number < $1.number }
            if !ids.isEmpty { current = ids[choice % ids.count] }
        case 9:
            let replies: ListenStage.Replies = choice & 3 == 0 ? .none : choice & 3 == 1 ? .honest : .off(reader.span())
            if choice & 4 == 0 { stage.replies = replies } else { stage.repliesToStream = replies }
        case 11:
            let states: [PlayoutState] = [.idle, .waiting, .playing, .starved, .finished]
            stage.play(states[choice % states.count])
        case 12: meet(choice)
        case 13:
            let most = (Self.mostRepeatedBytes - repeatedByteCount) / max(1, lastPiece.readableBytes)
            let count = min(Int(reader.byte()) * 4, most)
            repeatedByteCount += count * lastPiece.readableBytes
            for _ in 0..<count { say(lastPiece) }
            violation = violation ?? heldViolation
        case 14:
            guard stage.broadcasters.count < Self.mostBroadcasters else { return }
            current = stage.answerDial(connecting: choice & 1 == 0) ?? current
        default:
            if choice == 0 { stage.hearEnd() } else { stage.sleep(.seconds(Int64(choice * choice))) }
        }
    }

    private mutating func say(_ bytes: ByteBuffer) {
        lastPiece = bytes
        if let current { stage.receive(current, bytes) }
    }

    private func message(_ choice: Int, _ reader: inout InputReader) -> ByteBuffer {
        switch choice {
        case 0, 1, 2:
            var greeting = WireSeeds.greeting(
                choice == 2 ? [.broadcaster, .listener] : .broadcaster, instance: UInt64(reader.byte()),
                name: "peer \(choice)")
            greeting.started = Int64(reader.byte())
            return WireEncoder.greeting(greeting)
        case 3, 4: return WireEncoder.welcome(Welcome(clockPort: 7, clockKey: Self.key.bytes))
        case 5: return WireEncoder.stream(Epoch(UInt32(reader.byte())), properties: WireSeeds.properties)
        case 6:
            let epoch = Epoch(UInt32(reader.byte()))
            return WireEncoder.entry(EntryMark(epoch: epoch, frame: position(&reader), lostPacketCount: 3))
        case 7: return packets(&reader)
        case 8, 9:
            let due = SessionTime(nanoseconds: stage.now.nanoseconds) + ListenStage.offset + reader.span()
            return WireEncoder.anchor(
                Anchor(epoch: Epoch(1), frame: position(&reader), session: due, framesPerSecond: 8_000))
        case 10: return WireEncoder.streamEnd(Epoch(1), at: position(&reader))
        case 11:
            let kind = BroadcastEnd.Kind(rawValue: reader.byte() % 3) ?? .completed
            return WireEncoder.broadcastEnd(BroadcastEnd(kind))
        case 12: return WireEncoder.refusal(Refusal(Refusal.Reason(rawValue: UInt16(reader.byte() & 7)) ?? .other, ""))
        // As large as such a message can be.
        case 13:
            let cookie = AudioStreamProperty.magicCookie(Array(repeating: reader.byte(), count: 64 * 1024))
            return WireEncoder.stream(Epoch(1), properties: [cookie, cookie, cookie])
        case 14:
            let entry = Roster.Entry(instance: 1, name: "peer", report: WireSeeds.report(.playing))
            let entries = Array(repeating: entry, count: WireLimits.rosterEntryCount)
            return WireEncoder.roster(Roster(state: .playing, title: "", entries: entries))
        default: return WireEncoder.keepAlive()
        }
    }

    private func position(_ reader: inout InputReader) -> FramePosition {
        let choice = reader.byte()
        return switch choice & 3 {
        case 0: FramePosition(Int64(choice) * 144)
        case 1: FramePosition(-Int64(choice))
        case 2: FramePosition([0, WireLimits.framePositionBound - 1, .max, .min][Int(choice >> 6)])
        default: FramePosition(reader.number())
        }
    }

    private func packets(_ reader: inout InputReader) -> ByteBuffer {
        let epoch = Epoch(1)
        let place = position(&reader)
        let count = 1 + Int(reader.byte() & 15)
        let frameCount = reader.byte() & 1 == 0 ? 576 : Limits.packetFrameCount
        let data = [UInt8](repeating: 7, count: count * 16)
        let descriptions = (0..<count).map {
            AudioPacketDescription(startOffset: $0 * 16, byteCount: 16, frameCount: frameCount)
        }
        return WireEncoder.packets(epoch, at: place, descriptions: descriptions, data: data.span.bytes)
    }

    /// mDNS knows a broadcaster, or does no longer.
    private mutating func meet(_ choice: Int) {
        let key = PeerContact.Key.instance(UInt64(choice & 3))
        guard choice & 8 == 0 else { return stage.forget(key) }
        stage.know(
            PeerContact(
                key: key, name: "peer \(choice & 1)", roles: choice & 4 == 0 ? .broadcaster : .listener,
                addresses: [NetworkAddress(host: "10.0.1.\(choice)")]))
    }
}
