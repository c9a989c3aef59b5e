import AudioCore
import Testing

@testable import ClockSync

@Suite(.timeLimit(.minutes(5))) struct ClockDatagramTests {
    static let key = ClockKey(
        identifier: 0x1122_3344_5566_7788, secret0: 0x0706_0504_0302_0100, secret1: 0x0f0e_0d0c_0b0a_0908)

    @Test func sipHashGivesThePublishedVector() {
        // Appendix A of the SipHash paper: key 00...0f, message 00...0e.
        #expect(
            SipHash.hash((0..<15).map { UInt8($0) }, key: (Self.key.secret0, Self.key.secret1))
                == 0xa129_ca61_49be_45e5)
    }

    /// Made by a program of its own from the table in ``ClockDatagram``.
    @Test func requestHasTheBytesOfTheTable() {
        let request = ClockDatagram(
            kind: .request, keyIdentifier: Self.key.identifier, sequence: 1, cookie: 0x0123_4567_89ab_cdef)
        let golden =
            "5475546301010000112233445566778800000001000000000123456789abcdef"
            + "00000000000000000000000000000000000000000000000015883ee070e2d827"
        #expect(hexadecimal(request.encoded(under: Self.key)) == golden)
    }

    @Test func replyHasTheBytesOfTheTable() {
        var reply = ClockDatagram(
            kind: .reply, keyIdentifier: Self.key.identifier, sequence: 258, cookie: 0xfedc_ba98_7654_3210)
        reply.interval = .milliseconds(500)
        reply.previousSequence = 257
        reply.receive = SessionTime(nanoseconds: 1_000_000_007)
        reply.transmit = SessionTime(nanoseconds: -2)
        reply.previousTransmit = SessionTime(nanoseconds: 3)
        let golden =
            "54755463010201f411223344556677880000010200000101fedcba9876543210"
            + "000000003b9aca07fffffffffffffffe00000000000000033c460755f0e3093f"
        #expect(hexadecimal(reply.encoded(under: Self.key)) == golden)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test func everyFieldSurvives() {
        var reply = ClockDatagram(kind: .reply, keyIdentifier: Self.key.identifier, sequence: 7, cookie: 99)
        reply.interval = .milliseconds(65_535)
        reply.previousSequence = 6
        reply.receive = SessionTime(nanoseconds: -1)
        reply.transmit = SessionTime(nanoseconds: .max)
        reply.previousTransmit = SessionTime(nanoseconds: .min)
        #expect(ClockDatagram(reply.encoded(under: Self.key), under: Self.key) == reply)
    }

    @Test func anyAlteredByteIsRefused() {
        let bytes = ClockDatagram(kind: .request, keyIdentifier: Self.key.identifier, sequence: 1, cookie: 2)
            .encoded(under: Self.key)
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 0x10
            #expect(ClockDatagram(altered, under: Self.key) == nil, "byte \(index)")
        }
    }

    @Test func otherLengthsAreRefused() {
        let bytes = ClockDatagram(kind: .request, keyIdentifier: Self.key.identifier, sequence: 1, cookie: 2)
            .encoded(under: Self.key)
        for length in 0..<64 { #expect(ClockDatagram(Array(bytes[..<length]), under: Self.key) == nil) }
        #expect(ClockDatagram(bytes + [0], under: Self.key) == nil)
    }

    @Test func keySurvivesTheGreeting() {
        #expect(ClockKey(bytes: Self.key.bytes) == Self.key)
        #expect(ClockKey(bytes: Self.key.bytes.dropLast()) == nil)
    }
}
