import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SniffingTests {
    private func failure(_ bytes: [UInt8], hint: AudioFileType? = nil) -> AudioStreamError? {
        parse(bytes, with: AudioFileStream(typeHint: hint), pieces: [bytes.count]).failure
    }

    @Test func emptyFileHasNoData() {
        #expect(failure([]) == .dataUnavailable)
    }

    @Test func textIsNotAudio() {
        #expect(failure(Array("This is a text file, and nothing else at all.\n".utf8)) == .unsupportedFileType)
    }

    @Test func otherContainersAreRefusedAtOnce() {
        for signature in ["FORM", "RIFF....AVI "] {
            #expect(failure(Array((signature + String(repeating: "x", count: 64)).utf8)) == .unsupportedFileType)
        }
    }

    @Test(arguments: ["RIFF", "RIFX", "RF64", "BW64"]) func theHeadOfAWAVEHoldsNoData(name: String) {
        #expect(failure(Array((name + "....WAVEfmt ").utf8)) == .dataUnavailable)
    }

    @Test func wrongHintIsAnError() {
        #expect(failure(Array("RIFF....WAVEfmt ".utf8), hint: .mpegLayer3) == .unsupportedFileType)
        #expect(failure([UInt8](repeating: 0xFF, count: 100), hint: .wave) == .unsupportedFileType)
    }

    @Test func searchForAudioIsBounded() {
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        var pushed = 0
        #expect(throws: AudioStreamError.unsupportedFileType) {
            while pushed < 100 << 20 {
                try parser.parse(zeros.span.bytes, discontinuity: false, into: &recorder)
                pushed += zeros.count
            }
        }
        #expect(pushed <= AudioFileStreamLimits.junkByteCount + zeros.count)
    }

    /// The first bytes decide, however many there are: a box's long size may be nonsense, and comes later.
    @Test(arguments: ["ftyp", "moov", "mdat", "skip"]) func longSizesAreOfMPEG4HoweverBytesAreCut(name: String) {
        let bytes = [0, 0, 0, 1] + Array(name.utf8) + payload(500)
        for hint in [nil, .mpegLayer3] as [AudioFileType?] {
            let parser = { AudioFileStream(typeHint: hint) }
            let whole = parse(bytes, with: parser(), pieces: [bytes.count])
            #expect(parse(bytes, with: parser(), pieces: repeatElement(1, count: bytes.count)) == whole)
            let isSeen = if case .invalidFile = whole.failure { true } else { false }
            #expect(hint == nil ? isSeen : whole.failure == .unsupportedFileType)
        }
    }

    @Test func errorStays() {
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        let foreign = Array("wvpk----------------".utf8)
        for _ in 0..<2 {
            #expect(throws: AudioStreamError.unsupportedFileType) {
                try parser.parse(foreign.span.bytes, discontinuity: false, into: &recorder)
            }
        }
        #expect(throws: AudioStreamError.unsupportedFileType) { try parser.finish(into: &recorder) }
    }
}
