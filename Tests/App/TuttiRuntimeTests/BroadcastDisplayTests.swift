import Glibc
import Programmes
import StreamTestKit
import Testing

@testable import TuttiRuntime

/// What is said of where a broadcast's song lies.
@Suite(.timeLimit(.minutes(5))) struct BroadcastDisplayTests {
    /// Whoever opens a FIFO and closes it ends its writer.
    @Test func aPipeIsNoFileToOpen() throws {
        let directory = TemporaryDirectory()
        let (pipe, file) = (directory.path + "/pipe", directory.path + "/a.wav")
        #expect(mkfifo(pipe, 0o600) == 0)
        try Tool.writeFile(file, [1])
        var display = BroadcastDisplay()
        #expect(display.path(of: .local(pipe)) == nil && display.path(of: .local("-")) == nil)
        #expect(display.path(of: .local(file)) == file && display.path(of: nil) == nil)
    }

    /// A disk may hang, and the broadcast goes on.
    @Test func theDiskIsAskedOnceForEachSong() {
        let directory = TemporaryDirectory()
        let (one, other) = (directory.path + "/a.wav", directory.path + "/b.wav")
        var display = BroadcastDisplay()
        #expect(display.path(of: .local(one)) == one)
        #expect(mkfifo(one, 0o600) == 0)
        #expect(display.path(of: .local(one)) == one)
        #expect(display.path(of: .local(other)) == other)
        #expect(display.path(of: .local(one)) == nil)
    }
}
