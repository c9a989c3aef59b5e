/// Why RealtimeKit gave nothing. Its description completes "RealtimeKit ...".
public enum RealtimeKitError: Error, Hashable, Sendable {
    /// The program does not use it.
    case notAsked
    /// There is no system bus that we may use.
    case noBus
    /// Nobody offers the service.
    case notInstalled
    /// No answer in time.
    case silent
    /// The service, or the bus, said no: what it gave as the reason, in one line of printable characters.
    case refused(String)
    /// This process could not set the limit on its run time that the service demands: an errno.
    case cannotLimitRunTime(code: Int32)
}

extension RealtimeKitError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .notAsked: "is not asked"
        case .noBus: "cannot be asked without a system D-Bus"
        case .notInstalled: "is not installed"
        case .silent: "does not answer"
        case .refused(let reason): "refused: \(reason)"
        case .cannotLimitRunTime(let code): "needs a limit on run time, which cannot be set (error \(code))"
        }
    }
}
