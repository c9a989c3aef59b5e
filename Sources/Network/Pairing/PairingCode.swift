import Cryptography

/// Eight decimal digits that one machine shows and a person types on another. Every one of the 100 million is as
/// likely.
public struct PairingCode: Sendable {
    /// The digits in ASCII.
    let digits: SecretBytes

    private static let bound: UInt32 = 100_000_000

    public static func random() -> PairingCode { PairingCode(number: RandomNumbers.uniform(below: bound)) }

    init(number: UInt32) {
        digits = SecretBytes(count: PairingLimits.codeDigitCount) { memory in
            var rest = number
            for index in memory.indices.reversed() {
                memory[index] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
        }
    }

    /// Reads what somebody typed: eight digits, with spaces or hyphens anywhere. Returns nil for anything else.
    public init?(_ text: some StringProtocol) {
        let typed = text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "-") }
        guard typed.count == PairingLimits.codeDigitCount,
            typed.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        digits = SecretBytes(copying: typed)
    }

    /// For the person before the machine, and nobody else: `1234 5678`.
    public var displayText: String {
        digits.withBytes { String(decoding: $0[..<4], as: UTF8.self) + " " + String(decoding: $0[4...], as: UTF8.self) }
    }
}

extension PairingCode: CustomStringConvertible {
    public var description: String { "(code)" }
}
