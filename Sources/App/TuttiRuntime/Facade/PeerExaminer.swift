import AudioCore
import ClockExchange
import ClockSync
import NIOCore
import Observing
import Peering

/// Looks at the ways to other peers, and at their clocks, as a listener would use them.
public enum PeerExaminer {
    /// Calls every address of each peer, and exchanges clock datagrams with those that broadcast. Blocks the calling
    /// thread for `span`, and a moment longer; for less where no clock can be asked.
    ///
    /// A broadcaster shows it as an observer. Nobody waits for it, and it is sent no song.
    /// - Parameter peers: the addresses of each; 16 peers of 4 addresses at most are looked at.
    /// - Returns: what is known of each peer, in the same order.
    public static func examine(
        _ peers: [[NetworkAddress]], for span: TimeSpan, as identity: Identity
    ) throws(RuntimeFailure) -> [ExaminedPeer] {
        guard !peers.isEmpty else { return [] }
        return try RunControl().run { loop in
            ExamineRunner(targets: peers, span: span, identity: identity, loop: loop).run()
        }
    }
}

/// What is known of the ways to one peer.
public struct ExaminedPeer: Hashable, Sendable {
    public var paths: [ExaminedPath]
    /// The exchanges with its clock, by each family of addresses; none with one that broadcasts nothing, is an older
    /// release, or turned us away.
    public var clocks: [ExaminedClock] = []

    public init(paths: [ExaminedPath]) { self.paths = paths }
}

/// A way to a clock, and what came of it.
public struct ExaminedClock: Hashable, Sendable {
    /// Where datagrams go.
    public var address: NetworkAddress
    /// The failure says why the clock could not be asked.
    public var exchange: Result<ClockExchangeReport, ClockExchangeError>

    public init(address: NetworkAddress, exchange: Result<ClockExchangeReport, ClockExchangeError>) {
        self.address = address
        self.exchange = exchange
    }
}

/// A clock exchange of some seconds.
public struct ClockExchangeReport: Hashable, Sendable {
    /// Requests, and those that were answered.
    public var sent: Int
    public var completed: Int
    public var lost: Int
    /// Lowest round trip, and half of it: what one direction may take longer than the other without anybody seeing it.
    /// Nil until a few exchanges were complete.
    public var roundTrip: TimeSpan?
    public var asymmetryLimit: TimeSpan?
    /// The estimate's statistical bound.
    public var bound: TimeSpan?

    public init(
        sent: Int, completed: Int, lost: Int, roundTrip: TimeSpan? = nil, asymmetryLimit: TimeSpan? = nil,
        bound: TimeSpan? = nil
    ) {
        self.sent = sent
        self.completed = completed
        self.lost = lost
        self.roundTrip = roundTrip
        self.asymmetryLimit = asymmetryLimit
        self.bound = bound
    }

    init(_ statistics: ClockClient.Statistics, _ estimate: ClockEstimate?) {
        self.init(
            sent: statistics.sent, completed: statistics.completed, lost: statistics.lost,
            roundTrip: estimate?.roundTrip, asymmetryLimit: estimate?.asymmetryLimit, bound: estimate?.errorBound)
    }
}
