import Glibc
import Testing

@testable import tutti

/// Root in the home of another user.
@Suite(.timeLimit(.minutes(5))) struct ForeignHomeTests {
    private func names(user: uid_t, _ environment: [String: String]) -> [String] {
        let owners: [String: uid_t] = ["/root": 0, "/home/ann": 1_000, "/srv/state": 1_001]
        return ForeignHome.names(user: user, { environment[$0] }, owner: { owners[$0] })
    }

    @Test func whatIsOfOthersIsLeft() {
        #expect(names(user: 0, ["HOME": "/root"]) == [])
        #expect(names(user: 0, ["HOME": "/home/ann"]) == ["HOME"])
        #expect(names(user: 0, ["HOME": "/root", "XDG_STATE_HOME": "/srv/state"]) == ["XDG_STATE_HOME"])
        // Servers are found there, and nothing is kept.
        #expect(names(user: 0, ["HOME": "/root", "XDG_RUNTIME_DIR": "/home/ann"]) == [])
        #expect(names(user: 0, [:]) == [])
    }

    /// An ordinary user can make nothing in another one's home.
    @Test func onlyRootLeaves() {
        #expect(names(user: 1_000, ["HOME": "/root"]) == [])
        #expect(names(user: 1_001, ["HOME": "/home/ann"]) == [])
    }

    @Test func theNearestDirectoryThatExistsTellsTheOwner() {
        let directory = TemporaryDirectory()
        #expect(ForeignHome.owner(of: directory.path + "/a/b") == geteuid())
        #expect(ForeignHome.owner(of: "/") == 0 && ForeignHome.owner(of: "/no/such/place") == 0)
        #expect(ForeignHome.owner(of: "relative") == nil)
    }
}
