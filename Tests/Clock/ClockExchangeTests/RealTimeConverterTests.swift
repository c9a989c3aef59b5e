import AudioCore
import Testing

@testable import ClockExchange

@Suite(.timeLimit(.minutes(5))) struct RealTimeConverterTests {
    private func bracket(_ host: Int64, _ real: Int64) -> RealTimeConverter.Bracket {
        RealTimeConverter.Bracket(
            host: HostTime(nanoseconds: host), realNanoseconds: real, width: .nanoseconds(100))
    }

    @Test func stampIsPlacedByItsAge() {
        var converter = RealTimeConverter()
        let host = converter.host(ofRealNanoseconds: 5_000_000_000 - 700, through: bracket(1_000_000, 5_000_000_000))
        #expect(host == HostTime(nanoseconds: 1_000_000 - 700))
    }

    /// Real time that is slewed by 500 ppm: a stamp lies between what was read before the wait and behind it.
    @Test(arguments: [-500, 0, 500] as [Int64]) func stampThatWaitedIsPlacedBetween(ppm: Int64) {
        var converter = RealTimeConverter()
        let (second, waited) = (1_000_000_000 as Int64, 50_000_000 as Int64)
        func real(_ host: Int64) -> Int64 { 9 * second + host + host / 1_000_000 * ppm }
        converter.refresh(through: bracket(second, real(second)))
        let end = bracket(second + waited, real(second + waited))
        for age in stride(from: 0, through: waited, by: 5_000_000) {
            let host = converter.host(ofRealNanoseconds: real(second + waited - age), through: end)
            #expect(abs((host ?? HostTime(nanoseconds: 0)).nanoseconds - (second + waited - age)) <= 1)
        }
        // Older than the wait: as far as its age says.
        let older = converter.host(ofRealNanoseconds: real(second) - 1_000, through: end)
        #expect(abs((older ?? HostTime(nanoseconds: 0)).nanoseconds - (second - 1_000)) < 50_000)
        #expect(converter.stepCount == 0)
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
