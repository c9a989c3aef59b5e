/// Why a device cannot be opened or continue. Its description is one line.
public enum OutputDeviceError: Error, Hashable, Sendable {
    /// This machine has no sound card.
    case noDevice
    case unknownDevice(name: String)
    case busy(device: String)
    /// This user may not open the sound card; on Linux its devices belong to the group `audio`.
    case notPermitted(device: String)
    /// The device exists but has no usable configuration.
    case unsupportedConfiguration(device: String, reason: String)
    /// Unplugged, or its driver gave up.
    case lost(device: String)
    /// The device claims to run but has taken no frame for seconds.
    case standsStill(device: String)
    /// A recording cannot be written.
    case cannotWrite(path: String, reason: String)
    /// Anything else: the operation, the error number and its text.
    case failed(device: String, operation: String, code: Int32, reason: String)
}

extension OutputDeviceError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .noDevice: "no sound card found"
        case .unknownDevice(let name): "no sound device is called '\(name)'"
        case .busy(let device): "sound device '\(device)' is in use by another program"
        case .notPermitted(let device):
            "no permission to use sound device '\(device)'; add this user to the group 'audio' "
                + "(sudo usermod -aG audio $USER), then log in again"
        case .unsupportedConfiguration(let device, let reason):
            "sound device '\(device)' cannot be used: \(reason)"
        case .lost(let device): "sound device '\(device)' is gone"
        case .standsStill(let device): "sound device '\(device)' stands still: it takes no more sound"
        case .cannotWrite(let path, let reason): "cannot write '\(path)': \(reason)"
        case .failed(let device, let operation, let code, let reason):
            "sound device '\(device)': cannot \(operation): \(reason) (\(code))"
        }
    }
}
