/// Who has a code that is good now, and which of their requests were made before. Owns no clock.
struct GuestBook {
    /// Guests of a store that are looked at; the others have no way in.
    static let guestLimit = 1_000

    private var guests: [GuestID: Guest] = [:]
    private var numbers: [GuestID: RequestNumbers] = [:]
    private let start: Int64

    /// - Parameter start: in milliseconds since 1970. What was numbered before is not good: another process may have
    ///   taken it.
    init(since start: Int64 = 0) { self.start = start }

    /// Takes the guests that are kept now, in place of those that were.
    mutating func replace(_ kept: [Guest]) {
        guests = Dictionary(kept.prefix(Self.guestLimit).map { ($0.id, $0) }) { first, _ in first }
        if numbers.count > 2 * Self.guestLimit { numbers = numbers.filter { guests[$0.key] != nil } }
    }

    /// Returns the guest of this id, if the code is good.
    /// - Parameter now: in seconds since 1970, as everywhere here.
    func guest(_ id: GuestID, at now: Int64) -> Guest? {
        guard let guest = guests[id], guest.isValid(at: now) else { return nil }
        return guest
    }

    /// Whether anybody has a code that is good.
    func hasGuests(at now: Int64) -> Bool { guests.values.contains { $0.isValid(at: now) } }

    /// Takes the number of an HTTP request that is a guest's without doubt. What was taken is known for as long as this
    /// process lives: also of a guest that was withdrawn and let in again with the same key.
    /// - Parameter now: in milliseconds since 1970.
    /// - Returns: whether it is new.
    mutating func accept(_ number: UInt64, of id: GuestID, at now: Int64) -> Bool {
        numbers[id, default: RequestNumbers(after: start)].accept(number, at: now)
    }
}
