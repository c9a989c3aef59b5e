extension [UInt8] {
    /// Changes a few bytes at a random place, in one of the ways that break parsers.
    public mutating func hurt(with other: [UInt8], using generator: inout SeededGenerator) {
        guard !isEmpty else { return }
        let place = Int.random(in: 0..<count, using: &generator)
        let end = Swift.min(count, place + Int.random(in: 1...40, using: &generator))
        switch Int.random(in: 0..<7, using: &generator) {
        case 0: self[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
        case 1: self[place] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
        case 2: removeSubrange(place..<end)
        case 3: insert(contentsOf: self[place..<end], at: Int.random(in: 0...count, using: &generator))
        case 4: removeSubrange(place...)
        case 5 where place + 4 <= count:
            put(bigEndian: UInt32.random(in: 0 ... .max, using: &generator) >> UInt32(place % 32), at: place)
        default: replaceSubrange(place..., with: other.suffix(Swift.max(0, other.count - place)))
        }
    }
}
