import Cryptography
import NIOCore
import StreamTestKit
import Testing

@testable import SecureChannel

/// Records of one direction.
@Suite(.timeLimit(.minutes(5)))
final class RecordTests {
    private let key = SecretBytes.random(count: 32)
    private lazy var opener = RecordOpener(key: key)

    private func sealed(_ messages: [[UInt8]]...) -> [UInt8] {
        var sealer = RecordSealer(key: key)
        return messages.flatMap { flush in
            Array(sealer.seal(flush.map { ByteBuffer(bytes: $0) }).readableBytesView)
        }
    }

    private func opened(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
        Array(try opener.open(ByteBuffer(bytes: bytes)).readableBytesView)
    }

    @Test func oneFlushIsOneRecord() throws {
        let bytes = sealed([[1, 2], [], [3]])
        #expect(bytes.count == 3 + SecureChannelLimits.recordOverhead)
        #expect(try opened(bytes) == [1, 2, 3])
        #expect(sealed([]).isEmpty && sealed([[]]).isEmpty)
    }

    @Test func aLongFlushIsSplit() throws {
        let limit = SecureChannelLimits.recordPlaintextByteCount
        let messages = [20_000, 1, 30_000].map { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) } }
        let bytes = sealed(messages)
        #expect(bytes.count == 50_001 + (50_001 + limit - 1) / limit * SecureChannelLimits.recordOverhead)
        #expect(try opened(bytes) == messages.flatMap { $0 })
        #expect(sealed([[UInt8](repeating: 1, count: limit)]).count == limit + SecureChannelLimits.recordOverhead)
    }

    @Test(arguments: 0..<100) func anyPiecesGiveTheSame(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let flushes = (0..<20).map { _ in
            (0..<Int.random(in: 1..<4, using: &generator)).map { _ in
                let count = Int.random(in: 0..<(Bool.random(using: &generator) ? 10 : 9_000), using: &generator)
                return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            }
        }
        var sealer = RecordSealer(key: key)
        var rest = flushes.flatMap { flush in
            Array(sealer.seal(flush.map { ByteBuffer(bytes: $0) }).readableBytesView)
        }[...]
        var plaintext: [UInt8] = []
        while !rest.isEmpty {
            let count = Int.random(in: 1..<[2, 100, 40_000].randomElement(using: &generator)!, using: &generator)
            plaintext += try opened(rest.prefix(count))
            rest = rest.dropFirst(count)
            #expect(opener.heldByteCount < 2 + 16 + SecureChannelLimits.recordPlaintextByteCount)
        }
        #expect(plaintext == flushes.flatMap { $0 }.flatMap { $0 }, "seed \(seed)")
        try opener.end()
    }

    @Test func whatTheCallerKeepsIsNotChanged() throws {
        let bytes = ByteBuffer(bytes: sealed([[1, 2, 3]]))
        let before = Array(bytes.readableBytesView)
        #expect(try opener.open(bytes) == ByteBuffer(bytes: [1, 2, 3]))
        #expect(Array(bytes.readableBytesView) == before)
    }

    @Test func everyBitCounts() throws {
        let bytes = sealed([[1, 2, 3]], [[4]])
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            var opener = RecordOpener(key: key)
            var plaintext: [UInt8] = []
            var failure: RecordError?
            do {
                plaintext += try opener.open(ByteBuffer(bytes: changed)).readableBytesView
                // A changed length may make the opener wait for more than there is.
                try opener.end()
            } catch { failure = error }
            #expect(failure != nil && [[], [1, 2, 3]].contains(plaintext), "bit \(bit)")
        }
    }

    @Test func theOrderCounts() throws {
        let (first, second) = (sealed([[1]]), Array(sealed([[1]], [[2]]).dropFirst(19)))
        #expect(throws: RecordError.notAuthentic) { try opened(second) }
        #expect(throws: RecordError.notAuthentic, "it stays failed") { try opened(first) }
        opener = RecordOpener(key: key)
        #expect(try opened(first) == [1])
        #expect(throws: RecordError.notAuthentic, "once more") { try opened(first) }
    }

    @Test func whatCameBeforeABadRecordIsGiven() throws {
        var bytes = sealed([[1]], [[2]])
        bytes[bytes.count - 1] ^= 1
        #expect(try opened(bytes) == [1])
        #expect(opener.failure == .notAuthentic)
        #expect(throws: RecordError.notAuthentic) { try opened([]) }
        #expect(opener.heldByteCount == 0)
    }

    @Test(arguments: [0, 16, 16_401, 65_535]) func lengthsOfNoRecordAreRefused(length: Int) {
        #expect(throws: RecordError.badLength(length)) { try opened([UInt8(length >> 8), UInt8(length & 255)]) }
        opener = RecordOpener(key: key)
        #expect(throws: RecordError.badLength(length)) {
            _ = try opened([UInt8(length >> 8)])
            _ = try opened([UInt8(length & 255)])
        }
    }

    @Test func anEndWithinARecordIsNoticed() throws {
        let bytes = sealed([[1]])
        try opener.end()
        #expect(try opened(bytes.dropLast()) == [])
        #expect(throws: RecordError.truncated) { try opener.end() }
        #expect(throws: RecordError.truncated) { try opened(bytes.suffix(1)) }
    }

    @Test func anotherKeyOpensNothing() throws {
        opener = RecordOpener(key: .random(count: 32))
        #expect(throws: RecordError.notAuthentic) { try opened(sealed([[1]])) }
    }
}
