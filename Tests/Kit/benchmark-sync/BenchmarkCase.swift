import TestbedKit

/// One row of the table: who plays where, and how good it shall be.
struct BenchmarkCase {
    let name: String
    let title: String
    var configuration = Testbed.Configuration()
    /// Hosts that join ``lateSeconds`` after the others.
    var lateHosts: Set<Int> = []
    let limits: SkewLimits
    /// Snapcast plays this one too.
    var isCompared = true

    static let lateSeconds = 12.0

    static let all: [BenchmarkCase] = [
        BenchmarkCase(name: "lan", title: "quiet LAN", limits: .quietLAN),
        eight,
        radio,
        rough,
        coarse,
        BenchmarkCase(
            name: "late", title: "one listener joins late, quiet LAN", lateHosts: [2], limits: .quietLAN,
            isCompared: false),
        lateOnRadio,
    ]

    private static var eight: BenchmarkCase {
        var item = BenchmarkCase(
            name: "eight", title: "8 listeners, quiet LAN, worst pair",
            limits: SkewLimits(p50: 10, p99: 21, maximum: 40, first: 50, whole: 80), isCompared: false)
        item.configuration.listenerCount = 8
        return item
    }

    /// One listener by cable, two by radio: the worst pair may be of either kind.
    private static var radio: BenchmarkCase {
        var item = BenchmarkCase(
            name: "wifi", title: "Wi-Fi-like link (2 ms base, tail to 30 ms, 1 % loss)", limits: .radio)
        item.configuration.listenerCount = 3
        item.configuration.hostsOnRadio = [2, 3]
        return item
    }

    private static var rough: BenchmarkCase {
        var item = BenchmarkCase(
            name: "rough", title: "the same without a sharp lower edge (gamma of shape 2)",
            limits: .roughRadio, isCompared: false)
        item.configuration.listenerCount = 3
        item.configuration.hostsOnRadio = [2, 3]
        item.configuration.radio = { .rough(seed: $0) }
        return item
    }

    private static var coarse: BenchmarkCase {
        var item = BenchmarkCase(
            name: "coarse", title: "quiet LAN, coarse cards: pointer and delay move once a burst", limits: .quietLAN)
        item.configuration.hasCoarseCards = true
        return item
    }

    private static var lateOnRadio: BenchmarkCase {
        var item = BenchmarkCase(
            name: "late-wifi", title: "one listener joins late, Wi-Fi-like link", lateHosts: [2], limits: .radio,
            isCompared: false)
        item.configuration.hostsOnRadio = [2]
        return item
    }
}
