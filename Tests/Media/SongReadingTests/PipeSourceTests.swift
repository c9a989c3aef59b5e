import AudioCore
import Glibc
import HostSystem
import Songs
import StreamTestKit
import Testing

/// Bytes that come through a FIFO.
@Suite(.timeLimit(.minutes(5)))
struct PipeSourceTests {
    private final class FIFO {
        let path: String

        init() {
            path = String(cString: mkdtemp(strdup("/tmp/tutti-fifo-XXXXXX"))) + "/pipe"
            mkfifo(path, 0o600)
        }

        deinit {
            unlink(path)
            rmdir(String(path.dropLast(5)))
        }

        func writer() -> Int32 { open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC) }
    }

    private func read(_ source: PipeSource) throws -> (ByteRead, [UInt8]) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 1)
        defer { buffer.deallocate() }
        let read = try source.read(into: buffer, at: 0)
        guard case .bytes(let count, _) = read else { return (read, []) }
        return (read, Array(buffer[..<count]))
    }

    @Test func bytesComeAsTheyAreWritten() throws {
        let fifo = FIFO()
        let source = try PipeSource(fifo: fifo.path)
        #expect(try source.open() == .stream)
        #expect(try read(source).0 == .notYet)
        let writer = fifo.writer()
        #expect(try read(source).0 == .notYet)
        write(writer, [1, 2, 3] as [UInt8], 3)
        #expect(try read(source).1 == [1, 2, 3])
        #expect(try read(source).0 == .notYet)
        write(writer, [4] as [UInt8], 1)
        close(writer)
        #expect(try read(source).1 == [4])
        #expect(try read(source).0 == .end)
    }

    @Test func aWriterThatSaysNothingEndsIt() throws {
        let fifo = FIFO()
        let source = try PipeSource(fifo: fifo.path)
        close(fifo.writer())
        #expect(try read(source).0 == .end)
    }

    /// Told once, and not before it is worth a word.
    @Test(arguments: [false, true]) func whoIsMissingIsTold(hasWriter: Bool) throws {
        let fifo = FIFO()
        let source = try PipeSource(fifo: fifo.path)
        let writer = hasWriter ? fifo.writer() : -1
        defer { if hasWriter { close(writer) } }
        let wake = try WakeSignal()
        var events: [ByteSourceEvent] = []
        let began = HostTime.now()
        while events.isEmpty {
            #expect(try read(source).0 == .notYet)
            events += source.takeEvents()
            if events.isEmpty { source.wait(atMost: .seconds(60), wake: wake) }
        }
        #expect(HostTime.now() - began >= .seconds(2))
        let missing = hasWriter ? "the first bytes" : "a writer"
        #expect(events == [.notice(.info, "waiting for \(missing) of '\(fifo.path)'")])
        #expect(try read(source).0 == .notYet && source.takeEvents().isEmpty)
    }

    @Test func aSignalEndsTheWait() throws {
        let fifo = FIFO()
        let source = try PipeSource(fifo: fifo.path)
        let wake = try WakeSignal()
        wake.signal()
        let began = HostTime.now()
        source.wait(atMost: .seconds(60), wake: wake)
        #expect(HostTime.now() - began < .seconds(30))
    }
}
