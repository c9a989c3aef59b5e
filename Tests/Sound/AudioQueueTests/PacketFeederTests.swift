import AudioCore
import AudioDecoding
import AudioQueueServices
import Playout
import Testing

@Suite(.timeLimit(.minutes(5))) struct PacketFeederTests {
    var feeder = PacketFeeder(decoders: .builtIn)

    private func song(_ frames: Range<Int64>) -> [Float] { frames.map(CountingSong.value(at:)) }

    /// Begins anew with other limits.
    private mutating func limit(_ adapt: (inout TimelineQueueLimits) -> Void) {
        var limits = TimelineQueueLimits()
        adapt(&limits)
        feeder = PacketFeeder(decoders: .builtIn, limits: limits)
    }

    /// Begins a song, and feeds the first five seconds of it as far as the ring takes them.
    /// - Returns: how many packets wait then.
    private mutating func fillUp() throws -> Int {
        _ = try feeder.begin(CountingSong.stream())
        for frame in stride(from: Int64(0), to: 40_000, by: 100) { feeder.enqueue(at: frame) }
        feeder.feedAll()
        return feeder.snapshot.queuedPacketCount
    }

    @Test mutating func everyFrameGoesToTheRing() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        for frame in stride(from: Int64(0), to: 1_000, by: 100) { feeder.enqueue(at: frame) }
        #expect(feeder.feedAll() == .idle)
        #expect(rendition.frames == song(0..<1_000))
    }

    @Test mutating func primingIsDecodedAndNotHeard() throws {
        let rendition = try feeder.begin(CountingSong.stream(primingFrameCount: 150))
        for frame in stride(from: Int64(-150), to: 350, by: 100) { feeder.enqueue(at: frame) }
        feeder.feedAll()
        #expect(rendition.frames == song(0..<350))
    }

    @Test mutating func aJoinerHearsNothingBeforeItsFirstFrame() throws {
        let rendition = try feeder.begin(CountingSong.stream(firstFrame: 730))
        for frame in stride(from: Int64(400), to: 1_000, by: 100) { feeder.enqueue(at: frame) }
        feeder.feedAll()
        #expect(rendition.frames == song(730..<1_000))
        #expect(feeder.snapshot.gapCount == 0)
    }

    @Test mutating func nothingIsHeardFromTheEndOn() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        feeder.finish(at: FramePosition(250), packetsFollow: true, epoch: Epoch(1))
        for frame in stride(from: Int64(0), to: 500, by: 100) { feeder.enqueue(at: frame) }
        #expect(feeder.feedAll() == .idle)
        #expect(rendition.frames == song(0..<250))
    }

    @Test mutating func aLostPacketIsSilenceInItsPlace() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        for frame: Int64 in [0, 100, 400, 500] { feeder.enqueue(at: frame) }
        feeder.feedAll()
        let frames = rendition.frames
        #expect(frames.count == 600)
        #expect(Array(frames[..<200]) == song(0..<200))
        // 5 ms are 40 frames: the sound dies away, stays silent, and comes in again.
        #expect(zip(frames[200..<240], frames[201..<241]).allSatisfy { $0 > $1 || $1 == 0 })
        #expect(frames[240..<400].allSatisfy { $0 == 0 })
        #expect(zip(frames[400..<440], song(400..<440)).allSatisfy { $0 < $1 })
        #expect(Array(frames[440...]) == song(440..<600))
        #expect(feeder.snapshot.gapCount == 1)
        #expect(feeder.snapshot.missingFrameCount == 200)
    }

    @Test mutating func whatWarmsTheDecoderUpBehindAGapIsNotHeard() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        for frame: Int64 in [0, 100] { feeder.enqueue(at: frame) }
        feeder.reenter(at: FramePosition(650), epoch: Epoch(1))
        for frame: Int64 in [400, 500, 600, 700] { feeder.enqueue(at: frame) }
        feeder.feedAll()
        let frames = rendition.frames
        #expect(frames.count == 800)
        #expect(frames[240..<650].allSatisfy { $0 == 0 })
        #expect(zip(frames[651..<690], song(651..<690)).allSatisfy { $0 > 0 && $0 < $1 })
        #expect(Array(frames[690...]) == song(690..<800))
    }

    @Test mutating func packetsThatFollowWithoutAGapAreHeardWhateverWasAnnounced() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        for frame: Int64 in [0, 100] { feeder.enqueue(at: frame) }
        feeder.reenter(at: FramePosition(350), epoch: Epoch(1))
        for frame: Int64 in [100, 200, 300, 400] { feeder.enqueue(at: frame) }
        feeder.feedAll()
        #expect(rendition.frames == song(0..<500))
        // It is of no account for a gap that comes later.
        feeder.enqueue(at: 700)
        feeder.feedAll()
        #expect(Array(rendition.frames[740...]) == song(740..<800))
    }

    @Test mutating func aGapBeforeTheFirstPacketIsSilence() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        feeder.enqueue(at: 300)
        feeder.feedAll()
        #expect(rendition.frames[..<300].allSatisfy { $0 == 0 })
        #expect(Array(rendition.frames[340...]) == song(340..<400))
    }

    @Test mutating func whatIsMissingAtTheEndIsSilence() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        feeder.enqueue(at: 0)
        feeder.finish(at: FramePosition(900), packetsFollow: false, epoch: Epoch(1))
        #expect(feeder.feedAll() == .idle)
        #expect(rendition.frames.count == 900)
        #expect(rendition.frames[140...].allSatisfy { $0 == 0 })
    }

    @Test mutating func duplicatesAndLatecomersAreDropped() throws {
        let rendition = try feeder.begin(CountingSong.stream())
        #expect(feeder.enqueue(at: 0) == .accepted)
        #expect(feeder.enqueue(at: 0) == .stale)
        #expect(feeder.enqueue(at: 100) == .accepted)
        feeder.feedAll()
        #expect(feeder.enqueue(at: 100) == .stale)
        #expect(feeder.enqueue(at: 50) == .stale)
        #expect(feeder.enqueue(at: 200) == .accepted)
        feeder.feedAll()
        #expect(rendition.frames == song(0..<300))
        #expect(feeder.snapshot.stalePacketCount == 3)
    }

    @Test mutating func packetsBeyondTheQueuedSpanAreRefused() throws {
        limit { $0.queuedSpan = .milliseconds(25) }
        _ = try feeder.begin(CountingSong.stream())
        #expect(feeder.enqueue(at: 0) == .accepted)
        #expect(feeder.enqueue(at: 100) == .accepted)
        #expect(feeder.enqueue(at: 200) == .full)
        feeder.feedAll()
        #expect(feeder.enqueue(at: 200) == .accepted)
        #expect(feeder.snapshot.refusedPacketCount == 1)
    }

    @Test mutating func whatWaitedWhileTheMachineSleptGivesWayToWhatCanBeHeard() throws {
        let waiting = try fillUp()
        // A minute later the sound goes on, with a packet before it for the decoder.
        feeder.reenter(at: FramePosition(520_000), epoch: Epoch(1))
        for frame in stride(from: Int64(519_900), to: 600_000, by: 100) {
            #expect(feeder.enqueue(at: frame) == .accepted)
        }
        #expect(feeder.snapshot.stalePacketCount == waiting)
        #expect(feeder.snapshot.refusedPacketCount == 0)
        #expect(feeder.snapshot.queuedPacketCount == 801)
    }

    /// The held end and the new beginning fit together, the rest does not.
    @Test mutating func whatWaitedInASleepAsLongAsTheSpanGivesWayStepByStep() throws {
        let waiting = try fillUp()
        feeder.reenter(at: FramePosition(96_000), epoch: Epoch(1))
        for frame in stride(from: Int64(96_000), to: 176_000, by: 100) {
            #expect(feeder.enqueue(at: frame) == .accepted)
        }
        #expect(feeder.snapshot.stalePacketCount == waiting)
        #expect(feeder.snapshot.queuedPacketCount == 800)
    }

    @Test mutating func aGapWithinTheQueuedSpanVoidsNothing() throws {
        let waiting = try fillUp()
        feeder.reenter(at: FramePosition(60_000), epoch: Epoch(1))
        #expect(feeder.enqueue(at: 60_000) == .accepted)
        #expect(feeder.enqueue(at: 200_000) == .full)
        #expect(feeder.snapshot.queuedPacketCount == waiting + 1)
    }

    @Test mutating func packetsBeyondTheQueuedBytesAreRefused() throws {
        limit { $0.queuedByteCount = 300 }
        _ = try feeder.begin(CountingSong.stream())
        #expect(feeder.enqueue(at: 0) == .accepted)
        #expect(feeder.enqueue(at: 100) == .full)
    }

    @Test mutating func aFullRingStopsDecoding() throws {
        limit { $0.decodedSpan = .milliseconds(100) }
        let rendition = try feeder.begin(CountingSong.stream())
        for frame in stride(from: Int64(0), to: 20_000, by: 100) { feeder.enqueue(at: frame) }
        #expect(feeder.feedAll() == .ringFull)
        let held = Int64(rendition.frames.count)
        #expect(rendition.frames == song(0..<held))
        #expect(feeder.snapshot.queuedFrameCount == 20_000 - held)
    }

    @Test mutating func aNewEpochVoidsTheOldOne() throws {
        _ = try feeder.begin(CountingSong.stream(epoch: 1))
        feeder.enqueue(at: 0, epoch: 1)
        let rendition = try feeder.begin(CountingSong.stream(epoch: 2, firstFrame: 500))
        #expect(feeder.enqueue(at: 100, epoch: 1) == .notPlaying)
        #expect(feeder.enqueue(at: 500, epoch: 2) == .accepted)
        feeder.feedAll()
        #expect(rendition.frames == song(500..<600))
    }

    @Test mutating func impossiblePacketsAreDropped() throws {
        _ = try feeder.begin(CountingSong.stream())
        let bytes: [UInt8] = [0, 0]
        for (frame, count) in [(Int64.max, 1), (.min, 1), (0, 0), (0, -1), (0, 1 << 40)] {
            let admission = feeder.enqueue(
                bytes.span.bytes, frame: FramePosition(frame), frameCount: count, epoch: Epoch(1))
            #expect(admission == .invalid)
        }
        #expect(feeder.snapshot.invalidPacketCount == 5)
    }

    @Test mutating func anUnknownCodecIsRefusedAndTheOldEpochIsGone() throws {
        _ = try feeder.begin(CountingSong.stream())
        var stream = CountingSong.stream(epoch: 2)
        stream.format.codec = Codec("????")
        _ = try feeder.begin(stream)
        #expect(feeder.enqueue(at: 0, epoch: 1) == .notPlaying)
        #expect(feeder.enqueue(at: 0, epoch: 2) == .accepted)
        #expect(feeder.feed() == .cannotDecode(.unsupportedCodec(Codec("????"))))
        #expect(feeder.feed() == .idle)
        #expect(feeder.enqueue(at: 100, epoch: 2) == .notPlaying)
        #expect(feeder.snapshot.queuedPacketCount == 0)
    }

    @Test mutating func aFormatThatNoDecoderCanHaveIsRefusedAtOnce() throws {
        var stream = CountingSong.stream()
        stream.format.channelsPerFrame = 0
        #expect(throws: AudioDecodingError.self) { try feeder.begin(stream) }
        #expect(feeder.enqueue(at: 0) == .notPlaying)
        #expect(feeder.feed() == .idle)
    }

    @Test mutating func aDecoderThatGivesUpIsReportedOnce() throws {
        var catalog = DecoderCatalog()
        catalog.register(.linearPCM) { (_, _) throws(AudioDecodingError) in FailingDecoder() }
        feeder = PacketFeeder(decoders: catalog)
        _ = try feeder.begin(CountingSong.stream())
        feeder.enqueue(at: 0)
        feeder.enqueue(at: 100)
        #expect(feeder.feed() == .failed(.formatChanged))
        #expect(feeder.feed() == .idle)
        #expect(feeder.enqueue(at: 200) == .notPlaying)
    }
}

private final class FailingDecoder: AudioPacketDecoder {
    let sampleRate = CountingSong.rate
    let channelCount = 1
    let damagedPacketCount = 0

    func decode(packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>) throws(AudioDecodingError) {
        throw .formatChanged
    }

    func reset(streamFrame: Int64) {}
}
