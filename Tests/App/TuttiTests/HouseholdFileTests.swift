import Glibc
import Households
import SecureChannel
import Testing
import TuttiRuntime

@testable import tutti

/// The household's document on the disk.
@Suite(.timeLimit(.minutes(5))) struct HouseholdFileTests {
    private let temporary = TemporaryDirectory()
    private var directory: StateDirectory { StateDirectory(path: temporary.path + "/a/tutti") }
    private var file: HouseholdFile { HouseholdFile(directory: directory) }
    private var path: String { directory.path(of: HouseholdFile.fileName) }
    private let keys = PeerKeyPair.random()

    private func create() throws -> Household {
        let home = try Household(name: "Home", founder: keys, memberName: "den")
        _ = try file.update { (household: inout Household?) throws(HouseholdError) in household = home }
        return home
    }

    @Test func whatIsStoredIsThereTheNextTimeAndForItsOwnerAlone() throws {
        #expect(try file.household() == nil && file.version() == HouseholdVersion())
        let home = try create()
        #expect(try file.household() == home)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        _ = try file.update { (household: inout Household?) throws(HouseholdError) in household = nil }
        #expect(try file.household() == nil && access(path, F_OK) != 0)
    }

    @Test func aChangeIsSeenAndOneThatFailsChangesNothing() throws {
        let home = try create()
        let before = file.version()
        #expect(before != HouseholdVersion())
        let failed = try file.update { (household: inout Household?) throws(HouseholdError) in
            household = nil
            throw .full
        }
        #expect(failed == .failure(.full) && file.version() == before)
        #expect(try file.household() == home)
        let other = PeerKeyPair.random()
        _ = try file.update { (household: inout Household?) throws(HouseholdError) in
            try household?.admit(other.signingKey, name: "attic", by: keys)
        }
        #expect(file.version() != before)
        #expect(try file.household()?.isMember(other.key) == true)
    }

    /// For a process that looks: what others bring holds for the change alone.
    @Test func whatIsUnkeptIsNotStored() throws {
        let home = try Household(name: "Home", founder: keys, memberName: "den")
        let unkept = UnkeptHousehold(kept: file)
        let made = try unkept.change { (household: inout Household?) throws(HouseholdError) in household = home }
        #expect(try made.get() == home)
        #expect(try unkept.load() == nil && file.household() == nil)
        #expect(TemporaryDirectory.names(in: temporary.path) == [])
        let stored = try create()
        #expect(try unkept.load() == stored && unkept.version() == file.version())
        let failed = try unkept.change { (household: inout Household?) throws(HouseholdError) in throw .full }
        #expect(failed == .failure(.full))
    }

    @Test func aFileThatOthersMayReadIsRefusedAndKept() throws {
        let home = try create()
        for mode: mode_t in [0o640, 0o604, 0o620] {
            chmod(path, mode)
            let error = #expect(throws: PrivateFileError.exposed(path: path)) { try file.household() }
            #expect(error.map { "\($0)".contains("chmod 600 '\(path)'") } == true)
        }
        chmod(path, 0o600)
        #expect(try file.household() == home)
    }

    @Test(.enabled(if: geteuid() == 0)) func aFileOfAnotherUserIsRefused() throws {
        _ = try create()
        #expect(chown(path, 65_534, 65_534) == 0)
        #expect(throws: PrivateFileError.foreign(path: path)) { try file.household() }
    }

    /// Were it set aside by whoever notices, the next start would find none, and be open to everybody.
    @Test func whatIsDamagedStaysAndIsRefusedEachTime() throws {
        var bytes = try create().encoded().withBytes { Array($0) }
        bytes[bytes.count / 2] ^= 1
        try directory.write(bytes, to: HouseholdFile.fileName)
        for _ in 1...2 {
            let error = #expect(throws: MemoryFailure.self) { try file.load() }
            #expect(error?.message.hasPrefix("\(path) is damaged: 'tutti household leave'") == true)
            #expect(throws: MemoryFailure.self) {
                try file.change { (household: inout Household?) throws(HouseholdError) in household = nil }
            }
            #expect(try directory.read(HouseholdFile.fileName) == bytes)
        }
        #expect(TemporaryDirectory.names(in: directory.path) == [HouseholdFile.fileName])
    }

    @Test func whatIsDamagedIsSetAsideWhereTheUserSaysSo() throws {
        for name in ["household.damaged", "household.damaged-2"] {
            var bytes = try create().encoded().withBytes { Array($0) }
            bytes[bytes.count / 2] ^= 1
            try directory.write(bytes, to: HouseholdFile.fileName)
            #expect(try file.setAsideDamaged() == directory.path(of: name))
            #expect(try directory.read(name) == bytes)
            #expect(try file.household() == nil && file.version() == HouseholdVersion())
        }
    }

    @Test func whatIsSoundIsNotSetAside() throws {
        #expect(try file.setAsideDamaged() == nil)
        let home = try create()
        #expect(try file.setAsideDamaged() == nil && file.household() == home)
        chmod(path, 0o640)
        #expect(throws: PrivateFileError.exposed(path: path)) { try file.setAsideDamaged() }
    }

    @Test func aLongerFileIsNotTakenForItsBeginning() throws {
        let bytes = try create().encoded().withBytes { Array($0) }
        let padding = [UInt8](repeating: 0, count: HouseholdLimits.documentByteCount)
        try directory.write(bytes + padding, to: HouseholdFile.fileName)
        #expect(throws: PrivateFileError.self) { try file.household() }
    }
}
