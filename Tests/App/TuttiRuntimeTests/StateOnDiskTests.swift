import LANKit
import StreamTestKit
import Testing

/// What the program keeps survives a loss of power, by its calls.
@Suite(.timeLimit(.minutes(5)))
struct StateOnDiskTests {
    /// The file first, then its name, then the directory that has the name.
    @Test func aFileInPlaceIsOnTheDisk() throws {
        let sourceFiles = SourceFiles()
        let song = try sourceFiles.makeMP3(seconds: 0.2)
        let directory = sourceFiles.path("state/tutti")
        try Tool.run(
            "env DISK_WATCH_LOG=log LD_PRELOAD=\(buildDirectory)/libDiskWatch.so "
                + "XDG_STATE_HOME=\(sourceFiles.path("state")) "
                + "\(buildDirectory)/tutti broadcast \(song) --now --no-mdns --port \(freePort()) >out 2>&1",
            in: sourceFiles.directory)
        let log = String(decoding: try Tool.readFile(sourceFiles.path("log")), as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        let renaming = try #require(log.firstIndex { $0.last == directory + "/key" }, "\(log)")
        #expect(log[renaming].first == "rename")
        let before = log[..<renaming].last
        #expect(before == ["fsync", log[renaming][1]], "\(log)")
        let after = log[(renaming + 1)...].first
        #expect(after == ["fsync", directory], "\(log)")
    }
}
