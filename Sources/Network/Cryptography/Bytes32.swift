/// 32 public bytes: a public key or a digest. Compared in the order of the bytes.
public struct Bytes32: Hashable, Sendable, BitwiseCopyable {
    public static let count = 32

    private var words: SIMD4<UInt64>

    /// Takes exactly 32 bytes; returns nil for any other number.
    public init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        self.init { $0.copyBytes(from: bytes) }
    }

    /// - Parameter fill: writes the 32 bytes, which are zero before.
    public init(filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        words = .zero
        withUnsafeMutableBytes(of: &words, fill)
    }

    public static let zero = Bytes32 { _ in }

    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// In lower-case hexadecimal digits.
    public var hex: String { String(decoding: bytes.hexDigits, as: UTF8.self) }
}

extension Bytes32: ByteSource {
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words, body)
    }
}

extension Bytes32: Comparable {
    public static func < (a: Bytes32, b: Bytes32) -> Bool {
        for index in 0..<4 where a.words[index] != b.words[index] {
            return a.words[index].bigEndian < b.words[index].bigEndian
        }
        return false
    }
}
