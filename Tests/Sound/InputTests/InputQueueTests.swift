import ALSADevices
import AudioCore
import AudioQueueServices
import Glibc
import HostSystem
import LANKit
import Playout
import SoundCardKit
import Testing

// Device loop, ring and queue together, on the software sound card's capture side; judged by what was in the air, and
// by what the card says of when.
@Suite(.serialized, .timeLimit(.minutes(5))) struct InputQueueTests {
    /// The place in the air of the frame that the queue counts as its first, and whether every buffer holds the frames
    /// that its own time says.
    private func origin(_ captured: [Captured], _ captureCard: CaptureCard) throws -> Int64 {
        let first = try #require(captured.first)
        let place = try #require(captureCard.air.position(of: first.bytes))
        let origin = Int64(place) - first.frame
        let size = captureCard.air.frameByteCount
        for buffer in captured {
            let begin = Int(buffer.frame + origin)
            #expect(!buffer.bytes.isEmpty)
            let isRight = buffer.bytes == captureCard.air.frames(begin..<begin + buffer.bytes.count / size)
            #expect(isRight, "at \(buffer.frame), \(buffer.bytes.count / size) frames")
        }
        return origin
    }

    /// Every buffer but those before a loss begins where the one before ends.
    private func gaps(_ captured: [Captured], _ captureCard: CaptureCard) -> [Range<Int64>] {
        zip(captured, captured.dropFirst()).compactMap { before, after in
            let end = before.frame + Int64(before.bytes.count / captureCard.air.frameByteCount)
            return end == after.frame ? nil : end..<max(end, after.frame)
        }
    }

    private func losses(_ queueLog: InputQueueLog) -> [Range<Int64>] {
        queueLog.events.compactMap { if case .framesLost(let at, let count, _) = $0 { at..<at + count } else { nil } }
    }

    private static let formats: [(MicrophoneNoise.SampleFormat, String, Int, Int)] = [
        (.integer16, "S16_LE", 44_100, 1), (.integer24, "S24_3LE", 48_000, 2), (.integer24, "S24_LE", 48_000, 3),
        (.integer32, "S32_LE", 96_000, 8), (.float32, "FLOAT_LE", 48_000, 2),
    ]

    @Test(arguments: formats.indices) func everyFormatComesAsItIs(index: Int) throws {
        let (kind, name, rate, channels) = Self.formats[index]
        let air = MicrophoneNoise(kind, rate: rate, channels: channels, seconds: 1)
        let captureCard = try CaptureCard(air) { $0.formats = [name] }
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        #expect(queue.format.sampleRate == Double(rate))
        #expect(queue.format.channelsPerFrame == channels)
        #expect(queue.format.bytesPerFrame == air.frameByteCount)
        #expect(queue.format.pcm.contains(.float) == (kind == .float32))
        queue.addBuffers(3)
        try queue.start()
        try queueLog.wait { $0.captured.count >= 12 }
        queue.stop()
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        _ = try origin(queueLog.captured, captureCard)
        #expect(gaps(queueLog.captured, captureCard).isEmpty)
        #expect(queueLog.captured.dropLast().allSatisfy { $0.bytes.count == 1_000 * air.frameByteCount })
        #expect(queueLog.events == [.runningChanged(true), .runningChanged(false)])
    }

    /// By what the card says of when each frame was in the air.
    @Test(arguments: [(0, false), (60, false), (-45, false), (60, true)])
    func everyBufferSaysWhenItsFirstFrameWasInTheAir(_ card: (ppm: Double, isCoarse: Bool)) throws {
        let (ppm, isCoarse) = card
        let (times, errors) = try undisturbed { try capture(ppm: ppm, isCoarse: isCoarse) }
        for (time, error) in zip(times, errors) {
            #expect(error.magnitude < time.bound + .microseconds(20), "\(error), \(time.bound)")
            if !isCoarse { #expect(error.magnitude < .microseconds(100), "\(error)") }
        }
        let last = try #require(times.last)
        // Of a coarse pointer nothing more is known after half a second than what crystals are.
        let limit = isCoarse ? 100e-6 : 50e-6
        #expect(abs(last.framesPerSecond / (48_000 * (1 + ppm * 1e-6)) - 1) < limit)
    }

    /// The times that thirty buffers say, and by how much each is wrong.
    private func capture(ppm: Double, isCoarse: Bool) throws -> (times: [DeviceInstant], errors: [TimeSpan]) {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2)) {
            $0.ppm = ppm
            $0.isCoarse = isCoarse
        }
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        try queue.start()
        try queueLog.wait { $0.captured.count >= 30 }
        queue.stop(.immediate)
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        let origin = try origin(queueLog.captured, captureCard)
        let times = queueLog.captured.map(\.time)
        let errors = try times.map { time in
            TimeSpan(seconds: (try captureCard.frame(at: time.host) - Double(time.frame.index + origin)) / 48_000)
        }
        return (times, errors)
    }

    /// In the median of three, as a busy machine may wake the loop late while the card's clock is learned.
    @Test func aStartToComeIsKeptToTheFrame() throws {
        // The first frame that is not before it; where one falls on the very instant, that or the next.
        let distances = try (0..<3).map { _ in abs(try undisturbed(delayOfAStart) - 0.5) }.sorted()
        #expect(distances[1] < 1, "\(distances)")
    }

    /// From the instant from which on frames are wanted to the first one that comes, in frames.
    private func delayOfAStart() throws -> Double {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        let start = HostTime.now() + .milliseconds(400)
        try queue.start(at: start)
        try queueLog.wait { $0.captured.count >= 5 }
        queue.stop()
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        let origin = try origin(queueLog.captured, captureCard)
        let first = try #require(queueLog.captured.first)
        return Double(first.frame + origin) - (try captureCard.frame(at: start))
    }

    @Test func aPauseLeavesOutWhatIsInTheAirMeanwhileAndNothingElse() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 3))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(4)
        try queue.start()
        // The queue reads the clock between our readings.
        var instants: [(pause: (HostTime, HostTime), start: (HostTime, HostTime))] = []
        for _ in 0..<3 {
            let count = queueLog.captured.count
            try queueLog.wait { $0.captured.count >= count + 7 }
            let pausing = HostTime.now()
            queue.pause()
            let paused = HostTime.now()
            #expect(queue.snapshot.isPaused)
            sleepThread(for: .milliseconds(70))
            let starting = HostTime.now()
            try queue.start()
            instants.append(((pausing, paused), (starting, .now())))
        }
        let count = queueLog.captured.count
        try queueLog.wait { $0.captured.count >= count + 7 }
        queue.stop()
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        let origin = try origin(queueLog.captured, captureCard)
        let gaps = gaps(queueLog.captured, captureCard)
        #expect(gaps.count == 3)
        #expect(losses(queueLog).isEmpty)
        for (gap, instants) in zip(gaps, instants) {
            for (edge, span) in [(gap.lowerBound, instants.pause), (gap.upperBound, instants.start)] {
                let frame = Double(edge + origin)
                // The first frame at that instant or later; times of frames are right to 100 us, as above.
                #expect(try frame > captureCard.frame(at: span.0) - 1 && frame < captureCard.frame(at: span.1) + 6)
            }
        }
    }

    @Test func aDrainHandsOverAllThatWasInTheAirUntilThen() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        try queue.start()
        try queueLog.wait { $0.captured.count >= 10 }
        let before = HostTime.now()
        queue.stop(.drained)
        let after = HostTime.now()
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        let origin = try origin(queueLog.captured, captureCard)
        #expect(gaps(queueLog.captured, captureCard).isEmpty)
        let last = try #require(queueLog.captured.last)
        let end = Double(last.frame + origin) + Double(last.bytes.count / captureCard.air.frameByteCount)
        #expect(try end >= captureCard.frame(at: before) - 1)
        #expect(try end <= captureCard.frame(at: after) + 2)
    }

    @Test func anImmediateStopHandsOverNoMore() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        try queue.start()
        try queueLog.wait { $0.captured.count >= 10 }
        queue.stop(.immediate)
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        let count = queueLog.captured.count
        #expect(queueLog.captured.allSatisfy { $0.bytes.count == 4_000 })
        #expect(queue.snapshot.enqueuedBufferCount == 3)
        sleepThread(for: .milliseconds(50))
        #expect(queueLog.captured.count == count)
    }

    @Test func afterAStopItStartsAnew() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 3))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        for round in 1...2 {
            let count = queueLog.captured.count
            try queue.start()
            try queueLog.wait { $0.captured.count >= count + 10 }
            queue.stop()
            try queueLog.wait { $0.events.filter { $0 == .runningChanged(false) }.count == round }
            let captured = Array(queueLog.captured.dropFirst(count))
            _ = try origin(captured, captureCard)
            #expect(gaps(captured, captureCard).isEmpty)
            #expect(captured[0].frame < 4_800)
        }
    }

    /// Starts that come while it is being stopped, and one after the device was lost: nobody waits for anybody for
    /// ever.
    @Test func startsAndStopsFollowEachOtherAtOnce() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 3))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        for round in 0..<40 {
            try queue.start()
            if round % 3 == 0 { sleepThread(for: .milliseconds(7)) }
            if round % 5 == 0 { queue.pause() }
            queue.stop(round % 2 == 0 ? .immediate : .drained)
        }
        try queue.start()
        try captureCard.card.setFaults([.goneAt(trueNow() + 30_000_000)])
        try queueLog.wait { $0.events.contains { if case .deviceLost = $0 { true } else { false } } }
        try captureCard.card.setFaults([])
        try queue.start()
        try queueLog.wait { $0.events.filter { if case .deviceLost = $0 { true } else { false } }.count == 2 }
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        #expect(!queue.snapshot.isRunning)
    }

    /// All buffers are away for longer than the ring lasts.
    @Test func framesWithoutBufferAreToldWithTheirPlace() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 5))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog, returnsBuffers: false)
        queue.addBuffers(10)
        try queue.start()
        try queueLog.wait { $0.captured.count == 10 }
        // The ring holds two seconds, and what it takes to make that a power of two.
        sleepThread(for: .milliseconds(3_200))
        #expect(losses(queueLog).isEmpty)
        queue.addBuffers(200)
        try queueLog.wait { $0.captured.count >= 140 }
        queue.stop()
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        _ = try origin(queueLog.captured, captureCard)
        let gaps = gaps(queueLog.captured, captureCard)
        try #require(gaps.count == 1)
        #expect(losses(queueLog) == gaps)
        #expect(queueLog.events.contains { if case .framesLost(_, _, .noBuffer) = $0 { true } else { false } })
        let snapshot = queue.snapshot
        #expect(snapshot.lostFrameCount == Int64(gaps[0].count))
        #expect(snapshot.deliveredFrameCount == Int64(queueLog.bytes.count / captureCard.air.frameByteCount))
    }

    @Test func aDrainWithoutBuffersTellsWhatIsMissing() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 5))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog, returnsBuffers: false)
        queue.addBuffers(5)
        try queue.start()
        try queueLog.wait { $0.captured.count == 5 }
        sleepThread(for: .milliseconds(100))
        queue.stop(.drained)
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        let missing = try #require(losses(queueLog).first)
        let last = try #require(queueLog.captured.last)
        #expect(missing.lowerBound == last.frame + 1_000)
        #expect(missing.count > 4_000 && missing.count < 48_000)
    }

    @Test(arguments: [0, 60.0]) func framesLostInXrunsAreToldAndTimeIsKept(ppm: Double) throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 4)) { $0.ppm = ppm }
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        try queue.start()
        try queueLog.wait { $0.captured.count >= 20 }
        for round in 1...3 {
            try captureCard.card.setFaults([.xrunAt(trueNow() + 60_000_000)])
            let count = queueLog.captured.count
            try queueLog.wait { $0.captured.count >= count + 30 && losses($0).count >= round }
        }
        queue.stop()
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        // The numbers are right on both sides of each loss: every buffer is where it says.
        _ = try origin(queueLog.captured, captureCard)
        #expect(try captureCard.timing().events.filter { $0 == "xrun" }.count == 3)
        #expect(losses(queueLog) == gaps(queueLog.captured, captureCard))
        #expect(losses(queueLog).count == 3)
        #expect(queue.snapshot.overrunCount == 3)
    }

    /// Less at most two periods, which were not read. In the median of five, as on a busy machine what reads the device
    /// may have to wait in that very moment.
    @Test func aDeviceThatVanishesIsToldAfterItsLastFrames() throws {
        let missing = try (0..<5).map { _ in try missingOfAVanishedDevice() }.sorted()
        #expect(missing[2] < 1_200, "\(missing)")
    }

    /// How many frames were in the air before a device vanished, and were not handed over.
    private func missingOfAVanishedDevice() throws -> Double {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        try queue.start()
        try queueLog.wait { $0.captured.count >= 10 }
        let vanishes = trueNow() + 100_000_000
        try captureCard.card.setFaults([.goneAt(vanishes)])
        try queueLog.wait { $0.events.last == .runningChanged(false) }
        let error = InputDeviceError(.lost(device: captureCard.card.deviceName))
        #expect(queueLog.events == [.runningChanged(true), .deviceLost(error), .runningChanged(false)])
        let origin = try origin(queueLog.captured, captureCard)
        let last = try #require(queueLog.captured.last)
        let end = Double(last.frame + origin) + Double(last.bytes.count / captureCard.air.frameByteCount)
        let missing = try captureCard.frame(at: HostTime(nanoseconds: vanishes)) - end
        try queue.start()
        try queueLog.wait { $0.events.filter { $0 == .deviceLost(error) }.count == 2 }
        return missing
    }

    @Test func aDeviceThatStandsStillIsTold() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let queueLog = InputQueueLog()
        let queue = try captureCard.queue(queueLog)
        queue.addBuffers(3)
        try queue.start()
        try queueLog.wait { $0.captured.count >= 10 }
        try captureCard.card.setFaults([.stallAt(trueNow() + 50_000_000)])
        let error = InputDeviceError(.standsStill(device: captureCard.card.deviceName))
        try queueLog.wait { $0.events.contains(.deviceLost(error)) }
        #expect("\(error)".contains("gives no more sound"))
        _ = try origin(queueLog.captured, captureCard)
    }

    @Test func aHandleThatGoesEndsTheQueue() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let queueLog = InputQueueLog()
        try {
            let queue = try captureCard.queue(queueLog)
            queue.addBuffers(3)
            try queue.start()
            try queueLog.wait { $0.captured.count >= 5 }
        }()
        let count = queueLog.captured.count
        // The device is closed: it can be opened again.
        _ = try ALSAInput(deviceName: captureCard.card.deviceName)
        #expect(queueLog.captured.count == count)
    }

    @Test func aDeviceThatCannotBeUsedIsRefusedInOneLine() throws {
        func failure(_ name: String, rate: Int? = nil, channels: Int? = nil) -> InputDeviceError? {
            do throws(InputDeviceError) {
                _ = try ALSAInput(deviceName: name, rate: rate, channelCount: channels)
                return nil
            } catch { return error }
        }
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 0.1))
        let name = captureCard.card.deviceName
        #expect(failure("nonsense") == InputDeviceError(.unknownDevice(name: "nonsense")))
        #expect(failure("nonsense").map { "\($0)" }?.contains("records is called 'nonsense'") == true)
        let silent = SoftwareCard(recording: captureCard.directory + "/heard.wav").deviceName
        #expect(failure(silent) == InputDeviceError(.unknownDevice(name: silent)))
        #expect(
            failure(name, rate: 44_100)
                == InputDeviceError(
                    .unsupportedConfiguration(device: name, reason: "it runs at 48000 Hz, not at 44100")))
        #expect(
            failure(name, channels: 5)
                == InputDeviceError(.unsupportedConfiguration(device: name, reason: "it has 2 channels")))
        let first = try ALSAInput(deviceName: name)
        #expect(failure(name) == InputDeviceError(.busy(device: name)))
        withExtendedLifetime(first) {}
    }
}
