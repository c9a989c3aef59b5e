/// What the Authorization header of a guest's HTTP request says: `Tutti-Guest ID N MAC`.
struct GuestAuthorization: Equatable {
    let id: GuestID
    let number: UInt64
    /// In hexadecimal digits.
    let mac: String

    /// Returns nil if that is something else.
    init?(header: String) {
        // The scheme's name is compared without regard to case (RFC 9110, section 11.1).
        let parts = header.prefix(256).split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 4, parts[0].lowercased() == "tutti-guest", let id = GuestID(hex: String(parts[1])),
            parts[2].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(parts[2])
        else { return nil }
        self.id = id
        self.number = number
        mac = String(parts[3])
    }
}
