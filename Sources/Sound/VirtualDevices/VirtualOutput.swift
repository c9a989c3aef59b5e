import AudioCore
import HostSystem
import Playout
import Synchronization

/// A virtual sound card on host time: it runs at exactly its nominal rate from the moment it starts.
///
/// For machines without a sound card, and for tests. Frame n leaves it at start + n / rate; if its thread wakes late,
/// it catches up, and nothing is lost.
public final class VirtualOutput: OutputDevice {
    public let description: OutputDeviceDescription
    /// Used only by the running thread; the compiler requires the lock, which is never contended.
    private let recording: Mutex<WaveRecording?>
    private let thread = Mutex<HostThread?>(nil)
    private let wake: WakeSignal
    private let isStopping = Atomic(false)

    /// How far ahead of what is heard frames are rendered: no more than a small real card holds.
    private static let lead = TimeSpan.milliseconds(20)
    private static let tick = TimeSpan.milliseconds(5)

    /// Makes an output that discards its sound, at the host clock's pace.
    public static func null(rate: Double = 48_000, channelCount: Int = 2) throws(OutputDeviceError) -> VirtualOutput {
        try VirtualOutput(name: "null", rate: rate, channelCount: channelCount, recording: nil)
    }

    /// Makes an output that writes a WAVE file of 32-bit floats. A sidecar beside it gives the time of the first frame
    /// (`RecordingSidecar`, in host time).
    ///
    /// Replaces an existing file. The file's header is right at any moment, even if the process is killed; beyond 4 GiB
    /// it states a length of 4 GiB.
    public static func file(
        path: String, rate: Double = 48_000, channelCount: Int = 2
    ) throws(OutputDeviceError) -> VirtualOutput {
        let recording = try WaveRecording.create(path: path, sampleRate: rate, channelCount: channelCount)
        return try VirtualOutput(name: "file:\(path)", rate: rate, channelCount: channelCount, recording: recording)
    }

    private init(
        name: String, rate: Double, channelCount: Int, recording: consuming sending WaveRecording?
    ) throws(OutputDeviceError) {
        precondition(Limits.sampleRateRange.contains(rate) && Limits.channelRange.contains(channelCount))
        description = OutputDeviceDescription(
            name: name, rate: rate, channelCount: channelCount, sampleFormat: "32-bit float", buffer: Self.lead,
            period: Self.tick)
        self.recording = Mutex(recording)
        do {
            wake = try WakeSignal()
        } catch {
            throw .failed(device: name, operation: "open", code: error.code, reason: "no file descriptor left")
        }
    }

    public func start(
        driving control: PlayoutControl, events: @escaping @Sendable (OutputDeviceEvent) -> Void
    ) throws(OutputDeviceError) {
        let opened = HostTime.now()
        try recording.withLock { recording throws(OutputDeviceError) in try recording?.begin(at: opened) }
        do {
            let thread = try HostThread(name: "tutti output") { [self] in
                run(control, opened: opened, events: events)
            }
            self.thread.withLock { $0 = thread }
        } catch {
            throw .failed(device: description.name, operation: "start", code: error.code, reason: "no thread left")
        }
    }

    public func stop() {
        isStopping.store(true, ordering: .releasing)
        wake.signal()
        thread.withLock { $0 }?.join()
    }

    private func run(
        _ control: PlayoutControl, opened: HostTime, events: @Sendable (OutputDeviceEvent) -> Void
    ) {
        var card = VirtualCard(
            control: control, rate: description.rate, channelCount: description.channelCount, opened: opened,
            lead: Self.lead)
        while !isStopping.load(ordering: .acquiring) {
            do throws(OutputDeviceError) {
                try advance(&card)
            } catch {
                events(.lost(error))
                return
            }
            wake.wait(atMost: Self.tick)
        }
    }

    private func advance(_ card: inout VirtualCard) throws(OutputDeviceError) {
        try recording.withLock { recording throws(OutputDeviceError) in
            try card.advance(to: .now()) { samples throws(OutputDeviceError) in try recording?.append(samples) }
            try recording?.updateHeader()
        }
    }
}
