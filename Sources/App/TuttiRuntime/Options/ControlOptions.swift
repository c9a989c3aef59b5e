import Controlling

/// The options of `tutti pause` and its like; acted on by ``Controller``.
public struct ControlOptions: Sendable {
    public var target = ControlTarget.any
    /// In their order; at least one.
    public var requests: [ControlRequest]
    /// Where the local sockets of this machine's programs are. Without any, none of them is asked.
    public var localSockets: [LocalSocketDirectory] = []
    /// Whether only this process' own broadcast is meant, of all that this machine and the network have.
    public var isOfThisProcess = false

    public init(_ requests: [ControlRequest]) { self.requests = requests }
}
