import Controlling

/// The options of `tutti pause` and its like; acted on by ``Controller``.
public struct ControlOptions: Sendable {
    public var target = ControlTarget.any
    /// In their order; at least one.
    public var requests: [ControlRequest]
    /// Where the local sockets of this machine's programs are. Without any, none of them is asked.
    public var localSockets: [LocalSocketDirectory] = []
    /// Which broadcasts may be meant, of all that this machine and the network have.
    public var reach = Reach.everywhere

    /// See ``reach``.
    public enum Reach: Sendable {
        /// This machine's, that to which it listens, and those of the network.
        case everywhere
        /// The one that has this local socket.
        case socket(String)
        /// This process' own.
        case thisProcess
    }

    public init(_ requests: [ControlRequest]) { self.requests = requests }
}
