import ALSADevices
import AudioCore
import AudioQueueServices
import Glibc
import HeardAnalysis
import HostSystem
import Playout
import SoundCardKit
import Synchronization

/// A software card with something in the air, in a directory of its own that goes away with it.
final class CaptureCard {
    let directory: String
    let air: MicrophoneNoise
    var card: SoftwareCard

    init(_ air: MicrophoneNoise, _ adapt: (inout SoftwareCard) -> Void = { _ in }) throws {
        SoftwareCard.useOwnConfiguration()
        directory = String(cString: mkdtemp(strdup("/tmp/tutti-input-XXXXXX")))
        self.air = air
        card = SoftwareCard(recording: directory + "/heard.wav")
        card.source = directory + "/air.wav"
        adapt(&card)
        try air.write(to: directory + "/air.wav")
    }

    deinit {
        for name in [
            "heard.wav.control", "heard.wav.lock", "air.wav", "air.wav.timing", "air.wav.lock", "a.wav", "a.aiff",
            "a.caf",
        ] {
            unlink(directory + "/" + name)
        }
        rmdir(directory)
    }

    /// What the card says: when the first frame of the air was there, and how many follow in a second.
    func timing() throws -> (host: HostTime, framesPerSecond: Double, events: [String]) {
        let heard = try HeardRecording(path: directory + "/air.wav")
        guard let segment = heard.segments.first else { throw NeverHappened() }
        return (HostTime(nanoseconds: segment.host.nanoseconds), segment.framesPerSecond, heard.events.map(\.name))
    }

    /// The frame of the air at an instant, by what the card says.
    func frame(at host: HostTime) throws -> Double {
        let timing = try timing()
        return (host - timing.host).seconds * timing.framesPerSecond
    }
}

/// A buffer as the handler saw it.
struct Captured: Equatable {
    var time: DeviceInstant
    var bytes: [UInt8]

    var frame: Int64 { time.frame.index }
}

/// What a queue handed over and told, to be waited for.
final class InputQueueLog: Sendable {
    private let state = Mutex<(captured: [Captured], events: [InputQueueEvent])>(([], []))
    private let arrived: WakeSignal

    init() {
        do { arrived = try WakeSignal() } catch { fatalError("no eventfd: \(error.code)") }
    }

    func note(_ event: InputQueueEvent) {
        state.withLock { $0.events.append(event) }
        arrived.signal()
    }

    func note(_ captured: Captured) {
        state.withLock { $0.captured.append(captured) }
        arrived.signal()
    }

    var captured: [Captured] { state.withLock { $0.captured } }
    /// What was told, but for what is said to people.
    var events: [InputQueueEvent] {
        state.withLock { $0.events.filter { if case .notice = $0 { false } else { true } } }
    }
    var bytes: [UInt8] { captured.flatMap(\.bytes) }

    /// Waits until this holds, or half a minute has passed.
    func wait(until isSo: (InputQueueLog) -> Bool) throws {
        let deadline = HostTime.now() + .seconds(30)
        while !isSo(self) {
            guard HostTime.now() < deadline else { throw NeverHappened() }
            arrived.wait(atMost: .milliseconds(500))
        }
    }
}

struct NeverHappened: Error {}

extension CaptureCard {
    /// A queue on this card, without buffers, whose events and buffers are logged; each buffer is given back.
    func queue(_ queueLog: InputQueueLog, returnsBuffers: Bool = true) throws -> InputQueue {
        try InputQueue(input: try ALSAInput(deviceName: card.deviceName)) {
            queueLog.note($0)
        } handler: { buffer in
            queueLog.note(
                Captured(time: buffer.time, bytes: buffer.withBytes { span in span.withUnsafeBytes { Array($0) } }))
            if returnsBuffers { return buffer }
            return nil
        }
    }
}

extension InputQueue {
    /// Gives itself so many buffers.
    func addBuffers(_ count: Int, frames: Int = 1_000) {
        for _ in 0..<count { enqueue(makeBuffer(frameCapacity: frames)) }
    }
}
