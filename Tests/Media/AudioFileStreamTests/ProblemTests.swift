import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// What a parser tells of bytes that it passed over.
@Suite(.timeLimit(.minutes(5)))
struct ProblemTests {
    private let writer = MPEGWriter()

    @Test func aSoundFileHasNoProblem() {
        let frames = writer.frames(8)
        let file = writer.xing(packets: 8, delay: 576, padding: 900) + frames.flatMap { $0 }
        #expect(
            parse(file + apeTag(byteCount: 70) + id3v1(title: "T", artist: "A", album: "B", year: "1987", track: 9))
                .problems.isEmpty)
        #expect(parse(WAVEWriter().file(data: payload(400))).problems.isEmpty)
    }

    @Test func damagedBytesAreToldOfOnceWithTheirPlace() {
        let frames = writer.frames(8)
        let bytes = frames[..<3].flatMap { $0 } + payload(777) + frames[3...].flatMap { $0 }
        let offset = Int64(frames[..<3].joined().count)
        #expect(parse(bytes).problems == [AudioStreamProblem(.skipped(byteCount: 777), at: offset)])
        #expect(parse(bytes).problems[0].description == "777 damaged bytes skipped at byte \(offset)")
    }

    @Test func aCutPacketIsToldOf() {
        let bytes = Array(writer.frames(5).joined().dropLast(10))
        #expect(parse(bytes).problems == [AudioStreamProblem(.truncated(missingByteCount: 10), at: Int64(bytes.count))])
        let tag = id3v1(title: "T", artist: "A", album: "B", year: "1987", track: 9)
        let cut = Array(bytes.dropLast(200))
        #expect(
            parse(cut + tag).problems == [AudioStreamProblem(.truncated(missingByteCount: 210), at: Int64(cut.count))])
    }

    @Test func otherThanTheAnnouncedPackets() {
        let file = writer.xing(packets: 20) + writer.frames(30).flatMap { $0 }
        #expect(parse(file).problems == [AudioStreamProblem(.lengthDiffers(announced: 20, found: 30, .packets), at: 0)])
    }

    @Test func cutWAVE() {
        let file = WAVEWriter().file(data: payload(9_000))
        let cut = Array(file.dropLast(1_000))
        #expect(
            parse(cut).problems == [AudioStreamProblem(.truncated(missingByteCount: 1_000), at: Int64(cut.count))])
        // Three bytes behind the data are no chunk.
        #expect(
            parse(file + [1, 2, 3]).problems
                == [AudioStreamProblem(.skipped(byteCount: 3), at: Int64(file.count))])
        #expect(parse(Array(file.prefix(27))).problems == [AudioStreamProblem(.truncated(missingByteCount: 9), at: 27)])
    }

    @Test func problemsAreBoundedAndTheRestCounted() {
        let file = (0..<100).flatMap { _ in writer.frames(4).flatMap { $0 } + payload(50) }
        let stream = parse(file)
        #expect(stream.problems.count == Limits.streamProblemCount)
        #expect(splitThatDiffers(file, from: stream) == nil)
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try? parser.parse(file.span.bytes, discontinuity: false, into: &recorder)
        try? parser.finish(into: &recorder)
        #expect(parser.problemCount == 100)
        #expect(parser.summary.problems == stream.problems)
    }
}

extension ParsedStream {
    fileprivate var problems: [AudioStreamProblem] {
        properties.compactMap { if case .problem(let problem) = $0 { problem } else { nil } }
    }
}
