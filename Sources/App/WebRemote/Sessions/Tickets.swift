import AudioCore
import Cryptography

/// What a page shows when it opens further sockets, or fetches pictures: 128 random bits.
struct Ticket: Hashable, Sendable {
    static let byteCount = 16

    /// In lower-case hexadecimal digits.
    let hex: String

    static func random() -> Ticket {
        Ticket(hex: String(decoding: RandomNumbers.bytes32().bytes.prefix(byteCount).hexDigits, as: UTF8.self))
    }

    private init(hex: String) { self.hex = hex }

    /// Returns nil if no ticket looks so.
    init?(_ text: String?) {
        guard let text, text.isLowerHex(digitCount: 2 * Self.byteCount) else { return nil }
        hex = text
    }
}

/// The tickets that are good: each from when a page has joined until its socket of events closes.
struct Tickets {
    /// What a socket is for that is opened with a ticket.
    enum Use: CaseIterable, Hashable, Sendable {
        case listening, clock
    }

    /// Who has a ticket.
    struct Holder: Hashable, Sendable {
        let name: String
        let rights: PageRights
        /// Of the page's own listener.
        let instance: UInt64
        /// Nil for one without a code.
        let guest: GuestID?
    }

    private struct Entry {
        let holder: Holder
        var open: [Use: Int] = [:]
    }

    /// Sockets of each use at once: while one that was lost lingers, the next one may come.
    static let socketsPerUse = 2

    private var entries: [Ticket: Entry] = [:]

    mutating func issue(to holder: Holder) -> Ticket {
        let ticket = Ticket.random()
        entries[ticket] = Entry(holder: holder)
        return ticket
    }

    mutating func withdraw(_ ticket: Ticket) { entries[ticket] = nil }

    func holder(of ticket: Ticket) -> Holder? { entries[ticket]?.holder }

    /// Returns a name that nobody else has: this one, or the same with a number behind it. Listeners are commanded by
    /// their names.
    /// - Parameters:
    ///   - former: a ticket that does not count.
    ///   - byteLimit: of a name; one that is too long with its number is cut.
    func distinctName(_ name: String, besides former: Ticket?, byteLimit: Int) -> String {
        let taken = Set(entries.filter { $0.key != former }.map(\.value.holder.name))
        var (distinct, number) = (name, 1)
        while taken.contains(distinct) {
            number += 1
            distinct = String(displaying: name, maximumByteCount: byteLimit - " \(number)".utf8.count) + " \(number)"
        }
        return distinct
    }

    /// Counts one more socket.
    /// - Returns: whose it is; nil if the ticket is not good, or as many are open as may be.
    mutating func open(_ use: Use, with ticket: Ticket) -> Holder? {
        guard let entry = entries[ticket], entry.open[use, default: 0] < Self.socketsPerUse else { return nil }
        entries[ticket]?.open[use, default: 0] += 1
        return entry.holder
    }

    /// Takes note that a socket closed which ``open(_:with:)`` counted.
    mutating func close(_ use: Use, with ticket: Ticket) {
        guard let count = entries[ticket]?.open[use], count > 0 else { return }
        entries[ticket]?.open[use] = count - 1
    }
}
