import ConcertKit
import LANKit
import Testing

extension EndToEndTests {
    /// Without mDNS, and by addresses that mean nothing without the interface: one listener calls, the other is called.
    @Test func linkLocalAddressesWithTheirInterfaceAreEnough() throws {
        let limits = SkewLimits(p50: nil, p99: nil, maximum: nil, first: 100, whole: 100)
        let hearing = try Hearing.ofSteadyMachine(within: limits) {
            let concert = try Concert()
            let song = try SongFile(.constantBitRate, seconds: 6, in: concert.lan)
            let hosts = try [0, 2].map { "[\(try concert.lan[$0].linkLocalAddress(within: 5))%eth0]" }
            let listeners = [
                try concert.start(["join", "--once", "--no-mdns", hosts[0]], on: 1),
                try concert.start(["join", "--once", "--no-mdns"], on: 2),
            ]
            let broadcast = try concert.start(
                ["broadcast", song.path, "--wait", "2", "--no-mdns", "--listener", hosts[1]], on: 0)
            return try Hearing(concert, song, [broadcast] + listeners, within: 30)
        }
        hearing.expect(within: limits)
        for process in hearing.processes {
            let said = process.output + process.errors
            #expect(!said.contains("TCP"), "\(hearing.concert.account(of: hearing.processes))")
        }
        print("link-local: \(hearing.figures.summary)")
    }
}
