import AudioCore
import CALSA
import Glibc
import HostSystem
import Playout
import Synchronization

/// A device as `tutti devices` lists it.
public struct ALSADevice: Hashable, Sendable {
    /// What to give to `--device`.
    public var name: String
    /// What the device says of itself, in one line.
    public var details: String
    /// Nil where it cannot be opened now; then ``trouble`` says why.
    public var capabilities: Capabilities?
    public var trouble: OutputDeviceError?

    /// What a device takes or gives, as far as we can use it; of a sound card what it does without conversion.
    public struct Capabilities: Hashable, Sendable {
        /// Best first; for people.
        public var sampleFormats: [String]
        /// In hertz.
        public var rates: ClosedRange<Int>
        public var channels: ClosedRange<Int>
    }

    /// How long devices are waited for that do not answer: those of a sound server that hangs.
    private static let patience = TimeSpan.seconds(3)
    private static let longestAnswer = TimeSpan.seconds(1)

    /// Every device of one direction: the cards that this user may not use, of which ALSA tells nothing, then what
    /// ALSA's configuration names, in its order; empty on a machine without sound.
    ///
    /// Each is opened for a moment. Libraries of sound servers may print then.
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

    /// Nil for devices of the other direction alone.
    private init?(hint: UnsafeMutableRawPointer, _ direction: PCMDirection) {
        let other = direction == .playback ? "Input" : "Output"
        guard let name = Self.text(hint, "NAME"), Self.text(hint, "IOID") != other else { return nil }
        self.name = name
        details = (Self.text(hint, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
    }

    /// Asks the device what it takes. Returns whether it answered.
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

    /// Of a thread that may never give it.
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
    /// What the device takes, before anything is chosen.
    func capabilities() throws(OutputDeviceError) -> ALSADevice.Capabilities {
        var allocated: OpaquePointer?
        try ALSACall.check(snd_pcm_hw_params_malloc(&allocated), "allocate parameters", device: name)
        guard let parameters = allocated else { throw .lost(device: name) }
        defer { snd_pcm_hw_params_free(parameters) }
        try ALSACall.check(snd_pcm_hw_params_any(pointer, parameters), "read parameters", device: name)
        // As they are where a plugin would convert.
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
