import AudioCore
import Broadcasting
import ClockSync
import NIOCore
import Peering
import WireProtocol

/// Strangers at a broadcast: whatever they send and however they read, the honest listener is sent what it would be
/// sent without them.
struct BroadcastRun {
    private var stage: BroadcastStage
    private var current: ConnectionID?
    private var lastPiece = ByteBuffer()
    /// Of what is sent over and over.
    private var repeatedByteCount = 0

    /// No run is longer than the song and its farewell.
    private static let longest = TimeSpan.seconds(12)
    private static let mostStrangers = 8
    private static let mostRepeatedBytes = 8 << 20

    /// What the honest listener is sent while it is alone, and when the broadcast is over.
    private struct Undisturbed: Sendable {
        var song: [PeerEvent]
        var songTimes: [HostTime]
        var anchor: Anchor?
        var outcome: BroadcastOutcome?
        var elapsed: TimeSpan

        init(_ setting: BroadcastStage.Setting) {
            var stage = BroadcastStage(setting)
            stage.advance(ticks: 600)
            (song, songTimes, anchor) = (stage.honest.song, stage.honest.songTimes, stage.honest.anchor)
            (outcome, elapsed) = (stage.outcome, stage.elapsed)
        }
    }

    private static let undisturbed = Dictionary(
        uniqueKeysWithValues: BroadcastStage.Setting.all.map { ($0, Undisturbed($0)) })

    init(setting: UInt8) { stage = BroadcastStage(BroadcastStage.Setting.all[Int(setting % 4)]) }

    consuming func violation(_ reader: inout InputReader) -> String? {
        while !reader.isEmpty, stage.outcome == nil, stage.violation == nil, stage.elapsed < Self.longest {
            step(&reader)
        }
        let held = heldByteCount(of: stage.session)
        // A stranger may have begun a message, and there are texts and numbers of it.
        let bound = 256 * 1024 + Self.mostStrangers * (WireLimits.payloadByteCount + 64 * 1024)
        if held > bound { return "the broadcast holds \(held) bytes" }
        stage.advance(ticks: 1_200)
        return stage.violation ?? difference
    }

    /// In what the honest listener was served otherwise; nil if in nothing.
    private var difference: String? {
        guard let alone = Self.undisturbed[stage.setting], alone.outcome == .completed else {
            return "the broadcast does not come to its end even if nobody disturbs it"
        }
        // One that calls itself by its process's number takes its place: nobody proves who he is.
        if stage.honest.isDisplaced { return nil }
        guard stage.outcome == .completed else { return "the broadcast ends as \(String(describing: stage.outcome))" }
        // A listener that is not ready is waited for at the start, and one that is silent at the end.
        let patience = BroadcastLimits.gatheringTime + BroadcastLimits.readinessTime + BroadcastLimits.farewellTime
        if stage.elapsed > alone.elapsed + patience + BroadcastStage.tick {
            return "it ends after \(stage.elapsed), not \(alone.elapsed)"
        }
        let told = stage.honest.song
        if told != alone.song { return "another song: \(told.count) events, not \(alone.song.count)" }
        guard stage.setting.startsAtOnce else { return nil }
        if stage.honest.anchor != alone.anchor { return "another start" }
        return stage.honest.songTimes == alone.songTimes ? nil : "it is sent the song at other times"
    }

    private mutating func step(_ reader: inout InputReader) {
        let operation = reader.byte()
        let choice = Int(operation >> 4)
        switch operation & 15 {
        case 0...3: say(ByteBuffer(bytes: reader.bytes(Int(reader.byte()) << (choice == 15 ? 4 : 0))))
        case 4: stage.advance(ticks: choice + 1)
        case 5: stage.advance(ticks: (choice + 1) * 10)
        case 6:
            guard stage.strangers.count < Self.mostStrangers else { return }
            current = stage.open(choice & 1 == 0 ? .accepted : .dialed)
        case 7: if let current { stage.close(current) }
        case 8:
            let ids = stage.strangers.keys.sorted { $0.number < $1.number }
            if !ids.isEmpty { current = ids[choice % ids.count] }
        case 9: if let current { stage.read(current, choice == 0 ? .max : choice * 100) }
        case 10: say(message(choice, &reader))
        case 11: askClock(Int(reader.byte()), choice, &reader)
        case 12: meet(choice)
        case 13:
            let most = (Self.mostRepeatedBytes - repeatedByteCount) / max(1, lastPiece.readableBytes)
            let count = min(Int(reader.byte()) * 4, most)
            repeatedByteCount += count * lastPiece.readableBytes
            for _ in 0..<count { say(lastPiece) }
        case 14:
            guard stage.strangers.count < Self.mostStrangers else { return }
            current = stage.answerDial(connecting: choice & 1 == 0) ?? current
        default: stage.advance(ticks: 1)
        }
    }

    private mutating func say(_ bytes: ByteBuffer) {
        lastPiece = bytes
        if let current { stage.receive(current, bytes) }
    }

    private func message(_ choice: Int, _ reader: inout InputReader) -> ByteBuffer {
        let states: [ListenerState] = [.connecting, .preparing, .ready, .playing, .starving, .finished]
        switch choice {
        case 0..<8:
            let both: PeerRoles = [.broadcaster, .listener]
            let roles: [PeerRoles] = [.listener, .listener, .listener, both, .observer, .broadcaster]
            let codecs: [[Codec]] = [[.mpegLayer3], [.linearPCM], [], [.linearPCM], [], []]
            let index = choice % roles.count
            let greeting = WireSeeds.greeting(
                roles[index], instance: UInt64(reader.byte()),
                name: choice == 7 ? HonestListener.name : "peer \(choice)", codecs: codecs[index])
            return WireEncoder.greeting(greeting)
        case 8..<14: return WireEncoder.report(WireSeeds.report(states[choice - 8], timing: WireSeeds.timing))
        case 14: return WireEncoder.refusal(Refusal(.leaving, ""))
        default: return WireEncoder.refusal(Refusal(Refusal.Reason(rawValue: UInt16(reader.byte() & 7)) ?? .other, ""))
        }
    }

    private mutating func askClock(_ count: Int, _ choice: Int, _ reader: inout InputReader) {
        guard let current else { return }
        if choice == 15 { return stage.askClock(current, sequence: reader.number()) }
        for _ in 0..<count { stage.askClock(current) }
    }

    /// mDNS knows a listener, or does no longer.
    private mutating func meet(_ choice: Int) {
        let key = PeerContact.Key.instance(UInt64(choice & 3))
        guard choice & 8 == 0 else { return stage.forget(key) }
        stage.know(
            PeerContact(
                key: key, name: "peer \(choice)", roles: choice & 4 == 0 ? .listener : .broadcaster,
                addresses: [NetworkAddress(host: "10.0.1.\(choice)")]))
    }
}
