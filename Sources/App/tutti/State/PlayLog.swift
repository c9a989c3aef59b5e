import Glibc

/// The plays of this user's songs, in a file of the state directory that each play adds a line to.
///
/// Processes of one user write at the same moment, so each holds the directory's lock. A play that a power loss takes
/// is no great loss: lines are not synced. When the file has become large, a line a song takes the place of its lines.
struct PlayLog: Sendable {
    static let fileName = "plays"

    /// Room for a line of each of ``PlayCounts/songLimit`` songs, and as much again for plays.
    static let standardByteLimit = 16 * 1_024 * 1_024
    /// As much as is looked at before each play, to see whether it is such a file at all.
    private static let headByteCount = 64 * 1_024

    let directory: StateDirectory
    /// A larger file is compacted, to half of this at most.
    var byteLimit = standardByteLimit

    /// Returns nil if there is no directory to keep anything in.
    static func standard() -> PlayLog? { StateDirectory.standard().map { PlayLog(directory: $0) } }

    private var path: String { directory.path(of: Self.fileName) }

    /// Returns what was played, as far as it can be understood. Waits for nobody.
    func counts() throws(StateError) -> PlayCounts {
        guard let bytes = try directory.read(Self.fileName, limit: 2 * byteLimit) else { return PlayCounts() }
        return PlayCounts(bytes)
    }

    /// Adds a play. One whose path cannot be a line is not counted.
    /// - Returns: a line for the user, if the file was damaged; it has another name then.
    func append(_ play: Play) throws(StateError) -> String? {
        guard let line = PlayCounts.line(play) else { return nil }
        return try directory.exclusively { () throws(StateError) in
            let warning = try setAsideDamagedLocked()
            if try directory.append(line, to: Self.fileName) > byteLimit { try compact() }
            return warning
        }.get()
    }

    /// Gives the file another name if nothing of it can be understood.
    /// - Returns: a line for the user; nil if it is not damaged.
    func setAsideDamaged() throws(StateError) -> String? {
        try directory.exclusively { () throws(StateError) in try setAsideDamagedLocked() }.get()
    }

    private func setAsideDamagedLocked() throws(StateError) -> String? {
        // A few lines suffice where they can be understood.
        guard let head = try directory.read(Self.fileName, limit: Self.headByteCount), PlayCounts(head).isDamaged,
            try counts().isDamaged
        else { return nil }
        let other = try directory.setAside(Self.fileName)
        return "\(path) was damaged and is now \(directory.path(of: other)): plays are counted anew"
    }

    private func compact() throws(StateError) {
        try directory.write(try counts().compacted(byteLimit: byteLimit / 2), to: Self.fileName)
    }
}
