import NIOCore
import Testing
import WireProtocol

/// The first eight bytes.
@Suite(.timeLimit(.minutes(5))) struct PreambleTests {
    private func read(_ bytes: [UInt8], expecting security: Preamble.Security = .encrypted) throws -> Bool {
        var buffer = ByteBuffer(bytes: bytes)
        let isRead = try Preamble.read(from: &buffer, expecting: security)
        #expect(buffer.readableBytes == (isRead ? bytes.count - Preamble.byteCount : bytes.count))
        return isRead
    }

    @Test func theBytesAreWrittenDown() {
        #expect(Preamble.bytes(.encrypted) == [0x54, 0x55, 0x54, 0x54, 0x49, 0x0A, 2, 1])
        #expect(Preamble.bytes(.plain) == [0x54, 0x55, 0x54, 0x54, 0x49, 0x0A, 2, 0])
    }

    @Test(arguments: 0..<8) func anyBeginningWaitsForTheRest(byteCount: Int) throws {
        #expect(try !read(Array(Preamble.bytes(.encrypted).prefix(byteCount))))
    }

    @Test func whatFollowsIsLeft() throws { #expect(try read(Preamble.bytes(.encrypted) + [1, 2, 3])) }

    @Test func noiseIsFoundOutByItsFirstByte() {
        #expect(throws: PreambleError.notTutti) { try read([UInt8(ascii: "G")]) }
        #expect(throws: PreambleError.notTutti) { try read(Array("GET / HTTP/1.1\r\n".utf8)) }
    }

    @Test func anotherSecurityIsRefusedOnEitherSide() {
        #expect(throws: PreambleError.unsupportedSecurity(0)) { try read(Preamble.bytes(.plain)) }
        #expect(throws: PreambleError.unsupportedSecurity(1)) {
            try read(Preamble.bytes(.encrypted), expecting: .plain)
        }
        #expect(throws: PreambleError.unsupportedSecurity(2)) { try read(Preamble.magic + [Preamble.version, 2]) }
    }

    @Test func anotherVersionIsRefusedWithALineThatSaysWhatToDo() throws {
        let error = #expect(throws: PreambleError.incompatibleVersion(1)) { try read(Preamble.magic + [1, 0]) }
        #expect(
            error?.description == "it speaks protocol version 1, this is version 2: install the same release on both")
    }
}
