import AudioCore
import CALSA
import HostSystem
import Playout
import Synchronization

/// A playback device of ALSA: a card, or the plugin behind a name.
///
/// Plays silence from `start` on. On a sound card its thread gets real-time priority if the system allows it (see
/// `RealTimeRights`); otherwise it reports a notice and continues.
public final class ALSAOutput: OutputDevice {
    public let description: OutputDeviceDescription
    /// Whether the driver says when its readings were valid. Without that their own time must do, which is less exact.
    public var hasDriverStamps: Bool { configuration.timestampClock != .none }
    private let configuration: PCMConfiguration
    private let isHardware: Bool
    private let realTimeSystem: RealTimeSystem
    private let rateHint: PartsPerMillion?
    /// Held by the thread while it runs.
    private let handle: Mutex<PCMHandle?>
    private let thread = Mutex<HostThread?>(nil)
    private let isStopping = Atomic(false)
    /// Wakes the thread for a command.
    private let command: WakeSignal

    /// Opens and configures a device: the requested rate and two channels if possible, else the nearest.
    /// - Parameters:
    ///   - deviceName: ALSA's name; ``ALSADevice/all(_:)`` lists them.
    ///   - sampleRate: in hertz, in `Limits.sampleRateRange`.
    ///   - wakeInterval: the interval at which the device wakes its thread; at most half of its buffer. Nil for what
    ///     listeners in step need.
    ///   - rateHint: the rate of this device's clock relative to this host's, as remembered from an earlier run.
    public init(
        deviceName: String = "default", sampleRate: Double = 48_000, wakeInterval: TimeSpan? = nil,
        realTimeSystem: RealTimeSystem = .host,
        rateHint: (OutputDeviceDescription) -> PartsPerMillion? = { _ in nil }
    ) throws(OutputDeviceError) {
        do throws(DescriptorError) { command = try WakeSignal() } catch {
            throw .failed(device: deviceName, operation: "open", code: error.code, reason: "no descriptor left")
        }
        let handle = try PCMHandle(name: deviceName)
        precondition(Limits.sampleRateRange.contains(sampleRate))
        var request = handle.isSoundServer ? PCMRequest.serverPlayback : .playback
        request.rate = UInt32(sampleRate.rounded())
        if let wakeInterval {
            request.wakeMicroseconds = UInt32(clamping: wakeInterval.nanoseconds / 1_000)
            request.seldomWakeMicroseconds = 0
        }
        configuration = try handle.configure(request)
        calsa_forget_configuration()
        isHardware = handle.isHardware
        self.realTimeSystem = realTimeSystem
        description = OutputDeviceDescription(
            name: deviceName, identity: handle.identity, hasKnownCard: handle.isHardware, rate: configuration.rate,
            channelCount: configuration.channelCount, sampleFormat: configuration.format.rawValue,
            buffer: configuration.buffer, period: configuration.period)
        self.rateHint = rateHint(description)
        self.handle = Mutex(handle)
    }

    public func start(
        driving control: PlayoutControl, events: @escaping @Sendable (OutputDeviceEvent) -> Void
    ) throws(OutputDeviceError) {
        do {
            let thread = try HostThread(name: "tutti alsa") { [self] in run(control, events) }
            self.thread.withLock { $0 = thread }
        } catch {
            throw .failed(device: description.name, operation: "start", code: error.code, reason: "no thread left")
        }
    }

    public func stop() {
        isStopping.store(true, ordering: .releasing)
        command.signal()
        thread.withLock { $0 }?.join()
        handle.withLock { $0 = nil }
    }

    /// Runs on the thread: everything that allocates comes before the loop or after it.
    private func run(_ control: PlayoutControl, _ events: @escaping @Sendable (OutputDeviceEvent) -> Void) {
        let code = handle.withLock { handle -> Int32 in
            guard let pcm = handle?.pointer else { return 0 }
            defer { handle = nil }
            var status: OpaquePointer?
            guard snd_pcm_status_malloc(&status) >= 0, let status else { return -ENOMEM }
            defer { snd_pcm_status_free(status) }
            guard let wakes = PCMWakes(pcm, configuration) else { return -ENOMEM }
            var loop = ALSALoop(
                pcm, configuration, control: control, status: status, wakes: wakes, rateHint: rateHint,
                command: command)
            let rights = RealTimeRights(
                device: description.name, isHardware: isHardware, workingMemory: loop.workingMemory,
                system: realTimeSystem
            ) { events(.notice($0)) }
            let code = loop.run(until: isStopping)
            snd_pcm_drop(pcm)
            rights.giveBack()
            return code
        }
        guard code < 0 else { return }
        events(.lost(ALSACall.error(code, "go on playing", device: description.name)))
    }
}
