import AudioCore
import Testing

@testable import ClockSync

@Suite struct ClockDatagramTests {
    static let key = ClockKey(
        identifier: 0x1122_3344_5566_7788, secret0: 0x0706_0504_0302_0100, secret1: 0x0f0e_0d0c_0b0a_0908)

    @Test func sipHashGivesThePublishedVector() {
        // Appendix A of the SipHash paper: key 00...0f, message 00...0e.
        #expect(
            SipHash.hash((0..<15).map { UInt8($0) }, key: (Self.key.secret0, Self.key.secret1))
                == 0xa129_ca61_49be_45e5)
    }

    @Test func everyFieldSurvives() {
        var reply = ClockDatagram(kind: .reply, keyIdentifier: Self.key.identifier, sequence: 7, cookie: 99)
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
}
