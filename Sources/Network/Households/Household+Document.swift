import Cryptography
import NIOCore
import SecureChannel

/// The document: what is stored, and what members send each other. It contains the secret.
///
/// | bytes | meaning |
/// |---|---|
/// | 1 | version: 1 |
/// | 32 | founder's signing key |
/// | 32 | number |
/// | 1 and so many | name |
/// | 2 | count of admissions; each is member 32, sponsor 32, name, signature 64 |
/// | 2 | count of removals; each is removed 32, author 32, count of keys kept u16, these, signature 64 |
/// | | secret: generation u32, maker 32, count of keys withheld u16, these, 32 bytes, signature 64 |
///
/// Numbers are big-endian, statements and keys in ascending order, and nothing follows. So the same household always
/// has the same bytes.
extension Household {
    static let version: UInt8 = 1

    /// Within ``HouseholdLimits``.
    public func encoded() -> SecretBytes {
        var buffer = ByteBuffer()
        write(to: &buffer)
        defer { buffer.withUnsafeMutableReadableBytes { $0.wipe() } }
        return buffer.withUnsafeReadableBytes { SecretBytes(copying: $0) }
    }

    /// Tells whether two members have the same document, without telling anything of it.
    public var digest: Bytes32 { Hashing.blake2b(Array("tutti household document 1\0".utf8), encoded()) }

    /// Reads a document. Every signature is checked, and every author must be somebody whom another statement lets in.
    public init(decoding bytes: some ByteSource) throws(HouseholdError) {
        var buffer = bytes.withBytes { bytes in
            bytes.count <= HouseholdLimits.documentByteCount ? ByteBuffer(bytes: bytes) : ByteBuffer()
        }
        defer {
            buffer.moveReaderIndex(to: 0)
            buffer.withUnsafeMutableReadableBytes { $0.wipe() }
        }
        guard let household = Household(from: &buffer), buffer.readableBytes == 0 else { throw .malformed }
        guard household.isAuthentic else { throw .notAuthentic }
        self = household
        updateMembers()
    }

    private func write(to buffer: inout ByteBuffer) {
        // All at once: what grows leaves copies of the secret behind.
        buffer.reserveCapacity(byteCount)
        buffer.writeInteger(Self.version)
        buffer.writeKey(founder)
        buffer.writeBytes32(number)
        buffer.writeName(name)
        buffer.writeInteger(UInt16(admissions.count))
        for (_, admission) in admissions.sorted(by: { $0.key < $1.key }) { admission.write(to: &buffer) }
        buffer.writeInteger(UInt16(removals.count))
        for (_, removal) in removals.sorted(by: { $0.key < $1.key }) { removal.write(to: &buffer) }
        latestSecret?.write(to: &buffer)
    }

    /// Reads the layout alone.
    private init?(from buffer: inout ByteBuffer) {
        guard buffer.readInteger(as: UInt8.self) == Self.version, let founder = buffer.readKey(),
            let number = buffer.readBytes32(), let name = buffer.readName(),
            let admissionCount = buffer.readInteger(as: UInt16.self),
            admissionCount <= HouseholdLimits.admissionCount
        else { return nil }
        self.init(name: name, founder: founder, number: number)
        var last: Admission.ID?
        for _ in 0..<admissionCount {
            guard let admission = Admission(from: &buffer), last.map({ $0 < admission.id }) ?? true else { return nil }
            insert(admission)
            last = admission.id
        }
        guard readRemovals(from: &buffer), let secret = HouseholdSecret(from: &buffer) else { return nil }
        insert(secret)
    }

    private mutating func readRemovals(from buffer: inout ByteBuffer) -> Bool {
        guard let count = buffer.readInteger(as: UInt16.self), count <= HouseholdLimits.removalCount else {
            return false
        }
        var last: Removal.ID?
        for _ in 0..<count {
            guard let removal = Removal(from: &buffer), last.map({ $0 < removal.id }) ?? true else { return false }
            insert(removal)
            last = removal.id
        }
        return true
    }

    /// Whether all statements are signed, by somebody whom a chain of admissions joins to the founder. That keys are
    /// removed does not matter here: their statements of before still count.
    private var isAuthentic: Bool {
        let known = knownKeys
        guard admissions.values.allSatisfy({ known.contains($0.id.sponsor) && $0.isAuthentic(in: id) }),
            removals.values.allSatisfy({ known.contains($0.id.author) && $0.isAuthentic(in: id) }),
            let latestSecret
        else { return false }
        return known.contains(latestSecret.maker) && latestSecret.isAuthentic(in: id)
            // Nobody but the founder lets itself in.
            && admissions.keys.allSatisfy { $0.member != $0.sponsor || $0.member == founder }
    }

    private var knownKeys: Set<SigningKey> {
        guard admissions[Admission.ID(member: founder, sponsor: founder)] != nil else { return [] }
        let words = Dictionary(grouping: admissions.keys, by: \.sponsor)
        var (known, open): (Set<SigningKey>, [SigningKey]) = ([founder], [founder])
        while let sponsor = open.popLast() {
            for word in words[sponsor, default: []] where known.insert(word.member).inserted {
                open.append(word.member)
            }
        }
        return known
    }

    // MARK: Size

    var isWithinLimits: Bool {
        admissions.count <= HouseholdLimits.admissionCount && removals.count <= HouseholdLimits.removalCount
            && byteCount <= HouseholdLimits.documentByteCount
    }

    private var byteCount: Int {
        let (key, signature) = (Bytes32.count, Ed25519.signatureByteCount)
        var count = 1 + 2 * key + 1 + name.utf8.count + 2 + 2
        for admission in admissions.values { count += 2 * key + 1 + admission.name.utf8.count + signature }
        for removal in removals.values { count += 2 * key + 2 + removal.kept.count * key + signature }
        guard let latestSecret else { return count }
        return count + 4 + key + 2 + latestSecret.withheld.count * key + HouseholdLimits.secretByteCount + signature
    }
}
