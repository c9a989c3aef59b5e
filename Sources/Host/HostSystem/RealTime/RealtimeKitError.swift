/// Why RealtimeKit granted nothing. The description completes "RealtimeKit ...".
public enum RealtimeKitError: Error, Hashable, Sendable {
    /// The program does not use it.
    case notAsked
    /// There is no system bus that this process may use.
    case noBus
    /// No process offers the service.
    case notInstalled
    /// No answer in time.
    case silent
    /// The service or the bus refused; the reason it gave, as one line of printable characters.
    case refused(String)
    /// This process could not set the run-time limit that the service demands: an errno.
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
