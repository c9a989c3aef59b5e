import LANKit
import TestbedKit
import Testing

extension EndToEndTests {
    /// No clock reply leaves the broadcaster by UDP: the music plays all the same, and both sides say how.
    @Test func withoutUDPTheClockGoesOverTCP() throws {
        let limits = SkewLimits(p50: 500, p99: 1_000, maximum: 1_000, first: 1_000, whole: 1_000)
        let hearing = try Hearing.ofSteadyMachine(within: limits) {
            let testbed = try Testbed()
            try testbed.lan[0].blockDatagrams(fromPort: 28_884)
            let song = try SongFile(.constantBitRate, seconds: 20, in: testbed.lan)
            let listeners = try testbed.startListeners()
            let broadcast = try testbed.start(["broadcast", song.path, "--wait", "2"], on: 0)
            return try Hearing(testbed, song, [broadcast] + listeners, within: 60)
        }
        hearing.expect(within: limits)
        for process in hearing.processes {
            let said = process.output + process.errors
            #expect(said.contains("clock over TCP, less exact"), "\(hearing.testbed.account(of: hearing.processes))")
        }
        print("without UDP: \(hearing.figures.summary)")
    }
}
