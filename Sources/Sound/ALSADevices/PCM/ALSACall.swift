import CALSA
import Playout

/// Turns libasound's negative error numbers into the errors of a device.
package enum ALSACall {
    /// Our own word for a device that says that it runs and takes, or gives, nothing: no call of libasound returns it.
    package static let standstill: Int32 = -ETIME

    /// Throws unless `code` is zero or positive.
    @discardableResult
    package static func check(_ code: Int32, _ operation: String, device: String) throws(OutputDeviceError) -> Int32 {
        guard code < 0 else { return code }
        throw error(code, operation, device: device)
    }

    package static func error(_ code: Int32, _ operation: String, device: String) -> OutputDeviceError {
        switch -code {
        case EBUSY: .busy(device: device)
        case EACCES, EPERM: .notPermitted(device: device)
        case ENODEV, ENXIO: .lost(device: device)
        case -standstill: .standsStill(device: device)
        default: .failed(device: device, operation: operation, code: -code, reason: text(code))
        }
    }

    package static func text(_ code: Int32) -> String {
        snd_strerror(code).map { String(cString: $0) } ?? "error \(-code)"
    }
}
