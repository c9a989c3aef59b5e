import AudioCore
import Testing

@testable import WebRemote

@Suite(.timeLimit(.minutes(5)))
struct StreamTicketsTests {
    private static let start = HostTime(nanoseconds: 0)

    @Test func aTicketIsGoodOnceAndSoon() {
        var tickets = StreamTickets()
        let guest = Guest(name: "Anna", role: .listen, ends: .max).id
        let (first, second) = (tickets.issue(to: guest, now: Self.start), tickets.issue(to: nil, now: Self.start))
        let use = tickets.use(first, now: Self.start + .seconds(1))
        #expect(use.isGood && use.guest == guest)
        #expect(!tickets.use(first, now: Self.start + .seconds(1)).isGood)
        #expect(!tickets.use(second, now: Self.start + StreamTickets.span).isGood)
        #expect(!tickets.use(Ticket.random(), now: Self.start).isGood)
    }

    @Test func theOldestGivesWay() {
        var tickets = StreamTickets()
        let all = (0...StreamTickets.countLimit).map {
            tickets.issue(to: nil, now: Self.start + .milliseconds(Int64($0)))
        }
        let good = all.map { tickets.use($0, now: Self.start + .seconds(1)).isGood }
        #expect(good.count { $0 } == StreamTickets.countLimit && !good[0])
    }
}
