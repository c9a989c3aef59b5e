import Testing

@testable import WebRemote

@Suite(.timeLimit(.minutes(5)))
struct TicketTests {
    private let holder = Tickets.Holder(name: "a", rights: [.listen], instance: 7, guest: nil)

    @Test func aTicketOpensTwoSocketsOfEachUse() {
        var tickets = Tickets()
        let ticket = tickets.issue(to: holder)
        for use in Tickets.Use.allCases {
            #expect(tickets.open(use, with: ticket) == holder && tickets.open(use, with: ticket) == holder)
            #expect(tickets.open(use, with: ticket) == nil)
            tickets.close(use, with: ticket)
            #expect(tickets.open(use, with: ticket) == holder)
        }
    }

    @Test func aWithdrawnTicketOpensNothing() {
        var tickets = Tickets()
        let (first, second) = (tickets.issue(to: holder), tickets.issue(to: holder))
        tickets.withdraw(first)
        tickets.close(.clock, with: first)
        #expect(tickets.open(.clock, with: first) == nil && tickets.holder(of: first) == nil)
        #expect(tickets.holder(of: second) == holder)
    }

    @Test func ticketsAre128RandomBits() {
        let tickets = (0..<100).map { _ in Ticket.random() }
        #expect(Set(tickets).count == 100 && tickets.allSatisfy { $0.hex.utf8.count == 32 })
        #expect(Ticket(tickets[0].hex) == tickets[0])
        #expect(Ticket(nil) == nil && Ticket("") == nil && Ticket(tickets[0].hex.uppercased() + "0") == nil)
    }
}
