import AudioCore
import Cryptography
import HouseholdSessions
import Households
import NIOCore
import Peering
import SecureChannel
import Testing
import WireProtocol

/// A new machine and a member, each with its session.
@Suite(.timeLimit(.minutes(5)))
struct PairingSessionTests {
    /// Both, and a connection between them, number 1.
    private struct Pair {
        var newcomer = NewcomerScene()
        var sponsor: SponsorScene

        /// - Parameter relayed: somebody stands between two channels, and passes on what is said.
        init(code: String? = nil, relayed: Bool = false) {
            sponsor = SponsorScene(code: code ?? newcomer.code)
            newcomer.connect(1, sponsor.machine)
            sponsor.connect(
                1, newcomer.machine, binding: relayed ? ChannelBinding(RandomNumbers.bytes32()) : NewcomerScene.binding)
        }

        /// Passes on what is said until nobody says any more.
        mutating func talk() {
            while true {
                let (asked, answered) = (sponsor.sent.takeBytes(1), newcomer.sent.takeBytes(1))
                if asked.isEmpty && answered.isEmpty { return }
                for bytes in asked { newcomer.say(bytes) }
                for bytes in answered { sponsor.say(bytes) }
            }
        }

        /// The member's household with the new machine, stored on both.
        mutating func store() throws -> Household {
            let home = try sponsor.machine.household(with: newcomer.machine)
            sponsor.handle(.admitted(home))
            talk()
            newcomer.handle(.stored)
            talk()
            return home
        }
    }

    @Test func theRightCodePairs() throws {
        var pair = Pair()
        pair.talk()
        #expect(pair.sponsor.admitted?.key == pair.newcomer.machine.keys.signingKey)
        let home = try pair.store()
        #expect(pair.newcomer.household == home && pair.sponsor.pairedName == "Kitchen")
    }

    @Test func aWrongCodePairsNobody() {
        var pair = Pair(code: "1234 5678")
        pair.talk()
        #expect(pair.sponsor.failure == .wrongCode("Kitchen") && pair.sponsor.admitted == nil)
        #expect(pair.newcomer.failures.map(\.failure) == [.wrongCode] && pair.newcomer.codes.count == 2)
    }

    @Test func aRelayPairsNobody() {
        var pair = Pair(relayed: true)
        pair.talk()
        #expect(pair.sponsor.failure == .wrongCode("Kitchen") && pair.sponsor.admitted == nil)
        #expect(pair.newcomer.failures.map(\.failure) == [.wrongCode])
    }

    @Test func aMemberThatCannotLetItInCostsATry() {
        var pair = Pair()
        pair.talk()
        pair.sponsor.handle(.notAdmitted(.household(.full)))
        pair.talk()
        guard case .refused? = pair.newcomer.failures.first?.failure else {
            Issue.record("\(pair.newcomer.failures)")
            return
        }
        #expect(pair.newcomer.ending == nil)
    }
}
