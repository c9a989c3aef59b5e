import CALSA
import Playout

/// A device as `tutti devices` lists it.
public struct ALSADevice: Hashable, Sendable {
    /// What to give to `--device`.
    public var name: String
    /// What the device says of itself, in one line.
    public var details: String
    /// Nil where it cannot be opened now; then ``trouble`` says why. Only sound cards are tried.
    public var capabilities: Capabilities?
    public var trouble: OutputDeviceError?

    /// What a sound card takes without conversion.
    public struct Capabilities: Hashable, Sendable {
        /// Best first; for people.
        public var sampleFormats: [String]
        /// In hertz.
        public var rates: ClosedRange<Int>
        public var channels: ClosedRange<Int>
    }

    /// Every device that ALSA's configuration names for one direction, in its order; empty on a machine without sound.
    public static func all(_ direction: PCMDirection = .playback) -> [ALSADevice] {
        calsa_silence()
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &hints) >= 0, let hints else { return [] }
        defer { snd_device_name_free_hint(hints) }
        var devices: [ALSADevice] = []
        var next = hints
        while let hint = next.pointee {
            if let device = ALSADevice(hint: hint, direction) { devices.append(device) }
            next += 1
        }
        return devices
    }

    /// Nil for devices of the other direction alone.
    private init?(hint: UnsafeMutableRawPointer, _ direction: PCMDirection) {
        let other = direction == .playback ? "Input" : "Output"
        guard let name = Self.text(hint, "NAME"), Self.text(hint, "IOID") != other else { return nil }
        self.name = name
        details = (Self.text(hint, "DESC") ?? "").split(separator: "\n").joined(separator: ", ")
        guard name.hasPrefix("hw:") else { return }
        do {
            capabilities = try PCMHandle(name: name, direction).capabilities()
        } catch {
            trouble = error
        }
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

        var (lowRate, highRate): (UInt32, UInt32) = (0, 0)
        var (fewest, most): (UInt32, UInt32) = (0, 0)
        snd_pcm_hw_params_get_rate_min(parameters, &lowRate, nil)
        snd_pcm_hw_params_get_rate_max(parameters, &highRate, nil)
        snd_pcm_hw_params_get_channels_min(parameters, &fewest)
        snd_pcm_hw_params_get_channels_max(parameters, &most)
        let formats = SampleFormat.allCases.filter { snd_pcm_hw_params_test_format(pointer, parameters, $0.code) == 0 }
        return ALSADevice.Capabilities(
            sampleFormats: formats.map(\.rawValue), rates: Int(lowRate)...Int(max(lowRate, highRate)),
            channels: Int(fewest)...Int(max(fewest, most)))
    }
}
