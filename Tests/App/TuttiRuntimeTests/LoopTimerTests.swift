import AudioCore
import HostSystem
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import TuttiRuntime

@Suite(.timeLimit(.minutes(5))) struct LoopTimerTests {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    /// Runs `body` with a timer on its loop.
    /// - Returns: how often it ended before the loop had waited for `span`.
    private func ends(within span: TimeSpan, _ body: @escaping @Sendable (LoopTimer) -> Void) throws -> Int {
        let loop = group.next()
        let count = Mutex(0)
        let timer = try loop.submit {
            let timer = try LoopTimer(on: loop)
            timer.onEnd = { count.withLock { $0 += 1 } }
            body(timer)
            return timer
        }.wait()
        try timer.readiness.wait()
        try loop.scheduleTask(in: .nanoseconds(span.nanoseconds)) {}.futureResult.wait()
        try loop.submit { timer.close() }.wait()
        return count.withLock { $0 }
    }

    @Test func itEndsOnce() throws {
        defer { try? group.syncShutdownGracefully() }
        #expect(try ends(within: .milliseconds(300)) { $0.start(.milliseconds(1)) } == 1)
        #expect(try ends(within: .milliseconds(300)) { $0.start(.zero) } == 1)
    }

    @Test func whatIsSetLaterReplacesWhatWasSet() throws {
        defer { try? group.syncShutdownGracefully() }
        let count = try ends(within: .milliseconds(300)) { timer in
            timer.start(.milliseconds(1))
            timer.start(.zero)
            timer.start(.seconds(60))
        }
        #expect(count == 0)
        let other = try ends(within: .milliseconds(300)) { timer in
            timer.start(.seconds(60))
            timer.start(.milliseconds(1))
            // It is over in the kernel by now, and the loop has not seen it.
            sleepThread(for: .milliseconds(20))
            timer.start(.milliseconds(50))
        }
        #expect(other == 1)
    }

    @Test func itMayBeSetFromItsEnd() throws {
        defer { try? group.syncShutdownGracefully() }
        let count = Mutex(0)
        _ = try ends(within: .milliseconds(300)) { timer in
            timer.onEnd = { [weak timer] in
                let isLast = count.withLock { count in
                    count += 1
                    return count == 5
                }
                if !isLast { timer?.start(.milliseconds(1)) }
            }
            timer.start(.zero)
        }
        #expect(count.withLock { $0 } == 5)
    }

    @Test func aClosedOneDoesNotEnd() throws {
        defer { try? group.syncShutdownGracefully() }
        let count = try ends(within: .milliseconds(300)) { timer in
            timer.start(.milliseconds(1))
            timer.close()
            timer.start(.zero)
            timer.start(.milliseconds(1))
        }
        #expect(count == 0)
    }
}
