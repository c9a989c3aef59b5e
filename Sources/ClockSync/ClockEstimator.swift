import AudioCore

/// Offset and skew from exchanges.
struct ClockEstimator: Sendable {
    enum Advice: Sendable { case goOn, askMore }

    private(set) var estimate: ClockEstimate?

    init(prior: SkewPrior) {}

    mutating func add(_ exchange: Exchange) -> Advice {
        let offset =
            ((exchange.t2.nanoseconds &- exchange.t1.nanoseconds) / 2)
            &+ ((exchange.t3.nanoseconds &- exchange.t4.nanoseconds) / 2)
        estimate = ClockEstimate(
            mapping: ClockMapping(
                host: exchange.t4, session: SessionTime(nanoseconds: exchange.t4.nanoseconds &+ offset), skew: .zero),
            errorBound: exchange.roundTrip * 0.5, asymmetryLimit: exchange.roundTrip * 0.5,
            roundTrip: exchange.roundTrip, skewBound: PartsPerMillion(100), generation: 0)
        return .goOn
    }

    mutating func revise(sequence: UInt32, transmit: SessionTime) {}
}
