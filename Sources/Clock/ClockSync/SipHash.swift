/// SipHash-2-4, a keyed 64-bit hash (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012, section 2).
///
/// Authenticates clock datagrams: hashing 64 bytes takes some 50 ns, and nobody without the key can forge one.
enum SipHash {
    static func hash(_ bytes: some Collection<UInt8>, key: (UInt64, UInt64)) -> UInt64 {
        var state = State(key: key)
        var word: UInt64 = 0
        var count = 0
        for byte in bytes {
            word |= UInt64(byte) &<< UInt64((count & 7) * 8)
            count += 1
            guard count & 7 == 0 else { continue }
            state.compress(word)
            word = 0
        }
        state.compress(word | UInt64(count & 0xff) &<< 56)
        return state.finish()
    }

    private struct State {
        var v0, v1, v2, v3: UInt64

        init(key: (UInt64, UInt64)) {
            v0 = key.0 ^ 0x736f_6d65_7073_6575
            v1 = key.1 ^ 0x646f_7261_6e64_6f6d
            v2 = key.0 ^ 0x6c79_6765_6e65_7261
            v3 = key.1 ^ 0x7465_6462_7974_6573
        }

        mutating func compress(_ word: UInt64) {
            v3 ^= word
            round()
            round()
            v0 ^= word
        }

        mutating func finish() -> UInt64 {
            v2 ^= 0xff
            for _ in 0..<4 { round() }
            return v0 ^ v1 ^ v2 ^ v3
        }

        private mutating func round() {
            v0 = v0 &+ v1
            v1 = rotate(v1, 13) ^ v0
            v0 = rotate(v0, 32)
            v2 = v2 &+ v3
            v3 = rotate(v3, 16) ^ v2
            v0 = v0 &+ v3
            v3 = rotate(v3, 21) ^ v0
            v2 = v2 &+ v1
            v1 = rotate(v1, 17) ^ v2
            v2 = rotate(v2, 32)
        }

        private func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word &<< bits | word &>> (64 &- bits) }
    }
}
