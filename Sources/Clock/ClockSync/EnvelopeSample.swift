import AudioCore

/// One exchange as two one-sided observations of the offset, relative to a window's origin.
struct EnvelopeSample: Sendable, BitwiseCopyable {
    var sequence: UInt32
    /// Seconds of host time since the origin at which the request left.
    var sent: Double
    /// The offset then, too high by the forward delay: nanoseconds.
    var upper: Double
    /// Seconds of host time since the origin at which the reply arrived.
    var received: Double
    /// The offset then, too low by the backward delay: nanoseconds.
    var lower: Double
    /// The reply's transmit time that ``lower`` was made with.
    var transmit: SessionTime

    /// Time on the way, both ways, in nanoseconds: of what passed at the broadcaster too, the two clocks tell a little
    /// differently.
    /// - Parameter slope: of the offset, nanoseconds a second.
    func roundTrip(slope: Double) -> Double { upper - lower + slope * (received - sent) }
}

/// The zero of a window: offsets and times near it fit a `Double` with nanoseconds to spare.
struct EnvelopeOrigin: Sendable, BitwiseCopyable {
    var host: HostTime
    var offset: Int64

    init(_ exchange: Exchange) {
        host = exchange.t1
        offset = exchange.t2.nanoseconds &- exchange.t1.nanoseconds
    }

    func sample(_ exchange: Exchange) -> EnvelopeSample {
        let forward = exchange.t2.nanoseconds &- exchange.t1.nanoseconds
        let backward = exchange.t3.nanoseconds &- exchange.t4.nanoseconds
        return EnvelopeSample(
            sequence: exchange.sequence, sent: seconds(exchange.t1), upper: Double(forward &- offset),
            received: seconds(exchange.t4), lower: Double(backward &- offset), transmit: exchange.t3)
    }

    func seconds(_ instant: HostTime) -> Double { (instant - host).seconds }

    /// Session time at an instant whose offset from this origin is known.
    func session(at instant: HostTime, offset relative: Double) -> SessionTime {
        SessionTime(nanoseconds: instant.nanoseconds &+ offset &+ Int64(saturating: relative))
    }
}
