import AudioCore
import Playout
import ServiceManager
import Testing
import TuttiRuntime

@testable import tutti

/// What the journal and the service manager are told of what happens.
@Suite(.timeLimit(.minutes(5))) struct ServiceViewTests {
    private let start = HostTime(nanoseconds: 1_000_000_000)
    private let portInUse = RuntimeFailure(.unavailable, .portInUse(7_447))

    private func entries(_ view: inout ServiceView, _ event: DisplayEvent, after seconds: Int64 = 0) -> [JournalEntry] {
        view.lines(for: event, now: start + .seconds(seconds)).map(\.entry)
    }

    private func listening(_ state: ListenerStatus.State = .playing, broadcaster: String?) -> DisplayEvent {
        .runtime(.listening(Sample.listener("Den", state), song: Sample.song, broadcaster: broadcaster))
    }

    @Test func aNoticeHasItsPriorityItsWordAndWhomItIsAbout() {
        var view = ServiceView(level: .verbose)
        #expect(
            entries(&view, .runtime(.notice(.listening(.joined("Attic"))))) == [
                JournalEntry(
                    .information, RuntimeNotice.listening(.joined("Attic")).sentence,
                    [.init(.event, "listening.joined"), .init(.peer, "Attic")])
            ])
        let vanished = RuntimeNotice.device(.vanished(.lost(device: "hw:1")))
        #expect(
            entries(&view, .runtime(.notice(vanished))) == [
                JournalEntry(.warning, vanished.sentence, [.init(.event, "device.vanished")])
            ])
        #expect(entries(&view, .runtime(.notice(Sample.detail))).map(\.priority) == [.debug])
        let placed = RuntimeNotice.device(.placedAnew(.underrun, error: .microseconds(-40)))
        #expect(
            entries(&view, .runtime(.notice(placed))).first?.fields == [
                .init(.event, "device.placed-anew"), .init(.error, "-40"),
            ])
        #expect(
            entries(&view, .service(.waiting(portInUse))).first
                == JournalEntry(
                    .warning, "waiting: \(portInUse.sentence)", [.init(.event, "service.waiting")]))
    }

    /// An hour of playing is a few lines, not hundreds; changes are told.
    @Test func aStatusIsNotRepeated() {
        var view = ServiceView(level: .normal)
        var lines: [JournalEntry] = []
        for second in 0..<3_600 { lines += entries(&view, listening(broadcaster: "Attic"), after: Int64(second)) }
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.fields.contains(.init(.song, Sample.song.headline)) == true)
        #expect(lines.allSatisfy { $0.fields.contains(.init(.peer, "Attic")) })
    }

    /// Names come from anybody: a line is one line, and nothing steers a terminal that shows the journal.
    @Test func namesCannotForgeLines() {
        var view = ServiceView(level: .normal)
        let entry = entries(&view, .runtime(.notice(.listening(.joined("A\n\u{1B}[2JB"))))).first
        #expect(entry?.message.contains("\n") == false && entry?.message.contains("\u{1B}") == false)
        _ = entries(&view, listening(broadcaster: "A\n\u{1B}[2JB"))
        #expect(!view.status.contains("\n") && !view.status.contains("\u{1B}"))
    }

    @Test func theStatusSaysWhatGoesOnOrIsWaitedFor() {
        var view = ServiceView(level: .normal)
        #expect(view.status == "beginning")
        _ = entries(&view, listening(.connecting, broadcaster: nil))
        #expect(view.status == "waiting for a broadcast")
        _ = entries(&view, listening(broadcaster: "Attic"))
        #expect(view.status == "Attic, playing: \(Sample.song.headline)")
        _ = entries(&view, .runtime(.notice(.device(.vanished(.unknownDevice(name: "hw:1"))))))
        // It follows the broadcast all the while.
        _ = entries(&view, listening(broadcaster: "Attic"))
        #expect(view.status.hasPrefix("waiting for a sound device: no sound device is called 'hw:1'"))
        _ = entries(&view, .runtime(.notice(.device(.returned(name: "hw:1")))))
        #expect(view.status.hasPrefix("Attic, playing"))
        _ = entries(&view, .service(.waiting(portInUse)))
        #expect(view.status == "waiting: \(portInUse.sentence)")
        _ = entries(&view, .service(.begins))
        #expect(view.status.hasPrefix("Attic"))
        _ = entries(&view, .service(.stopping))
        _ = entries(&view, listening(broadcaster: nil))
        #expect(view.status == "stopping")
    }

    /// A session that could begin may still wait for its device.
    @Test func whatOneWaitedForDoesNotEndTheOther() {
        var view = ServiceView(level: .normal)
        _ = entries(&view, .runtime(.notice(.device(.vanished(.noDevice)))))
        _ = entries(&view, .service(.begins))
        #expect(view.status.hasPrefix("waiting for a sound device"))
    }
}
