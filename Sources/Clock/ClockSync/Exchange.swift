import AudioCore

/// The four timestamps of one completed exchange.
struct Exchange: Hashable, Sendable {
    var sequence: UInt32
    /// When the request left the listener.
    var t1: HostTime
    /// When it reached the broadcaster.
    var t2: SessionTime
    /// When the reply left the broadcaster.
    var t3: SessionTime
    /// When it reached the listener.
    var t4: HostTime

    /// Time in transit, both ways.
    var roundTrip: TimeSpan { (t4 - t1) - (t3 - t2) }
}
