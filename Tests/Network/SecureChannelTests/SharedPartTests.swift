import Cryptography
import NIOCore
import StreamTestKit
import Testing

@testable import SecureChannel

/// What is encrypted once for several channels.
@Suite(.timeLimit(.minutes(5)))
struct SharedPartTests {
    private let keys = (one: SecretBytes.random(count: 32), other: SecretBytes.random(count: 32))

    private func messages(_ byteCounts: Int...) -> SharedMessages {
        SharedMessages(byteCounts.map { count in ByteBuffer(bytes: (0..<count).map { UInt8(truncatingIfNeeded: $0) }) })
    }

    private func plain(_ messages: SharedMessages) -> [UInt8] { messages.messages.flatMap { $0.readableBytesView } }

    private func sealed(_ pieces: OutgoingPiece..., under key: SecretBytes) -> [[UInt8]] {
        var sealer = RecordSealer(key: key)
        return sealer.seal(pieces).map { Array($0.readableBytesView) }
    }

    /// What an announcement and what follows it lead to.
    private func opened(_ announcement: SharedPart.Announcement, _ part: [UInt8]) -> Result<[UInt8], RecordError> {
        var bytes = ByteBuffer()
        bytes.writeInteger(RecordLength.announcement.rawValue)
        announcement.write(to: &bytes)
        bytes.writeRepeatingByte(0, count: ChaChaPoly.tagByteCount)
        var cipher = CipherState(key: keys.one)
        bytes.withUnsafeMutableReadableBytes { bytes in
            cipher.seal(
                UnsafeMutableRawBufferPointer(rebasing: bytes[2...]),
                additionalData: UnsafeRawBufferPointer(rebasing: bytes[..<2]))
        }
        bytes.writeBytes(part)
        var opener = RecordOpener(key: keys.one)
        return Result { () throws(RecordError) in Array(try opener.open(bytes).readableBytesView) }
    }

    @Test func everyChannelCarriesTheSameBytesAndAnnouncesThemItself() throws {
        let shared = messages(3_000, 1, 4_000)
        let both = [keys.one, keys.other].map {
            sealed(.message(ByteBuffer(bytes: [1])), .shared(shared), .message(ByteBuffer(bytes: [2])), under: $0)
        }
        #expect(both[0].count == 3 && both[0][1].count == 7_001 && both[0][1] == both[1][1])
        #expect(both[0][0] != both[1][0])
        for (key, pieces) in zip([keys.one, keys.other], both) {
            var opener = RecordOpener(key: key)
            let text = try opener.open(ByteBuffer(bytes: pieces.flatMap { $0 }))
            #expect(Array(text.readableBytesView) == [1] + plain(shared) + [2])
            try opener.end()
        }
    }

    @Test func noTwoPartsHaveTheSameKey() {
        let (one, other) = (messages(100).part, messages(100).part)
        #expect(one.ciphertext != other.ciphertext && one.ciphertext != messages(100).messages[0])
    }

    @Test(arguments: 0..<50) func anyPiecesGiveTheSame(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let limit = SecureChannelLimits.sharedPartByteCount
        let pieces = (0..<12).map { _ in
            let count = Int.random(in: 1...(Bool.random(using: &generator) ? 10 : limit), using: &generator)
            let buffer = ByteBuffer(bytes: (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
            return Bool.random(using: &generator) ? OutgoingPiece.message(buffer) : .shared(SharedMessages([buffer]))
        }
        var sealer = RecordSealer(key: keys.one)
        var opener = RecordOpener(key: keys.one)
        var rest = sealer.seal(pieces).flatMap { Array($0.readableBytesView) }[...]
        var text: [UInt8] = []
        while !rest.isEmpty {
            let count = Int.random(in: 1..<[2, 100, 40_000].randomElement(using: &generator)!, using: &generator)
            text += try opener.open(ByteBuffer(bytes: rest.prefix(count))).readableBytesView
            rest = rest.dropFirst(count)
            #expect(opener.heldByteCount < limit)
        }
        #expect(text == pieces.flatMap(\.messages).flatMap { Array($0.readableBytesView) }, "seed \(seed)")
        try opener.end()
    }

    @Test func everyBitCounts() {
        let bytes = sealed(.shared(messages(5)), .message(ByteBuffer(bytes: [9])), under: keys.one).flatMap { $0 }
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            var opener = RecordOpener(key: keys.one)
            var text: [UInt8] = []
            var failure: RecordError?
            do throws(RecordError) {
                text += try opener.open(ByteBuffer(bytes: changed)).readableBytesView
                // A changed length may make the opener wait for more than there is.
                try opener.end()
            } catch { failure = error }
            #expect((failure ?? opener.failure) != nil && [[], [0, 1, 2, 3, 4]].contains(text), "bit \(bit)")
        }
    }

    /// A listener knows the key, and stands between the broadcaster and another listener.
    @Test func whoKnowsTheKeyCannotChangeThePart() {
        let part = messages(5).part
        #expect(opened(part.announcement, Array(part.ciphertext.readableBytesView)) == .success([0, 1, 2, 3, 4]))
        var other: [UInt8] = [5, 5, 5, 5, 5]
        other.withUnsafeMutableBytes { ChaCha20.apply(to: $0, key: part.announcement.key) }
        #expect(opened(part.announcement, other) == .failure(.notAuthentic))
        let another = Array(messages(5).part.ciphertext.readableBytesView)
        #expect(opened(part.announcement, another) == .failure(.notAuthentic))
    }

    @Test(arguments: [0, SecureChannelLimits.sharedPartByteCount + 1, 0xFFFF_FFFF])
    func lengthsOfNoPartAreRefused(byteCount: Int) {
        let announcement = SharedPart.Announcement(key: keys.other, digest: .zero, byteCount: byteCount)
        #expect(opened(announcement, []) == .failure(.badLength(byteCount)))
    }

    @Test func anEndBeforeOrWithinThePartIsNoticed() throws {
        let pieces = sealed(.shared(messages(5)), under: keys.one)
        for count in [0, 4] {
            var opener = RecordOpener(key: keys.one)
            _ = try opener.open(ByteBuffer(bytes: pieces[0] + pieces[1].prefix(count)))
            #expect(throws: RecordError.truncated) { try opener.end() }
        }
    }
}
