import Testing
import TuttiRuntime

@testable import tutti

/// Events on their way to the display.
@Suite(.timeLimit(.minutes(5))) struct EventMailboxTests {
    @Test func keepsNoticesInOrder() throws {
        let mailbox = try EventMailbox()
        mailbox.post(.warning("a"))
        mailbox.post(.warning("b"))
        let texts = mailbox.take().events.map { if case .warning(let text) = $0 { text } else { "?" } }
        #expect(texts == ["a", "b"])
        #expect(mailbox.take().events.isEmpty)
    }

    @Test func aNewerStatusReplacesOneThatStillWaits() throws {
        let mailbox = try EventMailbox()
        for name in ["A", "B"] { mailbox.post(.runtime(Sample.broadcast(listeners: [Sample.listener(name)]))) }
        mailbox.post(.runtime(.notice(Sample.info)))
        mailbox.post(.runtime(Sample.broadcast(listeners: [])))
        let events = mailbox.take().events
        #expect(events.count == 3)
        guard case .runtime(.broadcast(let status)) = events[0] else {
            Issue.record("no status")
            return
        }
        #expect(status.listeners.map(\.name) == ["B"])
    }

    @Test func dropsTheOldestWhenFullAndCounts() throws {
        let mailbox = try EventMailbox()
        for number in 0..<(EventMailbox.capacity + 5) { mailbox.post(.warning("\(number)")) }
        let batch = mailbox.take()
        #expect(batch.events.count == EventMailbox.capacity)
        #expect(batch.droppedCount == 5)
        guard case .warning(let text) = batch.events[0] else {
            Issue.record("no notice")
            return
        }
        #expect(text == "5")
    }

    @Test func theLastBatchSaysSo() throws {
        let mailbox = try EventMailbox()
        #expect(!mailbox.take().isLast)
        mailbox.finish()
        #expect(mailbox.take().isLast)
        #expect(mailbox.take().isLast)
    }
}
