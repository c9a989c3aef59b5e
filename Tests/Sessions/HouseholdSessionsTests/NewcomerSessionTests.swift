import AudioCore
import Cryptography
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import Testing
import WireProtocol

/// A new machine, and those who want to let it in.
@Suite(.timeLimit(.minutes(5)))
struct NewcomerSessionTests {
    private let den = Machine("Den")
    private let attic = Machine("Attic")

    private func document(_ household: Household) -> ByteBuffer {
        WireEncoder.household(household.encoded().withBytes { Array($0) })
    }

    @Test func whoKnowsTheCodeLetsItIn() throws {
        var scene = NewcomerScene()
        let home = try den.household(with: scene.machine)
        #expect(scene.codes.count == 1)
        try scene.attempt(scene.code, den)
        #expect(scene.sent.step(1) == scene.machine.keys.signingKey.bytes.bytes)
        #expect(scene.stored == nil)
        scene.say(document(home))
        #expect(scene.stored == home && scene.ending == nil)
        scene.handle(.stored)
        #expect(scene.sent.step(1) == [] && scene.household == home && scene.closed == [1])
        #expect(scene.failures.isEmpty && scene.codes.count == 1)
    }

    @Test func aWrongCodeIsToldAndAnotherIsShown() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.otherCode, den)
        #expect(scene.sent.refusal(1) == .wrongCode && scene.closed == [1])
        #expect(scene.failures.map(\.failure) == [.wrongCode] && scene.failures.map(\.left) == [2])
        #expect(
            scene.failures.first?.party
                == PairingParty(
                    connection: ConnectionID(1), name: "Den", address: "10.0.0.2"))
        #expect(Set(scene.codes).count == 2 && scene.ending == nil)
        try scene.attempt(scene.code, den, 2)
        #expect(scene.sent.step(2) == scene.machine.keys.signingKey.bytes.bytes)
    }

    @Test func aCodeHoldsForOneTry() throws {
        var scene = NewcomerScene()
        let first = scene.code
        try scene.attempt(scene.otherCode, attic)
        try scene.attempt(first, den, 2)
        #expect(scene.sent.refusal(2) == .wrongCode && scene.failures.map(\.left) == [2, 1])
    }

    @Test func aCodeHoldsForTwoMinutes() throws {
        var scene = NewcomerScene()
        let first = scene.code
        scene.wait(PairingLimits.codeLifetime - .milliseconds(100))
        #expect(scene.codes.count == 1)
        scene.wait(.milliseconds(100))
        #expect(scene.codes.count == 2 && scene.failures.isEmpty)
        try scene.attempt(first, den)
        #expect(scene.failures.map(\.failure) == [.wrongCode])
    }

    @Test func theThirdFailureEndsIt() throws {
        var scene = NewcomerScene()
        for id in 1...3 { try scene.attempt(scene.otherCode, den, id) }
        #expect(scene.failures.map(\.left) == [2, 1, 0])
        #expect(scene.failure == .tooManyFailures && scene.codes.count == 3)
        #expect(scene.sent.refusal(3) == .wrongCode)
        try scene.attempt(scene.code, den, 4)
        #expect(scene.sent.messages[4] == nil)
    }

    @Test func aConnectionLostInTheMiddleIsAFailure() throws {
        var scene = NewcomerScene()
        scene.open(1, den)
        scene.say(WireEncoder.pairing(Ristretto255.randomShare))
        scene.handle(.closed(ConnectionID(1)))
        #expect(scene.failures.map(\.failure) == [.lost] && scene.codes.count == 2)
        // Also after the code was right.
        try scene.attempt(scene.code, den, 2)
        scene.handle(.closed(ConnectionID(2)))
        #expect(scene.failures.map(\.failure) == [.lost, .lost] && scene.codes.count == 3)
    }

    @Test func whoeverFallsSilentIsLost() {
        var scene = NewcomerScene()
        scene.open(1, den)
        scene.say(WireEncoder.pairing(Ristretto255.randomShare))
        scene.wait(PeeringLimits.silenceTimeout + .milliseconds(100))
        #expect(scene.failures.map(\.failure) == [.lost] && scene.closed == [1])
    }

    @Test func whoeverTakesTooLongFails() {
        var scene = NewcomerScene()
        scene.open(1, den)
        scene.say(WireEncoder.pairing(Ristretto255.randomShare))
        scene.wait(PairingLimits.attemptTimeout + .milliseconds(100), keepingAlive: 1)
        #expect(scene.failures.map(\.failure) == [.timedOut] && scene.closed == [1] && scene.codes.count == 2)
    }

    @Test func whoeverGivesUpFails() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den)
        scene.say(WireEncoder.refusal(Refusal(.other, "full")))
        #expect(scene.failures.map(\.failure) == [.refused("full")] && scene.codes.count == 2)
    }

    @Test func oneTriesAtATime() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den)
        try scene.attempt(scene.code, attic, 2)
        #expect(scene.sent.refusal(2) == .busy && scene.closed == [2] && scene.failures.isEmpty)
        let home = try den.household(with: scene.machine)
        scene.say(document(home))
        scene.handle(.stored)
        #expect(scene.household == home)
    }

    /// Somebody stands between two channels, and passes on what is said.
    @Test func aRelayIsFoundOut() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den, binding: ChannelBinding(RandomNumbers.bytes32()))
        #expect(scene.failures.map(\.failure) == [.wrongCode])
    }

    @Test func whoeverOnlyLooksCostsNoTry() {
        var scene = NewcomerScene()
        for id in 1...20 {
            scene.open(id, den, roles: id % 2 == 0 ? .pairing : .broadcaster)
            if id % 2 == 1 { #expect(scene.sent.refusal(id) == .wrongRole) }
            scene.handle(.closed(ConnectionID(id)))
        }
        #expect(scene.failures.isEmpty && scene.codes.count == 1)
    }

    @Test func manyIdleConnectionsKeepNobodyOut() throws {
        var scene = NewcomerScene()
        for id in 1...100 { scene.open(id, attic, address: "10.0.0.9") }
        try scene.attempt(scene.code, den, 101)
        #expect(scene.sent.step(101) == scene.machine.keys.signingKey.bytes.bytes)
    }

    @Test(arguments: [0, 31, 33, 64, 128]) func whatIsNoStepIsAFailure(byteCount: Int) {
        var scene = NewcomerScene()
        scene.open(1, den)
        scene.say(WireEncoder.pairing([UInt8](repeating: 1, count: byteCount)))
        #expect(scene.failures.map(\.failure) == [.malformed] && scene.sent.refusal(1) == .protocolError)
    }

    @Test func aStepInPlaceOfTheHouseholdIsAFailure() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den)
        scene.say(WireEncoder.pairing([]))
        #expect(scene.failures.map(\.failure) == [.malformed])
    }

    @Test func whatBreaksTheProtocolIsAFailureInTheMiddle() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den)
        scene.say(ByteBuffer(bytes: [0, 1, 0, 0, 0, 0]))
        guard case .broken? = scene.failures.first?.failure else { Issue.record("\(scene.failures)"); return }
        try scene.attempt(scene.code, den, 2)
        scene.handle(.broken(ConnectionID(2), .record(.notAuthentic)))
        #expect(scene.failures.last?.failure == .broken(.security(.record(.notAuthentic))))
    }

    @Test func whoLeavesWithinARecordIsLost() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den)
        scene.handle(.broken(ConnectionID(1), .record(.truncated)))
        #expect(scene.failures.map(\.failure) == [.lost])
        // Before it tried that costs nothing.
        scene.connect(2, den)
        scene.handle(.broken(ConnectionID(2), .handshake(.truncated)))
        #expect(scene.failures.count == 1)
    }

    @Test func aHouseholdBeforeTheCodeIsNotTaken() throws {
        var scene = NewcomerScene()
        scene.open(1, den)
        scene.say(document(try den.household(with: scene.machine)))
        #expect(scene.stored == nil && scene.failures.isEmpty)
        // Nor that of another than who knows the code.
        try scene.attempt(scene.code, attic, 2)
        scene.say(document(try den.household(with: scene.machine)))
        #expect(scene.stored == nil && scene.failures.isEmpty)
    }

    @Test func aHouseholdWithoutBothMachinesIsAFailure() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den)
        scene.say(document(try den.household(with: attic)))
        #expect(scene.failures.map(\.failure) == [.unusableHousehold(.notMember)])
        try scene.attempt(scene.code, den, 2)
        scene.say(document(try attic.household(with: scene.machine)), 2)
        #expect(scene.failures.map(\.failure) == [.unusableHousehold(.notMember), .unusableHousehold(.notMember)])
        try scene.attempt(scene.code, den, 3)
        scene.say(WireEncoder.household([1, 2, 3]), 3)
        #expect(scene.failures.last?.failure == .unusableHousehold(.malformed) && scene.failure == .tooManyFailures)
        #expect(scene.stored == nil)
    }

    @Test func whatCannotBeStoredEndsIt() throws {
        var scene = NewcomerScene()
        try scene.attempt(scene.code, den)
        scene.say(document(try den.household(with: scene.machine)))
        scene.handle(.notStored("the disk is full"))
        #expect(scene.failure == .notStored("the disk is full") && scene.sent.refusal(1) == .other)
    }

    @Test func aConnectionLostWhileItStoresIsNoFailure() throws {
        var scene = NewcomerScene()
        let home = try den.household(with: scene.machine)
        try scene.attempt(scene.code, den)
        scene.say(document(home))
        scene.handle(.closed(ConnectionID(1)))
        scene.wait(PairingLimits.attemptTimeout + .seconds(1))
        #expect(scene.failures.isEmpty)
        scene.handle(.stored)
        #expect(scene.household == home)
    }
}

extension Ristretto255 {
    /// What a first step may be, of somebody who knows nothing.
    fileprivate static var randomShare: [UInt8] {
        let keys = PeerKeyPair.random().key
        var exchange = PairingExchange(
            .member, code: .random(), ownKey: keys, remoteKey: keys, binding: ChannelBinding(RandomNumbers.bytes32()))
        return exchange.start()
    }
}
