import AudioCore
import Testing

@testable import ClockExchange

@Suite struct RealTimeConverterTests {
    private func bracket(_ host: Int64, _ real: Int64) -> RealTimeConverter.Bracket {
        RealTimeConverter.Bracket(
            host: HostTime(nanoseconds: host), realNanoseconds: real, width: .nanoseconds(100))
    }

    @Test func stampIsPlacedByItsAge() {
        var converter = RealTimeConverter()
        let host = converter.host(ofRealNanoseconds: 5_000_000_000 - 700, through: bracket(1_000_000, 5_000_000_000))
        #expect(host == HostTime(nanoseconds: 1_000_000 - 700))
    }

    @Test(arguments: [-3_600_000_000_000, -50_000, 50_000, 3_600_000_000_000] as [Int64])
    func stampAcrossAStepIsRefused(step: Int64) {
        var converter = RealTimeConverter()
        let second: Int64 = 1_000_000_000
        #expect(converter.host(ofRealNanoseconds: 9 * second, through: bracket(second, 9 * second)) != nil)
        let later = bracket(second + 1_000_000, 9 * second + 1_000_000 + step)
        #expect(converter.host(ofRealNanoseconds: 9 * second + 900_000, through: later) == nil)
        #expect(converter.stepCount == 1)
        let after = bracket(second + 9_000_000, 9 * second + 9_000_000 + step)
        #expect(
            converter.host(ofRealNanoseconds: after.realNanoseconds - 1_000, through: after)
                == after.host - .microseconds(1))
    }

    @Test func slewIsNoStep() {
        var converter = RealTimeConverter()
        for tick in 1...100 as ClosedRange<Int64> {
            let host = tick * 250_000_000
            let real = host + host / 2_000
            #expect(converter.host(ofRealNanoseconds: real, through: bracket(host, real)) != nil)
        }
        #expect(converter.stepCount == 0)
    }
}
