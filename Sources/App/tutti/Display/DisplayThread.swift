import AudioCore
import HostSystem
import Synchronization
import TuttiRuntime

/// The thread that shows events, so that the runtime never waits for a terminal or a pipe.
final class DisplayThread: Sendable {
    private struct End {
        var result: SessionResult
        var exitCode: Int32
    }

    let mailbox: EventMailbox
    private let thread: HostThread
    private let end: EndBox

    /// - Parameter onLost: called once, on this thread, when nobody can see the display any more.
    init(_ display: some EventDisplay, onLost: @escaping @Sendable () -> Void) throws(RuntimeFailure) {
        do {
            let mailbox = try EventMailbox()
            let end = EndBox()
            self.mailbox = mailbox
            self.end = end
            thread = try HostThread(name: "tutti display") {
                var display = display
                Self.showAll(in: mailbox, on: &display, onLost: onLost)
                if let end = end.value.withLock({ $0 }) { display.finish(end.result, exitCode: end.exitCode) }
            }
        } catch {
            throw RuntimeFailure(.general, .noThread)
        }
    }

    /// Shows what is left and how the session ended, and waits until that is done.
    func finish(_ result: SessionResult, exitCode: Int32) {
        end.value.withLock { $0 = End(result: result, exitCode: exitCode) }
        mailbox.finish()
        thread.join()
    }

    private static func showAll(
        in mailbox: EventMailbox, on display: inout some EventDisplay, onLost: @Sendable () -> Void
    ) {
        var isSeen = true
        var next = HostTime.now()
        while true {
            waitUntil(next, mailbox)
            let batch = mailbox.take()
            let now = HostTime.now()
            next = now + display.interval
            if isSeen, !display.show(batch.sayingWhatWasDropped(), now: now) {
                isSeen = false
                onLost()
            }
            if batch.isLast { return }
            mailbox.wait(atMost: .seconds(60))
        }
    }

    private static func waitUntil(_ instant: HostTime, _ mailbox: EventMailbox) {
        while !mailbox.isFinished {
            let left = instant - .now()
            guard left > .zero else { return }
            mailbox.wait(atMost: left)
        }
    }

    private final class EndBox: Sendable {
        let value = Mutex<End?>(nil)
    }
}

extension EventMailbox.Batch {
    fileprivate func sayingWhatWasDropped() -> EventMailbox.Batch {
        guard droppedCount > 0 else { return self }
        var batch = self
        batch.events.insert(
            .warning("\(droppedCount) events were not shown: the output is read too slowly"), at: 0)
        return batch
    }
}
