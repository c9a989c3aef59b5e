/// Why a browser cannot be started or led.
public enum BrowserError: Error, CustomStringConvertible {
    case notInstalled(BrowserKind)
    /// It ended, or closed its connection; what it last said on standard error.
    case ended(said: String)
    /// What it sent is no message of the protocol, or too long.
    case malformedMessage
    /// It refused a command.
    case refused(command: String, message: String)
    /// An expression threw, or its promise was rejected.
    case thrown(expression: String, message: String)
    /// Nothing on the page matches, or what does has no area.
    case notFound(selector: String)
    case timedOut(String)

    public var description: String {
        switch self {
        case .notInstalled(let kind): "no \(kind.executable): install what Debian calls \(kind.package)"
        case .ended(let said): "the browser ended: \(said)"
        case .malformedMessage: "the browser sent a message that is not well formed, or too long"
        case .refused(let command, let message): "\(command): \(message)"
        case .thrown(let expression, let message): "\(expression): \(message)"
        case .notFound(let selector): "nothing to be seen on the page is \(selector)"
        case .timedOut(let what): "timed out: \(what)"
        }
    }
}
