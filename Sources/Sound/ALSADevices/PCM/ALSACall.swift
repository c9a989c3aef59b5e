import CALSA
import Playout

/// Maps libasound's negative error numbers to device errors.
package enum ALSACall {
    /// Our own code for a device that claims to run but takes or gives nothing: libasound never returns it.
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
