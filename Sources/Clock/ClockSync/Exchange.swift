import AudioCore

/// The four timestamps of one completed exchange.
struct Exchange: Hashable, Sendable {
    var sequence: UInt32
    /// The request left the listener.
    var t1: HostTime
    /// It reached the broadcaster.
    var t2: SessionTime
    /// The reply left the broadcaster.
    var t3: SessionTime
    /// It reached the listener.
    var t4: HostTime

    /// Time on the way, both ways.
    var roundTrip: TimeSpan { (t4 - t1) - (t3 - t2) }
}
