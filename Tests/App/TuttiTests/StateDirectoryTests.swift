import Testing

@testable import tutti

/// Where what is remembered lies.
@Suite(.timeLimit(.minutes(5))) struct StateDirectoryTests {
    private func path(_ environment: [String: String]) -> String? {
        StateDirectory.standard { environment[$0] }?.path
    }

    @Test func whatTheUserSaysComesFirst() {
        #expect(
            path(["XDG_STATE_HOME": "/x", "HOME": "/", "STATE_DIRECTORY": "/var/lib/tutti"]) == "/x/tutti")
    }

    /// A service whose user has no home has what systemd made for it.
    @Test(arguments: [nil, "/", "/nonexistent"]) func aServiceWithoutAHomeHasItsOwn(home: String?) {
        var environment = ["STATE_DIRECTORY": "/var/lib/tutti"]
        environment["HOME"] = home
        #expect(path(environment) == "/var/lib/tutti")
        environment["STATE_DIRECTORY"] = "/var/lib/tutti:/var/lib/other"
        #expect(path(environment) == "/var/lib/tutti")
    }

    /// So that commands of the service's user find what the service has.
    @Test func aServiceWithAHomeHasWhatItsUserHas() {
        let environment = ["HOME": "/var/lib/tutti", "STATE_DIRECTORY": "/var/lib/other"]
        #expect(path(environment) == "/var/lib/tutti/.local/state/tutti")
        #expect(path(["HOME": "/home/ada", "STATE_DIRECTORY": "relative"]) == "/home/ada/.local/state/tutti")
    }
}
