import AudioCore
import Peering
import Testing

/// Lines that peers can bring about at will.
@Suite(.timeLimit(.minutes(5)))
final class NoticeLimiterTests {
    private enum Kind {
        case refused, blocked
    }

    private var noticeLimiter = NoticeLimiter<Kind, String>()

    private func isNew(_ line: String, _ kind: Kind = .refused, from address: String = "10.0.0.66") -> Bool {
        noticeLimiter.isNew(line, kind, from: address)
    }

    private func countDue(_ count: Int, from address: String = "10.0.0.66", at seconds: Int64 = 0) -> Int {
        let now = HostTime(nanoseconds: seconds * 1_000_000_000)
        return (0..<count).count { _ in noticeLimiter.isDue(.refused, from: address, now: now) }
    }

    @Test func aLineIsToldOnceWhoeverBringsItAbout() {
        #expect(isNew("a") && isNew("b"))
        #expect(!isNew("a") && !isNew("a", from: "10.0.0.1"))
        #expect(isNew("a", .blocked))
    }

    @Test func whoInventsLinesMutesItself() {
        let told = (0..<10_000).count { isNew("invented \($0)") }
        #expect(told == PeeringLimits.rememberedNoticeCountPerAddress)
        #expect(isNew("real", from: "10.0.0.1"))
        #expect(isNew("blocked", .blocked))
    }

    @Test func manyAddressesMuteOneKind() {
        let told = (0..<10_000).count { isNew("invented \($0)", from: "10.1.\($0 / 256).\($0 % 256)") }
        #expect(told == PeeringLimits.rememberedNoticeCount)
        #expect(!isNew("real", from: "10.0.0.1"))
        #expect(isNew("real", .blocked, from: "10.0.0.1"))
    }

    @Test func aNetworkOfIPv6IsOneAddress() {
        let told = (0..<100).count { isNew("invented \($0)", from: "2001:db8::\($0)") }
        #expect(told == PeeringLimits.rememberedNoticeCountPerAddress)
        #expect(isNew("real", from: "2001:db8:0:1::1"))
    }

    @Test func whatHappensAgainAndAgainIsToldSoOften() {
        #expect(countDue(1_000) == PeeringLimits.repeatedCountPerAddress)
        #expect(countDue(3, from: "10.0.0.1") == 3)
        #expect(countDue(1, at: 599) == 0)
        #expect(countDue(1_000, at: 600) == PeeringLimits.repeatedCountPerAddress)
        let others = (0..<10_000).reduce(0) { $0 + countDue(1, from: "10.1.\($1 / 256).\($1 % 256)", at: 601) }
        #expect(others == PeeringLimits.repeatedCount - PeeringLimits.repeatedCountPerAddress)
    }
}
