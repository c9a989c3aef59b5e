import ALSADevices
import AudioCore
import AudioFileWriting
import AudioQueueServices
import Glibc
import HostSystem
import Playout
import Recording
import SoundCardKit
import StreamTestKit
import Synchronization
import Testing

@Suite(.serialized, .timeLimit(.minutes(5))) struct DeviceRecordingTests {
    /// A recording of a captureCard's card, run on a thread of its own.
    private final class Run: Sendable {
        let recording: DeviceRecording
        let path: String
        private let thread = Mutex<HostThread?>(nil)
        private let outcome = Mutex<Result<DeviceRecordingSummary, DeviceRecordingError>?>(nil)
        private let told: Monitor<[DeviceRecordingEvent]>

        init(_ captureCard: CaptureCard, _ name: String, samples: SampleFormat? = nil, duration: TimeSpan? = nil) throws
        {
            told = try Monitor([])
            path = captureCard.directory + "/" + name
            recording = try DeviceRecording(
                input: try ALSAInput(deviceName: captureCard.card.deviceName), path: path, samples: samples,
                duration: duration)
            let thread = try HostThread(name: "recording") { [self] in
                let result = Result { () throws(DeviceRecordingError) in
                    try recording.run { event in told.change { $0.append(event) } }
                }
                outcome.withLock { $0 = result }
            }
            self.thread.withLock { $0 = thread }
        }

        var events: [DeviceRecordingEvent] {
            told.value.filter { if case .notice = $0 { false } else { true } }
        }
        var losses: [DeviceRecordingEvent] { events.filter { if case .lost = $0 { true } else { false } } }

        func waitUntilItBegan() throws {
            let hasBegun = told.wait(atMost: .seconds(20)) { events in
                events.contains { if case .began = $0 { true } else { false } }
            }
            guard hasBegun else { throw NeverHappened() }
        }

        func result() throws -> Result<DeviceRecordingSummary, DeviceRecordingError> {
            thread.withLock { $0 }?.join()
            guard let result = outcome.withLock({ $0 }) else { throw NeverHappened() }
            return result
        }

        /// The last bytes of the file: its samples.
        func samples(_ byteCount: Int) throws -> [UInt8] {
            guard let file = fopen(path, "re") else { throw NeverHappened() }
            defer { fclose(file) }
            fseek(file, -byteCount, SEEK_END)
            var bytes = [UInt8](repeating: 0, count: byteCount)
            guard fread(&bytes, 1, byteCount, file) == byteCount else { throw NeverHappened() }
            return bytes
        }
    }

    private static let kinds: [(String, MicrophoneNoise.SampleFormat)] = [
        ("a.wav", .integer16), ("a.wav", .integer24), ("a.caf", .integer24), ("a.aiff", .integer16),
        ("a.aiff", .integer32), ("a.caf", .float32), ("a.wav", .float32),
    ]

    /// The card's file equals the recording, sample for sample.
    @Test(arguments: kinds.indices) func theFileHoldsWhatWasInTheAir(index: Int) throws {
        let (name, format) = Self.kinds[index]
        let captureCard = try CaptureCard(MicrophoneNoise(format, seconds: 1))
        let run = try Run(captureCard, name, duration: .milliseconds(250))
        let summary = try run.result().get()
        #expect(summary.frameCount == 12_000)
        #expect(summary.silentFrameCount == 0)
        let size = format.byteCount
        var samples = try run.samples(12_000 * captureCard.air.frameByteCount)
        if name == "a.aiff" {
            samples = stride(from: 0, to: samples.count, by: size).flatMap { samples[$0..<$0 + size].reversed() }
        }
        let first = try #require(captureCard.air.position(of: samples.prefix(400)))
        let isRight = samples == captureCard.air.frames(first..<first + 12_000)
        #expect(isRight)
        #expect(run.losses.isEmpty)
    }

    @Test func samplesAreWrittenInTheWidthThatIsAskedFor() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(.integer16, seconds: 1))
        let run = try Run(captureCard, "a.wav", samples: .integer(bits: 24), duration: .milliseconds(250))
        #expect(try run.result().get().frameCount == 12_000)
        let wide = try run.samples(12_000 * 6)
        #expect(stride(from: 0, to: wide.count, by: 3).allSatisfy { wide[$0] == 0 })
        let samples = stride(from: 0, to: wide.count, by: 3).flatMap { [wide[$0 + 1], wide[$0 + 2]] }
        let first = try #require(captureCard.air.position(of: samples.prefix(400)))
        let isRight = samples == captureCard.air.frames(first..<first + 12_000)
        #expect(isRight)
    }

    @Test func whatWasLostIsSilenceOfTheSameLength() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 3))
        let fault = trueNow() + 700_000_000
        try captureCard.card.setFaults([.xrunAt(fault)])
        let run = try Run(captureCard, "a.wav", duration: .milliseconds(2_000))
        let summary = try run.result().get()
        #expect(summary.frameCount == 96_000)
        guard case .lost(let at, let count, .overrun)? = run.losses.first, run.losses.count == 1 else {
            Issue.record("\(run.events)")
            return
        }
        #expect(summary.silentFrameCount == count)
        let samples = try run.samples(96_000 * 4)
        let first = try #require(captureCard.air.position(of: samples.prefix(400)))
        let lost = first + Int(at)..<first + Int(at + count)
        let expected =
            captureCard.air.frames(first..<lost.lowerBound) + [UInt8](repeating: 0, count: lost.count * 4)
            + captureCard.air.frames(lost.upperBound..<first + 96_000)
        let isRight = samples == expected
        #expect(isRight)
    }

    @Test func aStopKeepsAllThatWasInTheAirUntilThen() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let run = try Run(captureCard, "a.wav")
        try run.waitUntilItBegan()
        sleepThread(for: .milliseconds(500))
        let before = HostTime.now()
        run.recording.stop()
        let after = HostTime.now()
        let summary = try run.result().get()
        let samples = try run.samples(Int(summary.frameCount) * 4)
        let first = try #require(captureCard.air.position(of: samples.prefix(400)))
        let isRight = samples == captureCard.air.frames(first..<first + Int(summary.frameCount))
        #expect(isRight)
        let end = Double(first) + Double(summary.frameCount)
        #expect(try end >= captureCard.frame(at: before) - 1 && end <= captureCard.frame(at: after) + 480)
    }

    @Test func aDeviceThatVanishesLeavesAWholeFile() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 2))
        let run = try Run(captureCard, "a.wav")
        try run.waitUntilItBegan()
        try captureCard.card.setFaults([.goneAt(trueNow() + 600_000_000)])
        guard case .failure(let error) = try run.result() else { throw NeverHappened() }
        let summary = try #require(error.recorded)
        #expect(
            error == .interrupted(.device(InputDeviceError(.lost(device: captureCard.card.deviceName))), summary))
        #expect(summary.frameCount > 20_000)
        let samples = try run.samples(Int(summary.frameCount) * 4)
        let first = try #require(captureCard.air.position(of: samples.prefix(400)))
        let isRight = samples == captureCard.air.frames(first..<first + Int(summary.frameCount))
        #expect(isRight)
    }

    @Test func aFileThatCannotBeWrittenIsRefusedBeforeAnythingRuns() throws {
        let captureCard = try CaptureCard(MicrophoneNoise(seconds: 0.1))
        func failure(_ name: String) throws -> DeviceRecordingError? {
            let input = try ALSAInput(deviceName: captureCard.card.deviceName)
            do throws(DeviceRecordingError) {
                _ = try DeviceRecording(input: input, path: captureCard.directory + "/" + name)
                return nil
            } catch { return error }
        }
        #expect(try failure("air.wav") == .file(.exists(path: captureCard.directory + "/air.wav")))
        #expect(try failure("out.mp3") == .file(.unknownExtension(path: captureCard.directory + "/out.mp3")))
        #expect(
            try failure("no/out.wav") == .file(.cannotCreate(path: captureCard.directory + "/no/out.wav", code: ENOENT))
        )
    }
}
