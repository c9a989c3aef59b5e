import AudioCore

/// One exchange as two one-sided observations of the offset, relative to a window's origin.
struct EnvelopeSample: Sendable, BitwiseCopyable {
    var sequence: UInt32
    /// When the request left, in seconds of host time since the origin.
    var sent: Double
    /// The offset then, plus the forward delay: nanoseconds.
    var upper: Double
    /// When the reply arrived, in seconds of host time since the origin.
    var received: Double
    /// The offset then, minus the backward delay: nanoseconds.
    var lower: Double
    /// The reply's transmit time from which ``lower`` was computed.
    var transmit: SessionTime

    /// Returns the round trip in nanoseconds. The slope is needed because the two clocks measure the time at the
    /// broadcaster slightly differently.
    /// - Parameter slope: of the offset, nanoseconds per second.
    func roundTrip(slope: Double) -> Double { upper - lower + slope * (received - sent) }
}

/// The origin of a window: offsets and times relative to it fit a `Double` with nanoseconds to spare.
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

    /// Returns session time at an instant whose offset from this origin is known.
    func session(at instant: HostTime, offset relative: Double) -> SessionTime {
        SessionTime(nanoseconds: instant.nanoseconds &+ offset &+ Int64(saturating: relative))
    }
}
