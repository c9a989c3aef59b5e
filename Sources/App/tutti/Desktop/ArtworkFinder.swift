import AudioCore
import Glibc
import HostSystem
import Songs
import Synchronization

/// Finds the picture of the song that plays, on a thread of its own: a disk may be slow.
///
/// A picture inside of a song is written to a file, for the user alone, which goes when another song plays and at the
/// end.
final class ArtworkFinder: Sendable {
    enum Picture: Hashable, Sendable {
        case file(path: String)
        case bytes([UInt8], mediaType: String?)

        /// Reads from the disk, as long as that takes.
        init?(ofSong path: String) {
            guard let artwork = SongArtwork(ofSong: path) else { return nil }
            self = artwork.path.map { .file(path: $0) } ?? .bytes(artwork.bytes, mediaType: artwork.mediaType)
        }
    }

    enum Outcome: Hashable, Sendable {
        /// It may still be found, within moments.
        case sought
        /// The absolute path of a file.
        case found(String)
        case nothing
    }

    private struct State {
        var song: String?
        var since = HostTime(nanoseconds: 0)
        /// What was found for the song; nil before that.
        var outcome: Outcome?
        /// The file that was written.
        var written: String?
        var isOver = false
    }

    private let state = Mutex(State())
    private let wake: WakeSignal
    private let thread = Mutex<HostThread?>(nil)
    private let directory: StateDirectory?
    private let search: @Sendable (String) -> Picture?

    /// How long whoever shows a song waits for its picture.
    static let patience = TimeSpan.seconds(1)
    private static let prefix = "artwork-"

    /// Returns nil if no thread or file descriptor is left: songs have no pictures then.
    /// - Parameters:
    ///   - directory: where pictures are written; nil for nowhere.
    ///   - search: finds the picture of the song at a path.
    init?(
        directory: StateDirectory? = ArtworkFinder.standardDirectory,
        search: @escaping @Sendable (String) -> Picture? = { Picture(ofSong: $0) }
    ) {
        self.directory = directory
        self.search = search
        guard let wake = try? WakeSignal() else { return nil }
        self.wake = wake
        guard let thread = try? HostThread(name: "tutti artwork", { self.run() }) else { return nil }
        self.thread.withLock { $0 = thread }
    }

    /// `tutti` below `XDG_RUNTIME_DIR` (XDG Base Directory Specification); nil where there is none.
    private static var standardDirectory: StateDirectory? {
        // The specification says to ignore relative paths.
        StateDirectory.environment("XDG_RUNTIME_DIR").flatMap {
            $0.hasPrefix("/") ? StateDirectory(path: $0 + "/tutti") : nil
        }
    }

    /// Returns what was found for the song at a path, and looks for it if it is another song than the last; nil for a
    /// song that is no file. Any thread may call it; never blocks for long.
    func outcome(ofSong path: String?, now: HostTime) -> Outcome {
        let (outcome, isNew) = state.withLock { state in
            let isNew = path != state.song
            if isNew { (state.song, state.since, state.outcome) = (path, now, nil) }
            let isPatient = path != nil && now - state.since < Self.patience
            return (state.outcome ?? (isPatient ? .sought : .nothing), isNew)
        }
        if isNew { wake.signal() }
        return outcome
    }

    /// Ends the search, and removes what was written. Does not wait for a disk that hangs.
    func end() {
        state.withLock { $0.isOver = true }
        wake.signal()
        _ = thread.withLock { $0.take() }?.join(atMost: .seconds(1))
        removeWritten()
    }

    // MARK: The thread

    private func run() {
        if let directory { Self.sweep(directory) }
        var number = 0
        var searched: String?
        while true {
            let (song, isAnswered, isOver) = state.withLock { ($0.song, $0.outcome != nil, $0.isOver) }
            if isOver { return }
            guard song == nil ? searched != nil : !isAnswered else {
                wake.wait(atMost: .seconds(60))
                continue
            }
            removeWritten()
            searched = song
            guard let song else { continue }
            number += 1
            let outcome = search(song).map { file(of: $0, number) } ?? .nothing
            state.withLock { if $0.song == song { $0.outcome = outcome } }
        }
    }

    private func file(of picture: Picture, _ number: Int) -> Outcome {
        switch picture {
        case .file(let path): return Self.absolute(path).map { .found($0) } ?? .nothing
        case .bytes(let bytes, let mediaType):
            guard let directory, !bytes.isEmpty, bytes.count <= Limits.artworkByteCount else { return .nothing }
            let name = "\(Self.prefix)\(getpid())-\(number)\(Self.suffix(of: mediaType))"
            guard !state.withLock({ $0.isOver }) else { return .nothing }
            let isWritten = (try? directory.write(bytes, to: name)) != nil
            return keep(directory.path(of: name), isWritten) ? .found(directory.path(of: name)) : .nothing
        }
    }

    /// Notes that a file was written, or removes it: whoever ends the search may not have waited for it.
    /// - Parameter isWritten: whether it is whole.
    /// - Returns: whether it is there.
    private func keep(_ path: String, _ isWritten: Bool) -> Bool {
        let isKept = state.withLock { state in
            guard isWritten, !state.isOver else { return false }
            state.written = path
            return true
        }
        if !isKept { unlink(path) }
        return isKept
    }

    private func removeWritten() {
        if let path = state.withLock({ $0.written.take() }) { unlink(path) }
    }

    /// Removes what processes have left that were killed: whole files, and those that ``StateDirectory`` had begun,
    /// with a dot before the name.
    private static func sweep(_ directory: StateDirectory) {
        for name in directory.names() {
            let visible = name.hasPrefix(".") ? name.dropFirst() : name[...]
            guard visible.hasPrefix(prefix), let pid = pid_t(visible.dropFirst(prefix.count).prefix { $0 != "-" }),
                pid > 0
            else { continue }
            if kill(pid, 0) != 0, errno == ESRCH { unlink(directory.path(of: name)) }
        }
    }

    private static func suffix(of mediaType: String?) -> String {
        switch mediaType {
        case "image/jpeg": ".jpg"
        case "image/png": ".png"
        default: ""
        }
    }

    private static func absolute(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }
}
