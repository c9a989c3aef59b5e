import AudioCore
import CALSA
import HostSystem
import Playout
import Synchronization

/// A capture device of ALSA: a card, or the plugin behind a name.
///
/// On a sound card its thread gets real-time priority if the system allows it (see `RealTimeRights`); otherwise it
/// reports a notice and continues.
public final class ALSAInput: InputDevice {
    public let description: InputDeviceDescription
    private let configuration: PCMConfiguration
    private let isHardware: Bool
    private let realTimeSystem: RealTimeSystem
    /// Held by the thread for as long as it runs.
    private let handle: Mutex<PCMHandle?>
    private let thread = Mutex<HostThread?>(nil)
    private let isStopping = Atomic(false)

    /// How samples come: 24 bits hold what any converter gives, where the device has that width or a plugin makes it;
    /// else what the device has.
    private static let formats: [PCMSampleFormat] = [.integer24Packed, .integer24, .integer32, .float32, .integer16]
    private static let chunkFrameLimit = 4_096

    /// Opens and configures a device.
    /// - Parameters:
    ///   - deviceName: ALSA's name; `ALSADevice.all(.capture)` lists them.
    ///   - rate: in hertz, exactly this or an error; nil: 48 kHz if possible, else the nearest.
    ///   - channelCount: exactly this or an error; nil: two if possible, else the nearest.
    public init(
        deviceName: String = "default", rate: Int? = nil, channelCount: Int? = nil,
        realTimeSystem: RealTimeSystem = .host
    ) throws(InputDeviceError) {
        do throws(OutputDeviceError) {
            let handle = try PCMHandle(name: deviceName, .capture)
            configuration = try handle.configure(Self.request(rate: rate, channelCount: channelCount))
            isHardware = handle.isHardware
            self.realTimeSystem = realTimeSystem
            description = Self.describe(configuration, name: deviceName, identity: handle.identity)
            self.handle = Mutex(handle)
        } catch {
            throw InputDeviceError(error)
        }
    }

    public func start(
        filling control: CaptureControl, events: @escaping @Sendable (InputDeviceEvent) -> Void
    ) throws(InputDeviceError) {
        stop()
        isStopping.store(false, ordering: .releasing)
        do {
            let thread = try HostThread(name: "tutti capture") { [self] in run(control, events) }
            self.thread.withLock { $0 = thread }
        } catch {
            throw InputDeviceError(
                .failed(device: description.name, operation: "start", code: error.code, reason: "no thread left"))
        }
    }

    public func stop() {
        isStopping.store(true, ordering: .releasing)
        thread.withLock { thread in
            defer { thread = nil }
            return thread
        }?.join()
    }

    /// Runs on the thread: everything that allocates comes before the loop or after it.
    private func run(_ control: CaptureControl, _ events: @escaping @Sendable (InputDeviceEvent) -> Void) {
        let code = handle.withLock { handle -> Int32 in
            guard let pcm = handle?.pointer else { return -ENODEV }
            var status: OpaquePointer?
            guard snd_pcm_status_malloc(&status) >= 0, let status else { return -ENOMEM }
            defer { snd_pcm_status_free(status) }
            var loop = ALSACaptureLoop(pcm, configuration, control: control, status: status)
            let rights = RealTimeRights(
                device: description.name, isHardware: isHardware, workingMemory: loop.workingMemory,
                system: realTimeSystem
            ) { events(.notice($0)) }
            let code = loop.run(until: isStopping)
            snd_pcm_drop(pcm)
            rights.giveBack()
            // A device that is gone is closed, so that its name can be opened again when it returns.
            if code < 0 { handle = nil }
            return code
        }
        guard code < 0 else { return }
        events(.lost(InputDeviceError(ALSACall.error(code, "go on recording", device: description.name))))
    }

    // MARK: Setting up

    private static func request(rate: Int?, channelCount: Int?) -> PCMRequest {
        var request = PCMRequest()
        if let rate { request.rate = UInt32(clamping: rate) }
        request.isRateFixed = rate != nil
        if let channelCount { request.channelCount = UInt32(clamping: channelCount) }
        request.isChannelCountFixed = channelCount != nil
        request.formats = formats
        // Frames not read in time are lost for good, and nobody waits for the buffer, so it may be long.
        request.periodMicroseconds = 10_000
        request.bufferMicroseconds = 500_000
        return request
    }

    private static func describe(
        _ configuration: PCMConfiguration, name: String, identity: String
    ) -> InputDeviceDescription {
        let byteCount = configuration.format == .integer24 ? 3 : configuration.format.byteCount
        let isFloat = configuration.format == .float32
        return InputDeviceDescription(
            name: name, identity: identity,
            format: .linearPCM(
                sampleRate: configuration.rate, channels: configuration.channelCount, bitsPerChannel: byteCount * 8,
                bytesPerSample: byteCount, layout: isFloat ? [.float, .signedInteger] : .signedInteger),
            chunkFrameCount: min(configuration.periodFrameCount, chunkFrameLimit),
            buffer: configuration.buffer)
    }
}
