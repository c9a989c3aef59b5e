import AudioCore
@testable import Playout
import Testing

/// A microphone in virtual time: a card whose frame n of the air is there at `origin + n / rate`.
private struct VirtualMicrophone: ~Copyable {
    static let chunk = 480
    let control: CaptureControl
    var writer: CaptureWriter
    let rate: Double
    let origin: Int64
    /// The air's frame that is read next.
    var air: Int64 = 0
    private var random: UInt64 = 1

    init(ppm: Double = 0, origin: Int64 = 5_000_000_000) {
        rate = 48_000 * (1 + ppm * 1e-6)
        self.origin = origin
        control = CaptureControl(
            for: InputDeviceDescription(
                name: "virtual",
                format: .linearPCM(
                    sampleRate: 48_000, channels: 1, bitsPerChannel: 32, bytesPerSample: 4, layout: .signedInteger),
                chunkFrameCount: Self.chunk, buffer: .milliseconds(500)))
        writer = CaptureWriter(control: control, rate: 48_000)
    }

    func host(_ frame: Int64) -> HostTime {
        HostTime(nanoseconds: origin + Int64((Double(frame) / rate * 1e9).rounded()))
    }

    /// Captures frames, each of which holds its own number, with a reading about every millisecond.
    mutating func capture(_ frameCount: Int) {
        for _ in 0..<(frameCount / Self.chunk) {
            for part in 1...10 {
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let delay = Self.chunk / 10 * part - Int(random >> 59)
                writer.note(
                    delay: delay, host: host(air + Int64(delay)), occasion: part == 10 ? .wake : .poll, slack: .zero,
                    isTimely: true)
            }
            let memory = writer.memory
            for index in 0..<Self.chunk {
                memory.storeBytes(
                    of: Int32(truncatingIfNeeded: air + Int64(index)), toByteOffset: index * 4, as: Int32.self)
            }
            writer.commit(Self.chunk)
            air += Int64(Self.chunk)
        }
    }

    /// Frames pass that nobody reads, and the device starts anew.
    mutating func breakOff(for frameCount: Int64) {
        air += frameCount
        writer.deviceDidRestart()
    }
}

private struct Taken: Equatable {
    var frame: Int64
    var content: [Int32]
    var run: Int
    var host: Int64?
}

private func takeAll(_ control: CaptureControl, atMost: Int = .max) -> [Taken] {
    var all: [Taken] = []
    while control.take({ frames in
        let count = min(frames.frameCount, atMost)
        let content = (0..<count).map { frames.bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
        all.append(
            Taken(frame: frames.frame, content: content, run: frames.run, host: frames.instant?.host.nanoseconds))
        return count
    }) {}
    return all
}

@Suite(.timeLimit(.minutes(5))) struct CaptureWriterTests {
    @Test(arguments: [0, 60, -45.0]) func framesComeInOrderEachWithItsInstant(ppm: Double) {
        var microphone = VirtualMicrophone(ppm: ppm)
        microphone.capture(48_000)
        let taken = takeAll(microphone.control)
        #expect(taken.flatMap(\.content) == (0..<48_000).map { Int32($0) })
        for chunk in taken {
            #expect(chunk.frame == Int64(chunk.content[0]))
            let error = (chunk.host ?? 0) - microphone.host(chunk.frame).nanoseconds
            #expect(abs(error) < 1_000, "\(error) ns")
        }
    }

    @Test func nothingIsShownBeforeTheClockIsKnown() {
        var microphone = VirtualMicrophone()
        microphone.capture(960)
        #expect(takeAll(microphone.control).isEmpty)
        microphone.capture(9_600)
        #expect(takeAll(microphone.control).flatMap(\.content).count == 10_560)
    }

    @Test func whatIsThereWhenTheDeviceEndsIsShownAllTheSame() {
        var microphone = VirtualMicrophone()
        microphone.capture(960)
        microphone.writer.finish()
        #expect(takeAll(microphone.control).flatMap(\.content).count == 960)
    }

    @Test func aChunkIsTakenInParts() {
        var microphone = VirtualMicrophone()
        microphone.capture(9_600)
        let taken = takeAll(microphone.control, atMost: 7)
        #expect(taken.flatMap(\.content) == (0..<9_600).map { Int32($0) })
        #expect(taken.allSatisfy { $0.frame == Int64($0.content[0]) })
    }

    @Test func framesThatFindTheRingFullAreCountedAndKeepTheirNumbers() {
        var microphone = VirtualMicrophone()
        microphone.capture(144_000)
        #expect(microphone.control.overflowFrameCount > 0)
        let first = takeAll(microphone.control)
        microphone.capture(4_800)
        let second = takeAll(microphone.control)
        #expect((first + second).allSatisfy { $0.frame == Int64($0.content[0]) && $0.run == 0 })
        let held = Int64(first.flatMap(\.content).count)
        #expect(held >= 96_000)
        #expect(second.first?.frame == 144_000)
        #expect(microphone.control.overflowFrameCount == 144_000 - held)
    }

    /// The numbers go on in the air's count, however often the device breaks off.
    @Test(arguments: [0, 77, -30.0]) func framesLostInAnXrunAreCounted(ppm: Double) {
        var microphone = VirtualMicrophone(ppm: ppm)
        var taken: [Taken] = []
        microphone.capture(24_000)
        for lost in [1, 333, 24_017, 90_001] as [Int64] {
            microphone.breakOff(for: lost)
            microphone.capture(24_000)
            taken += takeAll(microphone.control)
        }
        #expect(taken.flatMap(\.content).count == 5 * 24_000)
        #expect(taken.allSatisfy { $0.frame == Int64($0.content[0]) })
        #expect(Set(taken.map(\.run)) == [0, 1, 2, 3, 4])
        #expect(microphone.control.restartCount == 4)
    }

    @Test func aRunThatBreaksOffBeforeItsClockIsKnownIsPlacedByItsReadings() {
        var microphone = VirtualMicrophone()
        microphone.capture(24_000)
        for _ in 0..<20 {
            microphone.breakOff(for: 4_800)
            microphone.capture(480)
        }
        microphone.capture(24_000)
        let taken = takeAll(microphone.control)
        #expect(taken.flatMap(\.content).count == 24_000 + 20 * 480 + 24_000)
        #expect(taken.allSatisfy { $0.frame == Int64($0.content[0]) })
    }

    @Test func aDeviceWhoseReadingsAreWorthNothingIsRecordedAllTheSame() {
        var microphone = VirtualMicrophone()
        for _ in 0..<120 {
            microphone.writer.note(
                delay: 480, host: microphone.host(microphone.air + 480), occasion: .wake, slack: .zero, isTimely: false)
            microphone.writer.commit(480)
            microphone.air += 480
        }
        let taken = takeAll(microphone.control)
        #expect(taken.map(\.content.count).reduce(0, +) == 120 * 480)
        #expect(taken.allSatisfy { $0.host != nil })
    }
}
