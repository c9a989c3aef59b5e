import AudioCore
import Testing
import WireProtocol

@testable import Broadcasting

/// Stations that tell what they play.
@Suite(.timeLimit(.minutes(5)))
struct TitleTests {
    /// Lets time pass for a listener that lives and takes what it is sent.
    private func wait(_ broadcast: inout ScriptedBroadcast, _ span: TimeSpan) {
        let end = broadcast.now + span
        while broadcast.now < end {
            broadcast.say(WireEncoder.keepAlive(), 1)
            broadcast.wait(.milliseconds(20))
            broadcast.drain(1)
        }
    }

    @Test func aTitleIsToldToWhoIsThereAndWhoComes() {
        var broadcast = ScriptedBroadcast()
        broadcast.give(seconds: 1)
        broadcast.source(.title("First"))
        broadcast.source(.title("Next \u{1B}[2J"))
        broadcast.source(.title("Next \u{1B}[2J"))
        broadcast.source(.title(""))
        broadcast.give(seconds: 9, properties: false)
        broadcast.join(1)
        broadcast.report(.ready, 1)
        wait(&broadcast, .milliseconds(320))
        func titles(_ id: Int) -> [String] {
            (broadcast.heard[id]?.properties ?? []).compactMap { property in
                guard case .info(.title, let title) = property else { return nil }
                return title
            }
        }
        // Frame 8000 is due a second after the start delay.
        wait(&broadcast, .milliseconds(1_000))
        #expect(titles(1) == ["First"])
        wait(&broadcast, .milliseconds(100))
        broadcast.join(2)
        #expect(titles(1) == ["First", "Next \u{FFFD}[2J"])
        #expect(titles(2) == ["Next \u{FFFD}[2J"])
        #expect(broadcast.session.summary.info[.title] == "Next \u{FFFD}[2J")
    }

    @Test func aTitleWaitsForWhatItBelongsTo() {
        var titles = TitleSchedule()
        func take(upTo frame: Int64) -> [String] { titles.take(upTo: FramePosition(frame)) }
        // The first one is shown at once, whenever it came.
        titles.note("A", from: FramePosition(100))
        #expect(take(upTo: 0) == ["A"])
        titles.note("B", from: FramePosition(200))
        titles.note("C", from: FramePosition(300))
        #expect(take(upTo: 199) == [])
        #expect(take(upTo: 300) == ["B", "C"])
        #expect(take(upTo: .max) == [])
        for number in 0..<100 { titles.note("\(number)", from: FramePosition(400)) }
        #expect(take(upTo: 400) == (36..<100).map { "\($0)" })
    }
}
