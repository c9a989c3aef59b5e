import AudioCore
import AudioFileStreamServices

/// One file through the parser in several ways, which must agree.
struct ParserRun {
    var file: [UInt8]
    var choices: Choices
    var hint: AudioFileType?

    /// A parse, and how it ended.
    struct Outcome {
        var sink = CheckingSink()
        var failure: AudioStreamError?
        var violation: String?
        /// Of the songs that follow in the file: a digest, and how many.
        var songCount = 1
        var olderDigest: UInt64 = 0
        var byteCount = 0

        /// Another song follows: what was told of this one is part of the digest from now on.
        mutating func beginNext() {
            violation = violation ?? sink.violation
            songCount += 1
            byteCount += sink.byteCount
            olderDigest = (olderDigest ^ sink.digest) &* 0x100_0000_01B3
            for property in sink.properties {
                for byte in "\(property)".utf8 { olderDigest = (olderDigest ^ UInt64(byte)) &* 0x100_0000_01B3 }
            }
            sink = CheckingSink()
        }
    }

    func violation() -> String? {
        let whole = stream(pieces: [max(1, file.count)])
        if let violation = whole.violation ?? whole.sink.violation { return violation }
        if whole.byteCount + whole.sink.byteCount > file.count { return "more bytes in packets than in the file" }
        if case .invalidFile(let text)? = whole.failure, !text.contains("at byte ") {
            return "'\(text)' does not say where"
        }
        switch choices.mode(of: 4) {
        case 0: return difference(whole, stream(pieces: choices.pieces), "in pieces")
        case 1: return difference(whole, stream(pieces: [1]), "byte by byte")
        case 2:
            let atHand = fileAccess(pieces: [max(1, file.count)])
            return atHand.violation ?? atHand.sink.violation
                ?? difference(atHand, fileAccess(pieces: choices.pieces), "at hand, in pieces")
        default: return seekViolation()
        }
    }

    /// Bytes in order; a discontinuity nowhere.
    private func stream(pieces: [Int]) -> Outcome {
        var outcome = Outcome()
        var parser = AudioFileStream(typeHint: hint)
        do throws(AudioStreamError) {
            var (offset, turn) = (0, 0)
            while true {
                if parser.hasNextStream || offset == file.count {
                    do throws(AudioStreamError) {
                        try parser.finish(into: &outcome.sink)
                    } catch {
                        outcome.failure = error
                    }
                    guard let next = parser.nextStream() else {
                        if parser.hasNextStream { outcome.violation = "nothing follows" }
                        return outcome
                    }
                    let start = Int(next.nextByteOffset)
                    if start > offset { outcome.violation = "wants bytes at \(start), behind those brought" }
                    parser = next
                    offset = start
                    outcome.beginNext()
                }
                let end = min(file.count, offset + max(pieces[turn % pieces.count], turn % pieces.count == 0 ? 1 : 0))
                try parser.parse(file.span.bytes.extracting(offset..<end), discontinuity: false, into: &outcome.sink)
                (offset, turn) = (end, turn + 1)
            }
        } catch {
            outcome.failure = error
        }
        return outcome
    }

    /// Bytes as the parser asks for them. It must come to an end: each jump must be worth it.
    private func fileAccess(pieces: [Int]) -> Outcome {
        var outcome = Outcome()
        var parser = AudioFileStream(typeHint: hint, access: .file(byteCount: Int64(file.count)))
        while true {
            let violation = bring(to: &parser, pieces: pieces, &outcome)
            outcome.violation = outcome.violation ?? violation
            guard outcome.violation == nil, let next = parser.nextStream() else {
                return outcome
            }
            parser = next
            outcome.beginNext()
        }
    }

    /// Brings what is asked for until the parser wants nothing any more, or fails.
    private func bring(to parser: inout AudioFileStream, pieces: [Int], _ outcome: inout Outcome) -> String? {
        do throws(AudioStreamError) {
            var (turn, stepsLeft, bytesLeft) = (0, 64 * 1024 + 64 * file.count, 64 * 1024 + 16 * file.count)
            while parser.nextByteOffset >= 0, parser.nextByteOffset < Int64(file.count) {
                let start = Int(parser.nextByteOffset)
                let end = min(file.count, start + max(pieces[turn % pieces.count], 1))
                try parser.parse(file.span.bytes.extracting(start..<end), discontinuity: false, into: &outcome.sink)
                turn += 1
                stepsLeft -= 1
                bytesLeft -= end - start
                guard stepsLeft > 0, bytesLeft > 0 else { return "the parser keeps jumping, to \(start) at last" }
            }
            if parser.nextByteOffset < 0 { return "wants bytes at \(parser.nextByteOffset)" }
            try parser.finish(into: &outcome.sink)
        } catch {
            outcome.failure = error
        }
        return nil
    }

    /// Asks for places, seeks to one, and reads on.
    private func seekViolation() -> String? {
        var outcome = Outcome()
        var parser = AudioFileStream(typeHint: hint, access: .file(byteCount: Int64(file.count)))
        if let violation = bring(to: &parser, pieces: [4_096], &outcome) { return violation }
        let packet = choices.number(below: 2 * Int64(outcome.sink.packetCount) + 2)
        _ = try? parser.packet(containingFrame: packet * 100)
        _ = try? parser.packet(containingFrame: .max)
        _ = try? parser.firstFrame(ofPacket: packet)
        _ = try? parser.firstFrame(ofPacket: .max)
        _ = try? parser.place(ofPacket: .max)
        _ = try? parser.place(ofPacket: -1)
        _ = try? parser.packet(atByteOffset: Int64(choices.bytes[7]) * 37)
        _ = try? parser.packet(atByteOffset: .max)
        guard let place = try? parser.seek(toPacket: packet) else { return nil }
        guard place.byteOffset >= 0, place.packet >= 0 else { return "packet \(packet) is at \(place)" }
        var rest = Outcome()
        return bring(to: &parser, pieces: choices.pieces, &rest)
    }

    private func difference(_ first: Outcome, _ second: Outcome, _ way: String) -> String? {
        if let violation = second.violation { return violation }
        if first.failure != second.failure {
            return "\(way): \(String(describing: second.failure)) instead of \(String(describing: first.failure))"
        }
        if (first.songCount, first.olderDigest) != (second.songCount, second.olderDigest) {
            return "\(way): songs differ, \(first.songCount), \(second.songCount)"
        }
        return second.sink.difference(from: first.sink).map { "\(way): \($0)" }
    }
}
