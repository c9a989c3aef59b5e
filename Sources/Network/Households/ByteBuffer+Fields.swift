import Cryptography
import NIOCore
import SecureChannel

/// Field types of a household's document. What is read back has one form only, so that equal documents have equal
/// bytes.
extension ByteBuffer {
    mutating func writeBytes32(_ bytes: Bytes32) { bytes.withBytes { _ = writeBytes($0) } }

    mutating func readBytes32() -> Bytes32? {
        readSlice(length: Bytes32.count).flatMap { Bytes32($0.readableBytesView) }
    }

    mutating func writeKey(_ key: SigningKey) { writeBytes32(key.bytes) }
    mutating func readKey() -> SigningKey? { readBytes32().flatMap { SigningKey($0) } }

    mutating func writeList(_ keys: [Bytes32]) {
        writeInteger(UInt16(keys.count))
        for key in keys { writeBytes32(key) }
    }

    /// Reads keys in ascending order. That they are points of the group is not checked: that takes long, and all that
    /// is done with them is to look others up.
    mutating func readList(limit: Int) -> [Bytes32]? {
        guard let count = readInteger(as: UInt16.self), count <= limit, Int(count) * Bytes32.count <= readableBytes
        else { return nil }
        var keys: [Bytes32] = []
        for _ in 0..<count {
            guard let key = readBytes32(), keys.last.map({ $0 < key }) ?? true else { return nil }
            keys.append(key)
        }
        return keys
    }

    /// Writes a name of at most ``HouseholdLimits/nameByteCount`` bytes.
    mutating func writeName(_ name: String) {
        writeInteger(UInt8(name.utf8.count))
        writeString(name)
    }

    mutating func readName() -> String? {
        guard let count = readInteger(as: UInt8.self), let slice = readSlice(length: Int(count)),
            let name = String(validating: slice.readableBytesView, as: UTF8.self), Household.isName(name)
        else { return nil }
        return name
    }

    mutating func readSignature() -> [UInt8]? { readBytes(length: Ed25519.signatureByteCount) }
}
