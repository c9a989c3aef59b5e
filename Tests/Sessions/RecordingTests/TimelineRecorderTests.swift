import AudioCore
import AudioDecoding
import AudioFileWriting
import Glibc
import StreamTestKit
import Testing

@testable import Recording

/// Packets of PCM whose samples say where they belong.
@Suite(.timeLimit(.minutes(5)))
struct TimelineRecorderTests {
    /// 16-bit mono in which frame n has the value n, modulo what fits; wider integers hold n in their lowest bits too,
    /// and floats are n / 2^15.
    private struct Song {
        var rate = 8_000.0
        var channels = 1
        var bits = 16
        var isFloat = false
        var cookie: [UInt8] = []
        var gain: Float = 1

        var stream: AudioStreamSummary {
            var summary = AudioStreamSummary()
            summary.note(
                .dataFormat(
                    .linearPCM(
                        sampleRate: rate, channels: channels, bitsPerChannel: bits, bytesPerSample: bits / 8,
                        layout: isFloat ? [.float, .bigEndian] : [.signedInteger, .bigEndian])))
            summary.note(.gain(gain))
            summary.note(.readyToProducePackets)
            return summary
        }

        func packet(_ first: Int64, _ count: Int) -> [UInt8] {
            (first..<first + Int64(count)).flatMap { frame in
                (0..<channels).flatMap { _ in sample(frame) }
            }
        }

        private func sample(_ frame: Int64) -> [UInt8] {
            let bytes = [UInt8(truncatingIfNeeded: frame >> 8), UInt8(truncatingIfNeeded: frame)]
            if isFloat {
                return withUnsafeBytes(of: (Float(frame) / 32_768).bitPattern.bigEndian) { Array($0) }
            }
            return bytes + [UInt8](repeating: UInt8(truncatingIfNeeded: frame), count: bits / 8 - 2)
        }
    }

    private final class Rig {
        let directory = TemporaryDirectory()
        var recorder: TimelineRecorder
        let song: Song

        init(_ song: Song = Song(), configure: (inout RecordingOptions) -> Void = { _ in }) throws {
            self.song = song
            var options = RecordingOptions(path: directory.path + "/out.wav")
            configure(&options)
            recorder = TimelineRecorder(options, file: try TimelineRecorder.claim(options), decoders: .builtIn)
        }

        func begin(_ epoch: UInt32 = 1, at first: Int64 = 0, _ other: Song? = nil) throws {
            try recorder.begin(Epoch(epoch), (other ?? song).stream, firstFrame: FramePosition(first))
        }

        func take(_ range: Range<Int64>, epoch: UInt32 = 1, of other: Song? = nil) throws {
            let bytes = (other ?? song).packet(range.lowerBound, range.count)
            try recorder.take(
                bytes.span.bytes, frame: FramePosition(range.lowerBound), frameCount: range.count, epoch: Epoch(epoch))
        }

        func finish(_ end: Int64, epoch: UInt32 = 1) throws {
            try recorder.finish(at: FramePosition(end), epoch: Epoch(epoch))
        }

        var isFull: Bool { recorder.isFull }

        func close() throws -> RecordingSummary {
            try recorder.close()
            return recorder.summary
        }

        /// Of the first channel.
        func frames(_ name: String = "out.wav", channels: Int = 1) throws -> [Int64] {
            let bytes = try Tool.readFile(directory.path + "/" + name)
            let header = bytes.count - (bytes.count - 80) / (2 * channels) * 2 * channels
            return stride(from: header, to: bytes.count, by: 2 * channels).map {
                Int64(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8))
            }
        }
    }

    /// The last samples of a file.
    private func samples(_ rig: Rig, _ name: String, count: Int, width: Int) throws -> [[UInt8]] {
        let bytes = Array(try Tool.readFile(rig.directory.path + "/" + name).suffix(count * width))
        return stride(from: 0, to: bytes.count, by: width).map { Array(bytes[$0..<$0 + width]) }
    }

    private func isThere(_ rig: Rig, _ name: String) -> Bool { access(rig.directory.path + "/" + name, F_OK) == 0 }

    private func silence(_ count: Int) -> [Int64] { [Int64](repeating: 0, count: count) }

    @Test func everyFrameIsAtItsPlace() throws {
        let rig = try Rig()
        try rig.begin()
        for start in stride(from: 0, to: Int64(5_000), by: 500) { try rig.take(start..<start + 500) }
        try rig.finish(5_000)
        let summary = try rig.close()
        #expect(try rig.frames() == Array(0..<5_000))
        #expect(summary.frameCount == 5_000 && summary.missingFrameCount == 0 && summary.isComplete)
        #expect(summary.duration == .milliseconds(625))
    }

    /// What is recorded is the song, not how loud it was to be heard.
    @Test func theSongsGainIsNotApplied() throws {
        let rig = try Rig(Song(gain: 0.5))
        try rig.begin()
        try rig.take(0..<1_000)
        _ = try rig.close()
        #expect(try rig.frames() == Array(0..<1_000))
    }

    @Test func aSongJoinedInTheMiddleBeginsWithTheFrameThatWasNamed() throws {
        let rig = try Rig()
        try rig.begin(at: 1_200)
        // What the decoder needs first.
        try rig.take(500..<1_000)
        try rig.take(1_000..<1_500)
        try rig.take(1_500..<2_000)
        let summary = try rig.close()
        #expect(try rig.frames() == Array(1_200..<2_000))
        #expect(summary.firstFrame == FramePosition(1_200) && !summary.isComplete)
    }

    @Test func whatIsMissingIsSilenceAndCounted() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        // Lost up to 1,700, and told to go on there.
        rig.recorder.reenter(at: FramePosition(1_700), epoch: Epoch(1))
        try rig.take(1_000..<1_500)
        try rig.take(1_500..<2_000)
        // Without a word.
        try rig.take(2_500..<3_000)
        try rig.finish(3_100)
        let summary = try rig.close()
        let expected =
            Array(0..<500) + silence(1_200) + Array(1_700..<2_000) + silence(500) + Array(2_500..<3_000) + silence(100)
        #expect(try rig.frames() == expected)
        #expect(summary.missingFrameCount == 1_800 && summary.frameCount == 3_100)
    }

    /// As after a connection that was replaced.
    @Test func whatComesAgainIsPassedOver() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        try rig.take(500..<1_000)
        rig.recorder.reenter(at: FramePosition(700), epoch: Epoch(1))
        try rig.take(0..<500)
        try rig.take(500..<1_000)
        try rig.take(1_000..<1_500)
        try rig.take(1_500..<2_000, epoch: 7)
        #expect(try rig.close().missingFrameCount == 0)
        #expect(try rig.frames() == Array(0..<1_500))
    }

    /// Padding comes before the end is told.
    @Test func paddingIsTakenOutAgain() throws {
        let rig = try Rig { $0.samples = .integer(bits: 16) }
        try rig.begin()
        // More than is held back: it is on the disk already.
        for start in stride(from: 0, to: Int64(20_000), by: 500) { try rig.take(start..<start + 500) }
        try rig.finish(9_999)
        try rig.finish(9_999)
        let summary = try rig.close()
        #expect(try rig.frames() == Array(0..<9_999))
        #expect(summary.frameCount == 9_999 && summary.isComplete)
        #expect(try Tool.readFile(rig.directory.path + "/out.wav").count == 80 + 2 * 9_999)
    }

    @Test func aNewEpochIsAppended() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        try rig.begin(2, at: 3_000)
        try rig.take(500..<1_000)
        try rig.take(3_000..<3_500, epoch: 2)
        let summary = try rig.close()
        #expect(try rig.frames() == Array(0..<500) + Array(3_000..<3_500))
        #expect(summary.paths == [rig.directory.path + "/out.wav"] && summary.missingFrameCount == 0)
    }

    /// Packets come seconds before they sound: what a seek cut off is there already, and so is the next song.
    @Test func whatACommandCutOffIsNotKept() throws {
        let rig = try Rig()
        try rig.begin()
        for start in stride(from: 0, to: Int64(20_000), by: 500) { try rig.take(start..<start + 500) }
        try rig.finish(20_000)
        try rig.begin(2)
        try rig.take(0..<500, epoch: 2)
        rig.recorder.cut(at: FramePosition(1_234), epoch: Epoch(1))
        try rig.recorder.drop(Epoch(2))
        try rig.begin(3, at: 3_000)
        try rig.take(3_000..<3_500, epoch: 3)
        let summary = try rig.close()
        #expect(try rig.frames() == Array(0..<1_234) + Array(3_000..<3_500))
        #expect(summary.frameCount == 1_734)
    }

    @Test func aPauseThatIsResumedLeavesNoTrace() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        try rig.take(500..<1_000)
        rig.recorder.cut(at: FramePosition(700), epoch: Epoch(1))
        try rig.take(1_000..<1_500)
        rig.recorder.resume(Epoch(1))
        try rig.take(1_500..<2_000)
        try rig.finish(2_000)
        try rig.begin(2)
        try rig.take(0..<500, epoch: 2)
        _ = try rig.close()
        #expect(try rig.frames() == Array(0..<2_000) + Array(0..<500))
    }

    /// It was cut before it sounded, too.
    @Test func aRecordingEndsWhereAPauseDid() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        try rig.begin(2, at: 3_000)
        try rig.take(3_000..<3_500, epoch: 2)
        rig.recorder.cut(at: FramePosition(2_000), epoch: Epoch(2))
        // Of no epoch that is known.
        rig.recorder.cut(at: FramePosition(10), epoch: Epoch(7))
        _ = try rig.close()
        #expect(try rig.frames() == Array(0..<500))
    }

    @Test func otherChannelsBeginAnotherFile() throws {
        let rig = try Rig()
        let stereo = Song(rate: 16_000, channels: 2)
        try rig.begin()
        try rig.take(0..<500)
        try rig.begin(2, stereo)
        try rig.take(0..<400, epoch: 2, of: stereo)
        let summary = try rig.close()
        #expect(try rig.frames() == Array(0..<500))
        #expect(try rig.frames("out-2.wav", channels: 2) == Array(0..<400))
        #expect(summary.paths == ["/out.wav", "/out-2.wav"].map { rig.directory.path + $0 })
        #expect(summary.frameCount == 900 && summary.duration == .microseconds(62_500 + 25_000))
    }

    /// Nothing of a song is lost, whatever came before it.
    @Test func widerSamplesBeginAnotherFile() throws {
        let rig = try Rig()
        let songs = [Song(), Song(bits: 24), Song(), Song(bits: 32, isFloat: true), Song(bits: 24), Song(bits: 32)]
        for (index, song) in songs.enumerated() {
            try rig.begin(UInt32(index), at: 300, song)
            try rig.take(300..<400, epoch: UInt32(index), of: song)
        }
        let summary = try rig.close()
        let names = ["/out.wav", "/out-2.wav", "/out-3.wav", "/out-4.wav"]
        #expect(summary.paths == names.map { rig.directory.path + $0 } && summary.frameCount == 600)
        #expect(try rig.frames() == Array(300..<400))
        let wide = (Int64(300)..<400).map { [UInt8($0 & 255), UInt8($0 & 255), UInt8($0 >> 8)] }
        let narrow = wide.map { [0, $0[1], $0[2]] }
        #expect(try samples(rig, "out-2.wav", count: 200, width: 3) == wide + narrow)
        func bytes(_ value: Float) -> [UInt8] { withUnsafeBytes(of: value.bitPattern.littleEndian) { Array($0) } }
        let floats = (300..<400).map { bytes(Float($0) / 32_768) }
        let integers = (300..<400).map { bytes(Float($0 << 8 | $0 & 255) / 8_388_608) }
        // Its significand has 24 bits.
        #expect(try samples(rig, "out-3.wav", count: 200, width: 4) == floats + integers)
        let packet = songs[5].packet(300, 100)
        let widest = stride(from: 0, to: packet.count, by: 4).map { Array(packet[$0..<$0 + 4].reversed()) }
        #expect(try samples(rig, "out-4.wav", count: 100, width: 4) == widest)
    }

    @Test func theChosenFormatIsKept() throws {
        let rig = try Rig { $0.samples = .integer(bits: 16) }
        let wide = Song(bits: 24)
        try rig.begin()
        try rig.take(0..<100)
        try rig.begin(2, wide)
        try rig.take(0..<100, epoch: 2, of: wide)
        #expect(try rig.close().paths == [rig.directory.path + "/out.wav"])
        #expect(try rig.frames().count == 200)
    }

    /// What would have followed was taken back by a pause, and something else follows.
    @Test func aFileOfWhichNothingIsHeardIsRemoved() throws {
        let rig = try Rig()
        let (stereo, other) = (Song(channels: 2), Song(rate: 16_000))
        try rig.begin()
        try rig.take(0..<500)
        try rig.finish(500)
        try rig.begin(2, stereo)
        try rig.take(0..<400, epoch: 2, of: stereo)
        rig.recorder.cut(at: FramePosition(300), epoch: Epoch(1))
        try rig.recorder.drop(Epoch(2))
        #expect(!isThere(rig, "out-2.wav") && rig.recorder.summary.frameCount == 500)
        rig.recorder.resume(Epoch(1))
        try rig.begin(3, other)
        try rig.take(0..<200, epoch: 3, of: other)
        let summary = try rig.close()
        #expect(summary.paths == ["/out.wav", "/out-2.wav"].map { rig.directory.path + $0 })
        #expect(summary.frameCount == 700 && summary.duration == .milliseconds(75))
        #expect(try rig.frames() == Array(0..<500) && rig.frames("out-2.wav") == Array(0..<200))
    }

    /// The format had changed already, and the sound is back in the one before.
    @Test(arguments: [true, false]) func aCutInAnEarlierFileIsMade(isDropped: Bool) throws {
        let rig = try Rig()
        let stereo = Song(channels: 2)
        try rig.begin()
        try rig.take(0..<500)
        try rig.finish(500)
        try rig.begin(2, stereo)
        try rig.take(0..<400, epoch: 2, of: stereo)
        rig.recorder.cut(at: FramePosition(300), epoch: Epoch(1))
        if isDropped { try rig.recorder.drop(Epoch(2)) }
        try rig.begin(3, at: 100)
        try rig.take(100..<200, epoch: 3)
        let summary = try rig.close()
        #expect(summary.paths == [rig.directory.path + "/out.wav"] && summary.frameCount == 400)
        #expect(try rig.frames() == Array(0..<300) + Array(100..<200))
        #expect(!isThere(rig, "out-2.wav"))
    }

    /// A recording that ends in a pause, with more behind it.
    /// As a broadcaster may that uses a number twice.
    @Test func anEpochThatWasBegunTwiceEndsWithItsFile() throws {
        let (stereo, mono) = (Song(channels: 2), Song())
        let rig = try Rig(stereo)
        try rig.begin()
        try rig.take(0..<400)
        try rig.begin(5)
        try rig.take(0..<400, epoch: 5)
        try rig.begin(1, at: 0, mono)
        try rig.take(0..<400, of: mono)
        try rig.recorder.drop(Epoch(5))
        // The file that is left has other channels.
        try rig.take(400..<800, of: mono)
        let summary = try rig.close()
        #expect(summary.frameCount == 400 && summary.paths.count == 1)
        #expect(try rig.frames(channels: 2) == Array(0..<400))
    }

    @Test func aRecordingEndsInAnEarlierFile() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        for index in 2..<4 {
            let song = Song(channels: index)
            try rig.begin(UInt32(index), song)
            try rig.take(0..<400, epoch: UInt32(index), of: song)
        }
        rig.recorder.cut(at: FramePosition(300), epoch: Epoch(1))
        #expect(try rig.close().paths == [rig.directory.path + "/out.wav"])
        #expect(try rig.frames() == Array(0..<300) && !isThere(rig, "out-2.wav") && !isThere(rig, "out-3.wav"))
    }

    /// The first file stays what the user named, and gets the format of what is heard first.
    @Test func theFirstFileTakesTheFormatOfItsFirstFrame() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        try rig.recorder.drop(Epoch(1))
        let stereo = Song(channels: 2)
        try rig.begin(2, stereo)
        try rig.take(0..<400, epoch: 2, of: stereo)
        #expect(try rig.close().paths == [rig.directory.path + "/out.wav"])
        #expect(try rig.frames(channels: 2) == Array(0..<400))
    }

    /// Nor does one fill a directory.
    @Test func aBroadcastThatKeepsChangingEndsTheRecording() throws {
        let rig = try Rig()
        let songs = [Song(), Song(channels: 2)]
        for index in 0..<TimelineRecorder.longestFileList {
            try rig.begin(UInt32(index), songs[index % 2])
            try rig.take(0..<1, epoch: UInt32(index), of: songs[index % 2])
        }
        #expect(throws: RecordingFailure.changes(count: 100)) { try rig.begin(1_000, songs[0]) }
        #expect(try rig.close().paths.count == 100)
    }

    @Test(arguments: [1_234, 500, 1]) func itEndsAfterSoLong(frames: Int64) throws {
        let rig = try Rig { $0.duration = TimeSpan(seconds: Double(frames) / 8_000) }
        try rig.begin()
        for start in stride(from: 0, to: Int64(3_000), by: 500) { try rig.take(start..<start + 500) }
        #expect(rig.isFull)
        try rig.finish(3_000)
        let summary = try rig.close()
        #expect(try rig.frames() == Array(0..<frames))
        #expect(summary.frameCount == frames && summary.isComplete)
    }

    @Test func silenceCountsForTheLengthToo() throws {
        let rig = try Rig { $0.duration = .milliseconds(125) }
        try rig.begin()
        try rig.take(0..<500)
        try rig.take(2_000..<2_500)
        #expect(rig.isFull)
        #expect(try rig.close().missingFrameCount == 500)
        #expect(try rig.frames() == Array(0..<500) + silence(500))
    }

    /// No number of a peer's makes a file grow.
    @Test func aBroadcastThatSkipsYearsEndsTheRecording() throws {
        let rig = try Rig()
        try rig.begin()
        try rig.take(0..<500)
        #expect(throws: RecordingFailure.skips(seconds: 1_000)) { try rig.take(8_000_500..<8_000_600) }
        let other = try Rig()
        try other.begin()
        try other.take(0..<500)
        #expect(throws: RecordingFailure.skips(seconds: 140_737_488_355)) { try other.finish(500 + 1 << 50) }
        #expect(try other.close().frameCount == 500 && other.frames() == Array(0..<500))
        // Beyond what positions are.
        try other.finish(.max)
    }

    @Test func nothingIsLeftOfNothing() throws {
        let rig = try Rig()
        #expect(access(rig.directory.path + "/out.wav", F_OK) == 0)
        #expect(try rig.close().paths.isEmpty)
        #expect(access(rig.directory.path + "/out.wav", F_OK) != 0)
    }

    @Test func aFileThatWasToBeReplacedStaysWhereNothingCame() throws {
        let directory = TemporaryDirectory()
        var options = RecordingOptions(path: directory.path + "/out.wav")
        try Tool.writeFile(options.path, [1, 2, 3])
        #expect(throws: AudioFileWritingError.exists(path: options.path)) { _ = try TimelineRecorder.claim(options) }
        options.replaces = true
        var recorder = TimelineRecorder(options, file: try TimelineRecorder.claim(options), decoders: .builtIn)
        try recorder.close()
        #expect(try Tool.readFile(options.path) == [1, 2, 3])
        options.path = directory.path + "/out.mp3"
        #expect(throws: AudioFileWritingError.unknownExtension(path: options.path)) {
            _ = try TimelineRecorder.claim(options)
        }
    }

    @Test func whatCannotBeDecodedIsSaid() throws {
        let rig = try Rig()
        var stream = AudioStreamSummary()
        stream.note(.dataFormat(AudioStreamFormat(codec: .opus, sampleRate: 48_000, channelsPerFrame: 2)))
        #expect(throws: RecordingFailure.decoding(.unsupportedCodec(.opus))) {
            try rig.recorder.begin(Epoch(1), stream, firstFrame: .zero)
        }
    }
}
