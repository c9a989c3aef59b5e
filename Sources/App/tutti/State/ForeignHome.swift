import Glibc

/// Root in the home of another user, as `sudo -E` has it. What Tutti or a library makes there would be root's, and in
/// that user's way from then on.
enum ForeignHome {
    /// They name what is kept. `XDG_RUNTIME_DIR` is where servers are found, and gone with the session.
    private static let variables = ["HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]

    /// Has root's own directories take the place of another user's, for this process and for what it starts. Call it
    /// before the process starts any other thread.
    /// - Returns: whether there were any of another user.
    static func leave() -> Bool {
        let foreign = names(user: geteuid(), StateDirectory.environment, owner: owner(of:))
        for name in foreign { unsetenv(name) }
        return !foreign.isEmpty
    }

    /// Returns the variables that name directories of others than root; none for any other user, who can make nothing
    /// there.
    static func names(
        user: uid_t, _ environment: (String) -> String?, owner: (String) -> uid_t?
    ) -> [String] {
        guard user == 0 else { return [] }
        return variables.filter { name in environment(name).flatMap(owner).map { $0 != user } ?? false }
    }

    /// Returns the owner of a directory, or of the nearest one above it that exists; nil for a relative path.
    static func owner(of path: String) -> uid_t? {
        guard path.hasPrefix("/") else { return nil }
        var place = path
        var status = stat()
        while stat(place, &status) != 0 {
            guard let slash = place.lastIndex(of: "/"), place != "/" else { return nil }
            place = slash == place.startIndex ? "/" : String(place[..<slash])
        }
        return status.st_uid
    }
}
