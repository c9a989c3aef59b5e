import AudioCore
import CALSA
import Glibc
import HostSystem
import Playout
import Synchronization

/// A device as listed by `tutti devices`.
public struct ALSADevice: Hashable, Sendable {
    /// The argument of `--device`.
    public var name: String
    /// The device's description of itself, in one line.
    public var details: String
    /// Nil if the device cannot be opened now; ``trouble`` says why.
    public var capabilities: Capabilities?
    public var trouble: OutputDeviceError?

    /// What a device takes or gives, as far as we can use it; for a sound card, without conversion.
    public struct Capabilities: Hashable, Sendable {
        /// Best first; for people.
        public var sampleFormats: [String]
        /// In hertz.
        public var rates: ClosedRange<Int>
        public var channels: ClosedRange<Int>
    }

    /// How long to wait, in all, for devices that do not answer: those of a sound server that hangs.
    private static let patience = TimeSpan.seconds(3)
    private static let longestAnswer = TimeSpan.seconds(1)

    /// Lists every device of one direction: first the cards that this user may not use, which ALSA hides, then the
    /// devices of ALSA's configuration, in its order. Empty on a machine without sound.
    ///
    /// Opens each device for a moment. Libraries of sound servers may print something then.
    public static func all(_ direction: PCMDirection = .playback) -> [ALSADevice] {
        forbidden(direction) + named(direction)
    }

    private static func forbidden(_ direction: PCMDirection) -> [ALSADevice] {
        ForbiddenCards().numbers.filter { ForbiddenCards.hasPCM($0, direction) }.map { number in
            let name = "hw:\(number)"
            return ALSADevice(name: name, details: "Sound card \(number)", trouble: .notPermitted(device: name))
        }
    }

    private static func named(_ direction: PCMDirection) -> [ALSADevice] {
        calsa_silence()
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &hints) >= 0, let hints else { return [] }
        defer { snd_device_name_free_hint(hints) }
        var devices: [ALSADevice] = []
        var patience = patience
        var next = hints
        while let hint = next.pointee {
            if var device = ALSADevice(hint: hint, direction) {
                let start = HostTime.now()
                if !device.probe(direction, atMost: min(patience, longestAnswer)) { patience -= .now() - start }
                devices.append(device)
            }
            next += 1
        }
        return devices
    }

    private init(name: String, details: String, trouble: OutputDeviceError) {
        self.name = name
        self.details = details
        self.trouble = trouble
    }

    /// Nil for devices of the other direction only.
    private init?(hint: UnsafeMutableRawPointer, _ direction: PCMDirection) {
        let other = direction == .playback ? "Input" : "Output"
        guard let name = Self.text(hint, "NAME"), Self.text(hint, "IOID") != other else { return nil }
        self.name = name
        details = (Self.text(hint, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
    }

    /// Asks the device for its capabilities. Returns whether it answered.
    private mutating func probe(_ direction: PCMDirection, atMost span: TimeSpan) -> Bool {
        guard span > .zero else { return false }
        let answer = Answer()
        let name = name
        let thread = try? HostThread(name: "tutti probe") {
            let result = Result { () throws(OutputDeviceError) in
                try PCMHandle(name: name, direction).capabilities()
            }
            answer.result.withLock { $0 = result }
        }
        thread?.join(atMost: span)
        switch answer.result.withLock({ $0 }) {
        case .success(let found): capabilities = found
        case .failure(let error): trouble = error
        case nil:
            trouble = .failed(device: name, operation: "open", code: ETIMEDOUT, reason: "it does not answer")
            return false
        }
        return true
    }

    /// The result of a thread that may never finish.
    private final class Answer: Sendable {
        let result = Mutex<Result<Capabilities, OutputDeviceError>?>(nil)
    }

    private static func text(_ hint: UnsafeMutableRawPointer, _ key: String) -> String? {
        guard let value = snd_device_name_get_hint(hint, key) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }
}

extension PCMHandle {
    /// Reads what the device takes, before anything is chosen.
    func capabilities() throws(OutputDeviceError) -> ALSADevice.Capabilities {
        var allocated: OpaquePointer?
        try ALSACall.check(snd_pcm_hw_params_malloc(&allocated), "allocate parameters", device: name)
        guard let parameters = allocated else { throw .lost(device: name) }
        defer { snd_pcm_hw_params_free(parameters) }
        try ALSACall.check(snd_pcm_hw_params_any(pointer, parameters), "read parameters", device: name)
        // Without a plugin's rate conversion.
        snd_pcm_hw_params_set_rate_resample(pointer, parameters, 0)

        var (lowRate, highRate): (UInt32, UInt32) = (0, 0)
        var (fewest, most): (UInt32, UInt32) = (0, 0)
        snd_pcm_hw_params_get_rate_min(parameters, &lowRate, nil)
        snd_pcm_hw_params_get_rate_max(parameters, &highRate, nil)
        snd_pcm_hw_params_get_channels_min(parameters, &fewest)
        snd_pcm_hw_params_get_channels_max(parameters, &most)
        let formats = PCMSampleFormat.allCases.filter {
            snd_pcm_hw_params_test_format(pointer, parameters, $0.code) == 0
        }
        let rates = PCMRequest.rateRange
        let channels = PCMRequest.channelRange
        guard lowRate <= rates.upperBound, highRate >= rates.lowerBound, fewest <= channels.upperBound else {
            throw .unsupportedConfiguration(device: name, reason: "none of its rates or channel counts can be used")
        }
        (lowRate, highRate) = (max(lowRate, rates.lowerBound), min(highRate, rates.upperBound))
        most = min(most, channels.upperBound)
        return ALSADevice.Capabilities(
            sampleFormats: formats.map(\.rawValue), rates: Int(lowRate)...Int(max(lowRate, highRate)),
            channels: Int(fewest)...Int(max(fewest, most)))
    }
}
