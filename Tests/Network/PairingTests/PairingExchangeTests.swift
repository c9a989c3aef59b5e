import Cryptography
import SecureChannel
import Testing

@testable import Pairing

/// Two machines, a code, and somebody on the way.
@Suite(.timeLimit(.minutes(5)))
struct PairingExchangeTests {
    private let keys = (member: PeerKeyPair.random().key, newcomer: PeerKeyPair.random().key)
    private let binding = ChannelBinding(RandomNumbers.bytes32())

    private func member(
        _ code: String, _ binding: ChannelBinding? = nil, to newcomer: PeerKey? = nil
    ) -> PairingExchange {
        PairingExchange(
            .member, code: PairingCode(code)!, ownKey: keys.member, remoteKey: newcomer ?? keys.newcomer,
            binding: binding ?? self.binding)
    }

    private func newcomer(_ code: String, _ binding: ChannelBinding? = nil) -> PairingExchange {
        PairingExchange(
            .newcomer, code: PairingCode(code)!, ownKey: keys.newcomer, remoteKey: keys.member,
            binding: binding ?? self.binding)
    }

    /// Runs both sides against each other. The message with that number is changed on the way.
    private func run(
        _ member: inout PairingExchange, _ newcomer: inout PairingExchange, changing changed: Int? = nil,
        _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws(PairingError) {
        var message: [UInt8]? = member.start()
        var number = 0
        while var bytes = message {
            if number == changed { change(&bytes) }
            message = try number % 2 == 0 ? newcomer.receive(bytes) : member.receive(bytes)
            number += 1
        }
    }

    @Test func theSameCodeSucceedsOnBothSides() throws {
        var (member, newcomer) = (member("0012 3456"), newcomer("00123456"))
        try run(&member, &newcomer)
        #expect(member.hasSucceeded && newcomer.hasSucceeded)
        #expect(throws: PairingError.malformed) { try member.receive([1]) }
        #expect(member.hasSucceeded && member.failure == nil)
    }

    @Test func anotherCodeFailsAtTheNewcomerFirst() {
        var (member, newcomer) = (member("00123456"), newcomer("00123457"))
        #expect(throws: PairingError.wrongCode) { try run(&member, &newcomer) }
        #expect(newcomer.failure == .wrongCode && !member.hasSucceeded && member.failure == nil)
        #expect(throws: PairingError.wrongCode) { try newcomer.receive([]) }
    }

    /// Somebody stands between two channels and passes on what is said.
    @Test func aRelayIsFoundOut() {
        var (member, newcomer) = (member("00123456"), newcomer("00123456", ChannelBinding(RandomNumbers.bytes32())))
        #expect(throws: PairingError.wrongCode) { try run(&member, &newcomer) }
    }

    @Test func anotherKeyIsFoundOut() {
        var member = member("00123456", to: PeerKeyPair.random().key)
        var newcomer = newcomer("00123456")
        #expect(throws: PairingError.wrongCode) { try run(&member, &newcomer) }
    }

    @Test(arguments: 0..<4) func everyBitOfEveryMessageCounts(number: Int) {
        for bit in 0..<(number < 2 ? 256 : 512) {
            var (member, newcomer) = (member("00123456"), newcomer("00123456"))
            #expect(throws: PairingError.self, "bit \(bit)") {
                try run(&member, &newcomer, changing: number) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
            }
        }
    }

    @Test(arguments: 0..<4) func otherLengthsAreMalformed(number: Int) {
        for change in [{ _ = $0.popLast() }, { $0.append(0) }, { $0 = [] }] as [(inout [UInt8]) -> Void] {
            var (member, newcomer) = (member("00123456"), newcomer("00123456"))
            #expect(throws: PairingError.malformed) { try run(&member, &newcomer, changing: number, change) }
        }
    }

    /// Whoever gives a member all of its own messages back knows no code.
    @Test func aMirrorIsFoundOut() {
        var member = member("00123456")
        let share = member.start()
        #expect(throws: PairingError.malformed) { try member.receive(share) }
        #expect(!member.hasSucceeded)
    }

    @Test(arguments: [
        [UInt8](repeating: 0, count: 32), [UInt8](repeating: 255, count: 32), [1] + [UInt8](repeating: 0, count: 31),
    ]) func whatIsNoShareIsMalformed(share: [UInt8]) {
        var newcomer = newcomer("00123456")
        #expect(throws: PairingError.malformed) { try newcomer.receive(share) }
    }
}
