import LANKit
import TestbedKit
import Testing

extension EndToEndTests {
    /// Without mDNS, and by addresses that mean nothing without the interface: one listener calls, the other is called.
    @Test func linkLocalAddressesWithTheirInterfaceAreEnough() throws {
        let limits = SkewLimits(p50: nil, p99: nil, maximum: nil, first: 100, whole: 100)
        let hearing = try Hearing.ofSteadyMachine(within: limits) {
            let testbed = try Testbed()
            let song = try SongFile(.constantBitRate, seconds: 6, in: testbed.lan)
            let hosts = try [0, 2].map { "[\(try testbed.lan[$0].linkLocalAddress(within: 5))%eth0]" }
            let listeners = [
                try testbed.start(["join", "--once", "--no-mdns", hosts[0]], on: 1),
                try testbed.start(["join", "--once", "--no-mdns"], on: 2),
            ]
            let broadcast = try testbed.start(
                ["broadcast", song.path, "--wait", "2", "--no-mdns", "--listener", hosts[1]], on: 0)
            return try Hearing(testbed, song, [broadcast] + listeners, within: 30)
        }
        hearing.expect(within: limits)
        for process in hearing.processes {
            let said = process.output + process.errors
            #expect(!said.contains("TCP"), "\(hearing.testbed.account(of: hearing.processes))")
        }
        print("link-local: \(hearing.figures.summary)")
    }
}
