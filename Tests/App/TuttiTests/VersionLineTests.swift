import Testing

@testable import tutti

/// What `tutti --version` says, by the revision that it was built from.
@Suite(.timeLimit(.minutes(5))) struct VersionLineTests {
    @Test func theRevisionIsInBrackets() {
        #expect(Tutti.versionLine(revision: "1a2b3c4d5e-dirty") == "tutti \(Tutti.version) (1a2b3c4d5e-dirty)\n")
    }

    @Test func withoutARevisionThereAreNoBrackets() {
        #expect(Tutti.versionLine(revision: "") == "tutti \(Tutti.version)\n")
    }
}
