import AudioCore
import Cryptography
import Listening
import Peering
import SecureChannel

/// The files of the state directory: any bytes, and what is written of anything. The first byte says which.
///
/// What is read back has the same bytes, or for the memory, which leaves out lines, has them from then on.
struct StateRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        var reader = InputReader(input)
        return switch reader.byte() % 5 {
        case 0: Self.keyViolation(reader.remainder())
        case 1: Self.seedViolation(&reader)
        case 2: Self.pinsViolation(reader.remainder())
        case 3: Self.meetingViolation(&reader)
        default: Self.memoryViolation(reader.remainder())
        }
    }

    // MARK: The key

    private static func keyViolation(_ bytes: [UInt8]) -> String? {
        guard let keys = PeerKeyPair(text: bytes) else { return nil }
        return keys.text == bytes ? nil : "a key has two texts"
    }

    /// A key that is written is read, and with any byte changed it is not.
    private static func seedViolation(_ reader: inout InputReader) -> String? {
        let (place, mask) = (Int(reader.byte()), reader.byte())
        let seed = reader.bytes(PeerKeyPair.seedByteCount)
        guard seed.count == PeerKeyPair.seedByteCount else { return nil }
        var text = PeerKeyPair(seed: SecretBytes(copying: seed)).text
        guard let keys = PeerKeyPair(text: text), keys.seed.matches(seed) else { return "a key is not read back" }
        guard mask != 0 else { return nil }
        text[place % text.count] ^= mask
        return PeerKeyPair(text: text) == nil ? nil : "a changed key is read"
    }

    // MARK: Pins

    private static func pinsViolation(_ bytes: [UInt8]) -> String? {
        guard let pins = PinnedNames(text: bytes) else { return nil }
        if pins.all.count > PinnedNames.capacity { return "\(pins.all.count) pins" }
        return pins.text == bytes ? nil : "pins have two texts"
    }

    /// Peers of any name that are met, named, forgotten.
    private static func meetingViolation(_ reader: inout InputReader) -> String? {
        var pins = PinnedNames()
        while !reader.isEmpty {
            let operation = reader.byte()
            let name = String(decoding: reader.bytes(Int(reader.byte() & 0x3F)), as: UTF8.self)
            guard let name = PeerName(name) else { continue }
            let key = HandshakeRun.keys[Int(operation >> 4 & 3)].key
            if operation & 7 == 0 {
                _ = pins.forget(name)
            } else {
                let isNamed = operation & 8 != 0
                let time = operation & 7 == 1 ? reader.number(Int64.self) : Int64(reader.byte()) << 16
                pins.note(MetPeer(name, key, isNamed: isNamed), at: time)
                if pins.judge(name, key) == .new, isNamed { return "a peer that the user named has no pin" }
            }
        }
        let text = pins.text
        // What the file may have: key, time, a word, a name and what stands between them.
        let largest = PinnedNames.capacity * (64 + 20 + 5 + PeerName.byteCountLimit + 4) + 64
        if text.count > largest { return "pins of \(text.count) bytes" }
        return PinnedNames(text: text) == pins ? nil : "pins are not read back: \(pins)"
    }

    // MARK: Memory

    private static func memoryViolation(_ bytes: [UInt8]) -> String? {
        let memory = MemoryFile(bytes)
        if memory.records.values.contains(where: { !(abs($0.value) <= 1e7) }) { return "an absurd number" }
        let written = memory.bytes
        // What is read of a file of the state directory.
        if written.count > 128 * 1024 { return "a memory of \(written.count) bytes" }
        let again = MemoryFile(written)
        if again.bytes != written { return "a memory is written otherwise once it was read" }
        guard memory.records.count <= MemoryFile.capacity else { return nil }
        return Set(again.records.keys) == Set(memory.records.keys) ? nil : "a record was lost"
    }
}

extension StateRun {
    static var seeds: [[UInt8]] {
        let text = HandshakeRun.keys[1].text
        var pins = PinnedNames()
        for (index, name) in ["Kitchen", "Attic", "Küche"].enumerated() {
            guard let name = PeerName(name) else { continue }
            pins.note(MetPeer(name, HandshakeRun.keys[index].key, isNamed: index == 1), at: 1_763_740_800)
        }
        let memory = """
            clock\t12.345\t1763740800\t00112233-4455-6677-8899-aabbccddeeff
            card\t-34.200\t1763740800\thw:1, USB Audio DAC at 48000
            offset\t-35000.000\t1763740800\thw:1, USB Audio DAC
            volume\t40.000\t1763740800\thw:1, USB Audio DAC
            muted\t1.000\t1763740800\thw:1, USB Audio DAC
            role\t-1.000\t1763740800\thw:1, USB Audio DAC

            """
        let meetings: [UInt8] = [
            1, 3, 65, 66, 67, 0, 0, 0, 0, 0, 0, 0, 9, 0x1A, 2, 68, 195, 7, 0x12, 3, 65, 66, 67, 9, 0, 1, 65,
        ]
        return [
            [0] + text, [1, 20, 1] + [UInt8](repeating: 7, count: 32), [1, 20, 0] + (0..<32).map { UInt8($0) },
            [2] + pins.text, [3] + meetings, [4] + Array(memory.utf8),
        ]
    }
}
