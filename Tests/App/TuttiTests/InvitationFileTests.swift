import Glibc
import Households
import SecureChannel
import Testing
import TuttiRuntime

@testable import tutti

/// When a machine comes in by an invitation, and when it does not try.
@Suite(.timeLimit(.minutes(5))) struct InvitationFileTests {
    private let temporary = TemporaryDirectory()
    private let inviter = PeerKeyPair.random()
    private let machine = PeerKeyPair.random()
    private var path: String { temporary.path + "/invitation" }
    private var store: HouseholdFile { HouseholdFile(directory: StateDirectory(path: temporary.path + "/state")) }

    private func home() throws -> Household { try Household(name: "Home", founder: inviter, memberName: "Den") }

    private func write(_ invitation: Invitation) throws {
        try StateDirectory(path: temporary.path).write(invitation.fileText.withBytes { Array($0) }, to: "invitation")
    }

    private func write(to home: Household, for seconds: Int64 = 60) throws {
        try write(Invitation(to: home, until: Int64(time(nil)) + seconds, by: inviter))
    }

    /// The file as a command takes it, by a machine that has this household.
    private func enrolment(_ household: Household? = nil, usesDiscovery: Bool = true) throws -> Enrolment? {
        _ = try store.change { (stored) throws(HouseholdError) in stored = household }
        var identity = Identity(keys: machine, name: "Bath")
        identity.household = try StoredHousehold(store)
        let arguments = try CommandArguments(["--household", path], syntax: JoinCommand.syntax)
        return try #require(InvitationFile(arguments)).enrolment(
            of: identity, addresses: [], usesDiscovery: usesDiscovery)
    }

    private func failure(_ household: Household? = nil, usesDiscovery: Bool = true) -> RuntimeFailure? {
        do {
            _ = try enrolment(household, usesDiscovery: usesDiscovery)
            return nil
        } catch {
            return error as? RuntimeFailure
        }
    }

    @Test func aMachineWithoutHouseholdComesIn() throws {
        try write(to: home())
        #expect(try enrolment() != nil)
        #expect(failure(usesDiscovery: false)?.kind == .usage)
    }

    @Test func aMemberNeedsNoFile() throws {
        var home = try home()
        try home.admit(machine.signingKey, name: "Bath", by: inviter)
        #expect(try enrolment(home) == nil)
        try StateDirectory(path: temporary.path).write([1, 2, 3], to: "invitation")
        #expect(try enrolment(home) == nil)
        try write(to: home, for: -60)
        #expect(try enrolment(home) == nil)
    }

    @Test func aMemberOfAnotherHouseholdDoesNotComeIn() throws {
        try write(to: home())
        let other = try Household(name: "Cabin", founder: machine, memberName: "Bath")
        #expect(failure(other) == RuntimeFailure(.notAllowed, .household(.otherHousehold("Cabin"))))
    }

    @Test func aRemovedMachineBeginsAnewFirst() throws {
        var home = try home()
        try home.admit(machine.signingKey, name: "Bath", by: inviter)
        try home.remove(machine.signingKey, by: inviter)
        try write(to: home)
        #expect(failure(home) == RuntimeFailure(.notAllowed, .household(.removed("Home"))))
    }

    @Test func aMachineWhoseKeyWasLostBeginsAnewFirst() throws {
        let home = try home()
        try write(to: home)
        let failure = try #require(self.failure(home))
        #expect(failure == RuntimeFailure(.notAllowed, .household(.unknownKey("Home"))))
        #expect(failure.sentence.contains("'tutti household leave'"))
    }

    @Test func whatHasEndedSaysWhatToDo() throws {
        try write(to: home(), for: -1)
        let failure = try #require(self.failure())
        #expect(failure == RuntimeFailure(.unavailable, .household(.invitationIsOver("Home"))))
        #expect(failure.sentence.contains("'tutti household invite'"))
    }

    @Test func whatIsNoInvitationOrNotThereIsRefused() throws {
        #expect(failure()?.kind == .missingInput)
        try StateDirectory(path: temporary.path).write(Array("tutti invitation 1\n".utf8), to: "invitation")
        #expect(failure()?.kind == .unusableInput)
    }

    @Test func systemdPassesOneByItsDirectoryOfCredentials() throws {
        setenv("CREDENTIALS_DIRECTORY", temporary.path, 1)
        defer { unsetenv("CREDENTIALS_DIRECTORY") }
        let arguments = try CommandArguments([], syntax: JoinCommand.syntax)
        #expect(InvitationFile(arguments) == nil)
        try StateDirectory(path: temporary.path).write([1], to: InvitationFile.credential)
        #expect(InvitationFile(arguments)?.path == temporary.path + "/tutti-household")
    }
}
