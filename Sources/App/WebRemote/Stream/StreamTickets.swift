import AudioCore

/// The tickets by which guests' players come to a stream: each is good once, and soon.
///
/// A player has no code and proves nothing, and a page's own ticket ends with the page, as when a phone is locked. The
/// stream goes on for as long as the guest's code is good.
struct StreamTickets {
    private struct Entry {
        let guest: GuestID?
        let ends: HostTime
    }

    /// From when the page asked for it until the player asks by it.
    static let span = TimeSpan.seconds(300)
    /// Tickets that nobody used yet; a further one takes the place of the oldest.
    static let countLimit = 64

    private var entries: [Ticket: Entry] = [:]

    /// - Parameter guest: nil for somebody without a code.
    mutating func issue(to guest: GuestID?, now: HostTime) -> Ticket {
        entries = entries.filter { $0.value.ends > now }
        if entries.count >= Self.countLimit, let oldest = entries.min(by: { $0.value.ends < $1.value.ends }) {
            entries[oldest.key] = nil
        }
        let ticket = Ticket.random()
        entries[ticket] = Entry(guest: guest, ends: now + Self.span)
        return ticket
    }

    /// Uses a ticket up.
    /// - Returns: false if it is not good; else whose it is.
    mutating func use(_ ticket: Ticket, now: HostTime) -> (isGood: Bool, guest: GuestID?) {
        guard let entry = entries.removeValue(forKey: ticket), entry.ends > now else { return (false, nil) }
        return (true, entry.guest)
    }
}
