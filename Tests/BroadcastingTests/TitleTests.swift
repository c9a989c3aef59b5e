import AudioCore
import Broadcasting
import Testing
import WireProtocol

/// Stations that tell what they play.
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
        broadcast.handle(.source(.title("First")))
        broadcast.handle(.source(.title("Next \u{1B}[2J")))
        broadcast.handle(.source(.title("Next \u{1B}[2J")))
        broadcast.handle(.source(.title("")))
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
        wait(&broadcast, .milliseconds(1_200))
        #expect(titles(1) == ["First"])
        wait(&broadcast, .milliseconds(100))
        broadcast.join(2)
        #expect(titles(1) == ["First", "Next \u{FFFD}[2J"])
        #expect(titles(2) == ["Next \u{FFFD}[2J"])
        #expect(broadcast.session.summary.info[.title] == "Next \u{FFFD}[2J")
    }
}
