import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import Testing
import WireProtocol

/// A member, and the machines that it may let in.
@Suite(.timeLimit(.minutes(5)))
struct SponsorSessionTests {
    private let kitchen = Machine("Kitchen")
    private let attic = Machine("Attic")

    // MARK: Whom it takes

    @Test func theOnlyMachineThatWaitsIsTaken() {
        var scene = SponsorScene(.any)
        #expect(scene.isSearching)
        scene.find(attic, roles: .broadcaster)
        scene.find(kitchen)
        #expect(scene.dials.isEmpty)
        scene.wait(SponsorLimits.choiceTime)
        #expect(scene.dials.map(\.address.host) == ["Kitchen"])
    }

    @Test func ofSeveralNoneIsTaken() {
        var scene = SponsorScene(.any)
        scene.find(kitchen)
        scene.find(attic)
        scene.wait(SponsorLimits.choiceTime)
        #expect(scene.failure == .ambiguous(["Attic", "Kitchen"]) && scene.dials.isEmpty)
    }

    @Test func aNameIsDialledAtOnce() {
        var scene = SponsorScene(.named("kitchen"))
        scene.find(attic)
        #expect(scene.dials.isEmpty)
        scene.find(kitchen)
        #expect(scene.dials.map(\.address.host) == ["Kitchen"])
    }

    @Test func aNameThatNobodyHasEndsWithThoseThatAreThere() {
        var scene = SponsorScene(.named("Kitschen"))
        scene.find(kitchen)
        scene.wait(SponsorLimits.patience + .milliseconds(20))
        #expect(scene.failure == .notFound(others: ["Kitchen"]))
    }

    @Test func withoutASearchItEnds() {
        var scene = SponsorScene(.any)
        scene.handle(.searchFailed("avahi-daemon is not running"))
        #expect(scene.failure == .cannotSearch("avahi-daemon is not running"))
    }

    @Test func anAddressIsDialledAtOnceAndNotForEver() {
        var scene = SponsorScene()
        #expect(scene.dials.map(\.address.host) == ["10.0.0.1"] && !scene.isSearching)
        scene.wait(SponsorLimits.patience + .milliseconds(20))
        #expect(scene.failure == .noAnswer)
    }

    @Test func whoeverDoesNotWaitIsGivenNoTry() {
        var scene = SponsorScene()
        scene.open(kitchen, roles: .listener)
        #expect(scene.failure == .doesNotWait("Kitchen") && scene.sent.step(1) == nil)
    }

    /// At an address that several networks use.
    @Test func anotherMachineAtTheAddressIsGivenNoTry() {
        var scene = SponsorScene(.named("Kitchen"))
        scene.find(kitchen)
        scene.open(attic)
        #expect(scene.ending == nil && scene.closed == [1] && scene.sent.step(1) == nil)
    }

    // MARK: Pairing

    @Test func whoKnowsTheCodeIsLetIn() throws {
        var scene = SponsorScene()
        scene.open(kitchen)
        try scene.answer(as: kitchen)
        #expect(scene.admitted?.key == kitchen.keys.signingKey && scene.admitted?.name == "Kitchen")
        let home = try scene.machine.household(with: kitchen)
        scene.handle(.admitted(home))
        guard case .household(let document)? = scene.sent[1] else { Issue.record("no document"); return }
        #expect(try Household(decoding: Array(document.readableBytesView)) == home && scene.ending == nil)
        scene.say(WireEncoder.pairing([]))
        #expect(scene.pairedName == "Kitchen" && scene.closed == [1])
    }

    @Test func aWrongCodeIsTold() {
        var scene = SponsorScene()
        scene.open(kitchen)
        scene.say(WireEncoder.refusal(Refusal(.wrongCode, "")))
        #expect(scene.failure == .wrongCode("Kitchen"))
    }

    @Test func whoeverDoesNotKnowTheCodeIsNotLetIn() throws {
        var scene = SponsorScene()
        scene.open(kitchen)
        var exchange = PairingExchange(
            .newcomer, code: PairingCode("1234 5679")!, ownKey: kitchen.key, remoteKey: scene.machine.key,
            binding: NewcomerScene.binding)
        scene.say(WireEncoder.pairing(try #require(try exchange.receive(scene.sent.step(1) ?? []))))
        scene.say(WireEncoder.pairing([UInt8](repeating: 7, count: 64)))
        #expect(scene.failure == .doesNotKnowCode("Kitchen") && scene.admitted == nil)
        #expect(scene.sent.refusal(1) == .wrongCode)
    }

    @Test func anothersKeyIsNotLetIn() throws {
        var scene = SponsorScene()
        scene.open(kitchen)
        try scene.answer(as: kitchen, stating: attic.keys.signingKey)
        #expect(scene.failure == .foreignKey("Kitchen") && scene.admitted == nil)
        #expect(scene.sent.refusal(1) == .protocolError)
    }

    @Test func anEmptyNameIsReplacedByTheAddress() throws {
        let nameless = Machine("  ")
        var scene = SponsorScene()
        scene.open(nameless)
        try scene.answer(as: nameless)
        #expect(scene.admitted?.name == "10.0.0.1")
    }

    @Test func whatIsNoStepIsNotAnswered() {
        var scene = SponsorScene()
        scene.open(kitchen)
        scene.say(WireEncoder.pairing([1]))
        #expect(scene.failure == .malformed("Kitchen") && scene.sent.refusal(1) == .protocolError)
    }

    @Test func aRefusalEndsIt() {
        var scene = SponsorScene()
        scene.open(kitchen)
        scene.say(WireEncoder.refusal(Refusal(.busy, "later")))
        #expect(scene.failure == .turnedAway(by: "Kitchen", .busy, "later"))
    }

    @Test func aFullHouseholdIsToldToBoth() throws {
        var scene = SponsorScene()
        scene.open(kitchen)
        try scene.answer(as: kitchen)
        scene.handle(.notAdmitted(.household(.full)))
        #expect(scene.failure == .notAdmitted("Kitchen", .household(.full)) && scene.sent.refusal(1) == .other)
    }

    @Test func aLostConnectionEndsIt() throws {
        var scene = SponsorScene()
        scene.open(kitchen)
        scene.handle(.closed(ConnectionID(1)))
        #expect(scene.failure == .lost("Kitchen"))
        scene = SponsorScene()
        scene.open(kitchen)
        scene.handle(.broken(ConnectionID(1), .record(.notAuthentic)))
        #expect(scene.failure == .brokenProtocol("Kitchen", .security(.record(.notAuthentic))))
        scene = SponsorScene()
        scene.open(kitchen)
        scene.handle(.broken(ConnectionID(1), .record(.truncated)))
        #expect(scene.failure == .lost("Kitchen"))
    }

    @Test func whoEndsTheHandshakeIsTold() {
        var scene = SponsorScene()
        guard let dial = scene.dials.first else { Issue.record("nobody is dialled"); return }
        scene.handle(.opened(ConnectionID(1), address: "10.0.0.1", dial: dial))
        scene.handle(.broken(ConnectionID(1), .handshake(.truncated)))
        #expect(scene.failure == .brokenProtocol("10.0.0.1", .security(.handshake(.truncated))))
    }

    @Test func anotherReleaseIsTold() {
        var scene = SponsorScene()
        scene.connect(1, kitchen)
        scene.handle(.broken(ConnectionID(1), .preamble(.incompatibleVersion(1))))
        #expect(scene.failure == .brokenProtocol("10.0.0.1", .security(.preamble(.incompatibleVersion(1)))))
    }

    @Test func whoeverTakesTooLongIsNotLetIn() {
        var scene = SponsorScene()
        scene.open(kitchen)
        scene.wait(PairingLimits.attemptTimeout + .milliseconds(40), keepingAlive: 1)
        #expect(scene.failure == .timedOut("Kitchen"))
    }

    @Test func withoutAReceiptNobodyKnows() throws {
        var scene = SponsorScene()
        scene.open(kitchen)
        try scene.answer(as: kitchen)
        var early = scene
        scene.handle(.admitted(try scene.machine.household(with: kitchen)))
        scene.handle(.closed(ConnectionID(1)))
        #expect(scene.failure == .unconfirmed("Kitchen", reason: nil))
        // The connection is lost while the household is stored.
        early.handle(.closed(ConnectionID(1)))
        #expect(early.ending == nil)
        early.handle(.admitted(try early.machine.household(with: kitchen)))
        #expect(early.failure == .unconfirmed("Kitchen", reason: nil))
    }

    @Test func whyItIsNotStoredThereIsTold() throws {
        var scene = SponsorScene()
        scene.open(kitchen)
        try scene.answer(as: kitchen)
        scene.handle(.admitted(try scene.machine.household(with: kitchen)))
        scene.say(WireEncoder.refusal(Refusal(.other, "no room")))
        #expect(scene.failure == .unconfirmed("Kitchen", reason: "no room"))
    }
}
