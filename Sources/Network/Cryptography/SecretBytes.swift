import CSodium

/// Bytes that nobody else may learn: wiped when the last reference goes, and in no description, dump or error.
///
/// A reference type, so that a secret is in memory once however often a value that holds it is copied. The bytes never
/// change after they were made.
public final class SecretBytes {
    public let count: Int
    private let memory: UnsafeMutableRawBufferPointer

    /// - Parameter fill: writes the bytes, which are zero before.
    public init(count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) -> Void) {
        self.count = count
        // Never empty, so that there is an address.
        memory = .allocate(byteCount: max(1, count), alignment: 16)
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<count]))
    }

    /// Takes a copy. The caller's own bytes are not wiped.
    public convenience init(copying bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    /// Takes copies of all parts, one behind the other.
    public convenience init(joining parts: [any ByteSource]) {
        self.init(count: parts.reduce(0) { $0 + $1.withBytes { $0.count } }) { memory in
            var offset = 0
            for part in parts {
                part.withBytes { bytes in
                    UnsafeMutableRawBufferPointer(rebasing: memory[offset...]).copyMemory(from: bytes)
                    offset += bytes.count
                }
            }
        }
    }

    public static func random(count: Int) -> SecretBytes {
        Sodium.prepare()
        return SecretBytes(count: count) { randombytes_buf($0.baseAddress!, count) }
    }

    deinit {
        sodium_memzero(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    /// Compares in a time that depends on the counts alone.
    public func matches(_ other: some ByteSource) -> Bool {
        withBytes { own in
            other.withBytes {
                guard $0.count == own.count, let theirs = $0.baseAddress else { return $0.count == own.count }
                return sodium_memcmp(own.baseAddress!, theirs, own.count) == 0
            }
        }
    }

    /// A part of it, as a secret of its own.
    public func part(_ range: Range<Int>) -> SecretBytes {
        withBytes { SecretBytes(copying: $0[range]) }
    }
}

extension UnsafeMutableRawBufferPointer {
    /// Overwrites the bytes, even if nobody reads them again.
    public func wipe() {
        if let baseAddress { sodium_memzero(baseAddress, count) }
    }
}

extension SecretBytes: ByteSource {
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
    public var description: String { "(secret)" }
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}

/// Written in the initializer only, before anybody else has a reference; `deinit` has the last one.
extension SecretBytes: @unchecked Sendable {}
