/// Bytes that a primitive reads: public ones in arrays and ``Bytes32``, secret ones in ``SecretBytes``.
public protocol ByteSource {
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension Array: ByteSource where Element == UInt8 {
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { withUnsafeBytes(body) }
}

extension UnsafeRawBufferPointer: ByteSource {
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { body(self) }
}

extension UnsafeRawBufferPointer {
    /// The bytes as libsodium takes them.
    var octets: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    var octets: UnsafeMutablePointer<UInt8> { baseAddress!.assumingMemoryBound(to: UInt8.self) }
}
