import AudioCore
import Glibc
import StreamTestKit
import Testing

@testable import tutti

/// The pictures of songs, and the files that are written of them.
@Suite(.timeLimit(.minutes(5))) struct ArtworkFinderTests {
    private let place = TemporaryDirectory()
    private var directory: StateDirectory { StateDirectory(path: place.path + "/tutti") }

    private func finder(_ search: @escaping @Sendable (String) -> ArtworkFinder.Picture?) throws -> ArtworkFinder {
        try #require(ArtworkFinder(directory: directory, search: search))
    }

    /// Waits for what is found; the clock stands, so that nobody's patience ends.
    private func outcome(_ finder: ArtworkFinder, _ song: String) -> ArtworkFinder.Outcome {
        var outcome = ArtworkFinder.Outcome.sought
        _ = waitUntil(within: .seconds(60)) {
            outcome = finder.outcome(ofSong: song, now: HostTime(nanoseconds: 1))
            return outcome != .sought
        }
        return outcome
    }

    @Test func aPictureInsideOfASongIsAFileUntilAnotherSongPlays() throws {
        let finder = try finder { $0 == "a" ? .bytes([1, 2, 3], mediaType: "image/png") : nil }
        guard case .found(let path) = outcome(finder, "a") else { Issue.record("not found"); return }
        #expect(path.hasPrefix(directory.path + "/") && path.hasSuffix(".png"))
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_size == 3 && status.st_mode & 0o777 == 0o600)
        #expect(outcome(finder, "b") == .nothing)
        #expect(access(path, F_OK) != 0)
        finder.end()
    }

    @Test func itIsGoneAtTheEnd() throws {
        let finder = try finder { _ in .bytes([1], mediaType: nil) }
        guard case .found(let path) = outcome(finder, "a") else { Issue.record("not found"); return }
        finder.end()
        #expect(access(path, F_OK) != 0 && directory.names() == [])
    }

    @Test func aPictureBesideTheSongStaysWhereItIs() throws {
        let picture = place.path + "/cover.jpg"
        let file = open(picture, O_WRONLY | O_CREAT, 0o644)
        close(file)
        let finder = try finder { _ in .file(path: picture) }
        let resolved = try #require(realpath(picture, nil))
        defer { free(resolved) }
        #expect(outcome(finder, "a") == .found(String(cString: resolved)))
        finder.end()
        #expect(access(picture, F_OK) == 0)
    }

    @Test func aPictureThatIsTooLargeIsNone() throws {
        let finder = try finder { _ in .bytes(Array(repeating: 0, count: Limits.artworkByteCount + 1), mediaType: nil) }
        #expect(outcome(finder, "a") == .nothing)
        finder.end()
    }

    /// Whoever waits for it goes on without.
    @Test func nobodyWaitsForASlowDisk() throws {
        let finder = try finder { _ in
            usleep(100_000)
            return nil
        }
        #expect(finder.outcome(ofSong: "a", now: HostTime(nanoseconds: 1)) == .sought)
        let late = HostTime(nanoseconds: 2) + ArtworkFinder.patience
        #expect(finder.outcome(ofSong: "a", now: late) == .nothing)
        #expect(finder.outcome(ofSong: nil, now: late) == .nothing)
        finder.end()
    }

    /// A process that is killed leaves its picture.
    @Test func whatADeadProcessLeftIsRemoved() throws {
        // Above the highest that Linux gives (PID_MAX_LIMIT, 2^22).
        try directory.write([1], to: "artwork-4194305-1.png")
        try directory.write([1], to: "artwork-\(getppid())-1.png")
        // It was killed while it wrote.
        try directory.write([1], to: ".artwork-4194305-2.png.4194305.77")
        try directory.write([1], to: ".artwork-\(getppid())-2.png.1.77")
        try directory.write([1], to: ".other-4194305-2.png")
        let finder = try finder { _ in .bytes([1], mediaType: nil) }
        _ = outcome(finder, "a")
        finder.end()
        #expect(
            directory.names().sorted() == [
                ".artwork-\(getppid())-2.png.1.77", ".other-4194305-2.png", "artwork-\(getppid())-1.png",
            ])
    }
}
