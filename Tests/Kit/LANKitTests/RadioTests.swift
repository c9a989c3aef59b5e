import LANKit
import Testing

/// The link itself. Judged on the delays that it chose, not on how the machine kept to them.
@Suite(.serialized, .enabled(if: mayMakeHosts, "making hosts needs root"), .timeLimit(.minutes(5)))
struct RadioLANKitTests {
    @Test func framesAreDelayedAndLostAsStated() throws {
        let lan = try LAN(hosts: [
            HostOptions(hasDiscovery: false), HostOptions(hasDiscovery: false, link: .radio(.wiFi(seed: 5))),
        ])
        let count = 2_000
        let ping = ["ping", "-c", "\(count)", "-i", "0.002", "-W", "1", lan[1].address]
        let answer = try lan[0].run(ping, within: 30)
        #expect(answer.status == .exited(0), "\(answer.output.suffix(300))")
        let report = try #require(try lan[1].radio?.report())
        print("radio: \(report)")
        for way in [report.sent, report.received] {
            // 2,000 frames with 1 % loss: 20 on average, with a deviation of 4.5.
            #expect((count * 9 / 10...count * 2).contains(way.frameCount + way.lostCount))
            #expect((0.003...0.02).contains(way.lossRate))
            #expect(way.overflowCount == 0)
            #expect((1_000...1_050).contains(way.delay.minimum))
            #expect((1_300...3_500).contains(way.delay.median))
            #expect(way.delay.p99 > 10_000)
            #expect((15_000...30_000).contains(way.delay.maximum))
            // Else the machine's own wake-up shows in the delays.
            #expect(way.notice.median < way.delay.minimum)
        }
        // What ping saw: both ways take the base at least, and nothing is overtaken on its way.
        let replies = answer.output.split(separator: "\n").filter { $0.contains("icmp_seq=") }
        let times = replies.compactMap { Self.field("time=", of: $0) }
        #expect(times.count > count * 9 / 10)
        #expect(times.allSatisfy { $0 >= 2 })
        let numbers = replies.compactMap { Self.field("icmp_seq=", of: $0) }
        #expect(numbers == numbers.sorted())
    }

    /// The number after a name in one of ping's lines.
    private static func field(_ name: String, of line: Substring) -> Double? {
        line.split(separator: " ").first { $0.hasPrefix(name) }.flatMap { Double($0.dropFirst(name.count)) }
    }
}
