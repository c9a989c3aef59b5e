import AudioCore
import NIOCore
import Peering
import WireProtocol

/// The bytes of a connection, whole and in pieces, and what they say said once more.
struct WireRun {
    private let mode: UInt8
    private let pieces: [Int]
    private let bytes: [UInt8]

    init(_ input: [UInt8]) {
        var reader = InputReader(input)
        mode = reader.byte()
        pieces = reader.pieces()
        bytes = reader.remainder()
    }

    /// A parse, and how it ended.
    struct Outcome {
        var transcript = WireTranscript()
        var failure: WireError?
        var violation: String?
    }

    func violation() -> String? {
        let whole = parse(pieces: [max(1, bytes.count)])
        let parts = parse(pieces: mode & 1 == 0 ? pieces : [1])
        if let violation = whole.violation ?? parts.violation { return violation }
        if whole.failure != parts.failure {
            return "in pieces: \(String(describing: parts.failure)), not \(String(describing: whole.failure))"
        }
        if whole.transcript != parts.transcript { return "in pieces it says something else" }
        return limitViolation(whole.transcript) ?? repetitionViolation(whole.transcript)
            ?? connectionViolation(whole)
    }

    private func parse(pieces: [Int]) -> Outcome {
        var (outcome, frames, parser) = (Outcome(), WireFrames(), WireParser())
        var (offset, turn) = (0, 0)
        do throws(WireError) {
            while offset < bytes.count {
                let end = min(bytes.count, offset + pieces[turn % pieces.count])
                try parser.parse(bytes.span.bytes.extracting(offset..<end), into: &outcome.transcript)
                frames.append(bytes[offset..<end])
                if parser.heldByteCount != frames.heldByteCount {
                    outcome.violation = "\(parser.heldByteCount) bytes held of \(frames.heldByteCount) that are needed"
                    return outcome
                }
                (offset, turn) = (end, turn + 1)
            }
        } catch {
            outcome.failure = error
            outcome.violation = repeatedFailureViolation(&parser, error, outcome.transcript)
        }
        return outcome
    }

    /// After an error nothing is taken any more.
    private func repeatedFailureViolation(
        _ parser: inout WireParser, _ failure: WireError, _ transcript: WireTranscript
    ) -> String? {
        var more = transcript
        do throws(WireError) {
            try parser.parse(bytes.span.bytes, into: &more)
            return "goes on after an error"
        } catch {
            return error == failure && more == transcript && parser.heldByteCount == 0 ? nil : "another error follows"
        }
    }

    /// A message is six bytes at least, and what it says is not many times as long.
    private func limitViolation(_ transcript: WireTranscript) -> String? {
        if transcript.events.count > bytes.count / 3 + 1 { return "\(transcript.events.count) events" }
        for event in transcript.events {
            switch event {
            case .message(.greeting(let greeting)):
                if greeting.name.utf8.count > WireLimits.peerNameByteCount { return "a name of \(greeting.name)" }
                if greeting.codecs.count > WireLimits.codecCount { return "\(greeting.codecs.count) codecs" }
            case .message(.roster(let roster)):
                if roster.entries.count > WireLimits.rosterEntryCount { return "\(roster.entries.count) listeners" }
            case .message(.command(let command)):
                if let violation = limitViolation(command.operation) { return violation }
            case .message(.programmeChange(let change)):
                guard case .command(let entry) = change.kind else { continue }
                if let violation = limitViolation(entry.operation) { return violation }
            case .message(.programmeState(let state)):
                let count = state.listeners.count
                if count > WireLimits.listenerSettingsCount { return "settings of \(count) listeners" }
            case .message(.queuePage(let page)):
                if page.items.count > WireLimits.itemsPerPage { return "\(page.items.count) items" }
            case .property(.magicCookie(let cookie)):
                if cookie.count > Limits.magicCookieByteCount { return "cookie of \(cookie.count) bytes" }
            case .property(.info(_, let text)):
                if text.utf8.count > Limits.titleByteCount { return "text of \(text.utf8.count) bytes" }
            case .packets(let packets, let data):
                if packets.contains(where: { $0.startOffset + $0.byteCount > data.readableBytes }) {
                    return "packets \(packets) in \(data.readableBytes) bytes"
                }
            default: break
            }
        }
        return nil
    }

    /// A command adds few sources, and names addresses and listeners of limited length.
    private func limitViolation(_ operation: CommandOperation) -> String? {
        switch operation {
        case .programme(.add(let sources)), .programme(.insert(let sources, at: _)):
            if sources.contains(where: { if case .file(let path) = $0 { !path.hasPrefix("/") } else { false } }) {
                return "a path that is not absolute"
            }
            let texts = sources.map { source in
                switch source {
                case .web(let address): address.text
                case .file(let path): path
                }
            }
            if texts.count > WireLimits.sourcesPerCommand { return "\(texts.count) sources" }
            let byteCount = texts.reduce(0) { $0 + $1.utf8.count }
            if byteCount > WireLimits.sourceByteCount { return "sources of \(byteCount) bytes" }
            return texts.first { !$0.lowercased().hasPrefix("http") && !$0.hasPrefix("/") }.map {
                "\($0) for an address"
            }
        case .listeners(_, of: .named(let name)):
            return name.utf8.count > WireLimits.peerNameByteCount ? "a listener \(name)" : nil
        default: return nil
        }
    }

    /// What was understood, encoded once more, is understood in the same way.
    private func repetitionViolation(_ transcript: WireTranscript) -> String? {
        var (again, parser) = (WireTranscript(), WireParser())
        do throws(WireError) {
            if case .message(.greeting)? = transcript.events.first {
            } else {
                return transcript.events.isEmpty ? nil : "no greeting comes first"
            }
            for message in transcript.encoded { try parser.parse(message.readableBytesSpan, into: &again) }
        } catch {
            return "what it says cannot be said again: \(error)"
        }
        if again == transcript { return nil }
        let index = zip(again.events, transcript.events).enumerated().first { $1.0 != $1.1 }?.offset ?? 0
        return "event \(index) is another when it is said again: \(again.events.dropFirst(index).prefix(1)), not "
            + "\(transcript.events.dropFirst(index).prefix(1))"
    }

    /// What the sessions get is the same but for keep-alives.
    private func connectionViolation(_ outcome: Outcome) -> String? {
        guard mode & 2 != 0 else { return nil }
        var connection = PeerConnection(direction: .accepted, address: "", now: HostTime(nanoseconds: 0))
        let expected = outcome.transcript.events.filter { $0 != .message(.keepAlive) }
        do throws(WireError) {
            let events = try connection.receive(ByteBuffer(bytes: bytes), now: HostTime(nanoseconds: 1))
            return outcome.failure == nil && events == expected ? nil : "the connection says something else"
        } catch {
            return error == outcome.failure ? nil : "the connection fails otherwise: \(error)"
        }
    }
}
