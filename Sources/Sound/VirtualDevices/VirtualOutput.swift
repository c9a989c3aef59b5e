import AudioCore
import HostSystem
import Playout
import Synchronization

/// A virtual sound card tied to host time: it runs at its nominal rate exactly, from the moment it starts.
///
/// For machines without a sound card, and for tests. Frame n leaves it at start + n / rate; a thread that wakes late
/// catches up, nothing is lost.
public final class VirtualOutput: OutputDevice {
    public let description: OutputDeviceDescription
    /// Used by the thread alone once it runs; the lock is for the compiler's sake, and never waited for.
    private let recording: Mutex<WaveRecording?>
    private let thread = Mutex<HostThread?>(nil)
    private let wake: WakeSignal
    private let isStopping = Atomic(false)

    /// How far ahead of what is heard frames are rendered; no more than a small real card would hold.
    private static let lead = TimeSpan.milliseconds(20)
    private static let tick = TimeSpan.milliseconds(5)

    /// Sound that goes nowhere, at the host clock's pace.
    public static func null(rate: Double = 48_000, channelCount: Int = 2) throws(OutputDeviceError) -> VirtualOutput {
        try VirtualOutput(name: "null", rate: rate, channelCount: channelCount, recording: nil)
    }

    /// Sound that goes into a WAVE file of 32-bit floats. A sidecar beside it says when its first frame was heard
    /// (`RecordingSidecar`, in host time).
    ///
    /// An existing file is replaced. The file's header is right at any moment, also when the process is killed; beyond
    /// 4 GiB its length is stated as 4 GiB.
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
