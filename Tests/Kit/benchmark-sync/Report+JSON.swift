import TestbedKit

extension Report {
    /// Times in microseconds unless named otherwise.
    var json: JSON {
        .object([
            ("date", .string(options.common.date)), ("revision", .string(options.common.revision)),
            ("songSeconds", .number(options.songSeconds, decimals: 1)), ("runs", .integer(options.runCount)),
            ("rows", .array(rows.map(\.json))), ("firstSounds", .array(firstSounds.map(\.json))),
            ("simulation", simulation?.json ?? .null),
            ("failures", .array(failures.map { .string($0) })), ("excesses", .array(excesses.map { .string($0) })),
        ])
    }
}

extension RowResult {
    fileprivate var json: JSON {
        .object([
            ("case", .string(item.name)), ("player", .string(player)), ("median", figures?.json ?? .null),
            ("faults", .integer(faultCount)), ("runs", .array(runs.map(\.json))),
            ("failures", .array(failures.map { .string($0) })),
        ])
    }
}

extension RunResult {
    fileprivate var json: JSON {
        .object([
            ("figures", figures.json), ("blemishes", .integer(blemishCount)), ("breaks", .integer(breakCount)),
            ("firstBlemishes", .array(blemishes.map { .string($0) })),
            ("replacements", .optional(replacementCount)), ("cpuPercent", .optional(cpuPercent, decimals: 2)),
            ("residentMegabytes", .optional(residentMegabytes, decimals: 1)), ("stalls", .integer(stallCount)),
            ("worstPair", .array([.integer(worstPair.hosts.0), .integer(worstPair.hosts.1)])),
            (
                "secondsAndSkew",
                .array(
                    worstPair.windows.map {
                        .array([.number($0.time, decimals: 1), .number($0.skew * 1e6, decimals: 2)])
                    })
            ),
        ])
    }
}

extension SkewFigures {
    fileprivate var json: JSON {
        .object([
            ("p50", .optional(p50.map { $0 * 1e6 }, decimals: 2)),
            ("p99", .optional(p99.map { $0 * 1e6 }, decimals: 2)),
            ("max", .optional(maximum.map { $0 * 1e6 }, decimals: 2)),
            ("first", .optional(first.map { $0 * 1e6 }, decimals: 2)),
            ("whole", .optional(whole.map { $0 * 1e6 }, decimals: 2)),
            ("windows", .integer(windowCount)), ("unlike", .integer(unlikeCount)),
            ("leftOut", .integer(leftOutCount)), ("settled", .integer(settledCount)),
        ])
    }
}

extension LongSimulation.Result {
    fileprivate var json: JSON {
        .object([
            ("seconds", .integer(Int(seconds))), ("listeners", .integer(LongSimulation.listenerCount)),
            ("p99", .number(p99, decimals: 2)), ("max", .number(maximum, decimals: 2)),
            ("comparedPart", .number(comparedPart, decimals: 3)),
        ])
    }
}

extension FirstSounds {
    fileprivate var json: JSON {
        .object([
            ("player", .string(player)),
            (
                "ways",
                .array(
                    ways.map { way in
                        .object([
                            ("name", .string(way.name)), ("limit", .number(way.limit, decimals: 2)),
                            ("seconds", .array(way.times.map { .number($0, decimals: 3) })),
                        ])
                    })
            ),
        ])
    }
}
