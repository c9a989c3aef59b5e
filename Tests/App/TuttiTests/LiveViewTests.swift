import AudioCore
import TerminalIO
import Testing
import TuttiRuntime

@testable import tutti

/// What stands on a terminal.
@Suite(.timeLimit(.minutes(5))) struct LiveViewTests {
    private func text(_ event: RuntimeEvent, width: Int, height: Int = 24, glyphs: Glyphs = .unicode) -> String {
        var view = LiveView(glyphs: glyphs)
        view.receive(event)
        return view.frame(.init(width: width, height: height)).map(\.text).joined(separator: "\n")
    }

    private let two = [
        Sample.listener("Kitchen", counters: Sample.troubled),
        Sample.listener("Attic", timing: Sample.timing(error: -11, bound: 9, clock: -8, card: 40.2)),
    ]

    @Test func aPlayerShowsItsKeys() {
        let status = PlayStatus(state: .paused, song: Sample.song, volume: Volume(percent: 35))
        #expect(
            text(.playing(status), width: 80) == """
                paused  volume 35 %                               MP3 44.1 kHz stereo 128 kbit/s
                Pavane - Fauré
                ━━━━━━━━━━━━━━━━━━━━━━━━━─────────────────────────────────────────── 1:23 / 3:45
                space pauses   left right seek   + - volume   m mutes   n p   q ends
                """)
        let ended = PlayStatus(state: .ended, song: Sample.song, isMuted: true)
        #expect(text(.playing(ended), width: 80).hasPrefix("ended  volume off "))
        #expect(!text(.playing(ended), width: 80).contains("space"))
    }

    @Test func whatComesNextAndTheGroupsVolumeAreShown() {
        guard case .broadcast(var status) = Sample.broadcast(listeners: two) else { return }
        status.next = "Gymnopédie"
        status.groupVolume = VolumeSetting(level: 40)
        let lines = text(.broadcast(status), width: 80).split(separator: "\n")
        #expect(lines[0].hasPrefix("Den  playing  group 40  ") && lines[3] == "next: Gymnopédie")
        // The rows of listeners give way to it.
        #expect(text(.broadcast(status), width: 80, height: 9).split(separator: "\n").count <= 9)
    }

    @Test func aListenerShowsWhatComesNextToo() {
        var listener = Sample.listener("Kitchen")
        listener.next = "Gymnopédie"
        var view = LiveView()
        view.receive(.listening(listener, song: Sample.song, broadcaster: "Den"))
        func lines() -> [String] { view.frame(.init(width: 80, height: 24)).map(\.text) }
        #expect(lines()[3] == "next: Gymnopédie")
        view.finish(.completed)
        #expect(!lines().contains { $0.hasPrefix("next") })
    }

    @Test func anIdleBroadcastShowsItsListenersAndNoSong() {
        let lines = text(Sample.broadcast(.idle, song: nil, listeners: two), width: 80).split(separator: "\n")
        #expect(lines[0] == "Den  idle" && lines[1].hasPrefix("listener ") && lines[2].hasPrefix("Kitchen "))
    }

    @Test func loudspeakersAreShown() {
        var listener = Sample.listener("Kitchen")
        listener.loudspeakers = LoudspeakerSettings(volume: Volume(percent: 40), role: .left)
        let event = RuntimeEvent.listening(listener, song: Sample.song, broadcaster: "Den")
        #expect(text(event, width: 100).hasPrefix("Kitchen  playing from Den  volume 40 %, left  "))
        listener.ceiling = VolumeCeiling(Volume(percent: 40))
        #expect(
            text(.listening(listener, song: Sample.song, broadcaster: "Den"), width: 120).contains(
                "  volume 40 %, left (the most allowed)  "))
        listener.ceiling = VolumeCeiling(Volume(percent: 41))
        listener.loudspeakers?.isMuted = true
        listener.loudspeakers?.role = .channel(3)
        let waiting = RuntimeEvent.listening(listener, song: nil, broadcaster: nil)
        #expect(text(waiting, width: 100).hasPrefix("Kitchen  waiting for a broadcast  volume off, channel 3  "))
        #expect(text(waiting, width: 100).hasSuffix("  + - volume   m mutes   Ctrl-C ends"))
        var status = BroadcastStatus(name: "Den", state: .playing, song: Sample.song, listeners: [])
        status.loudspeakers = LoudspeakerSettings(volume: Volume(percent: 5))
        #expect(text(.broadcast(status), width: 100).hasPrefix("Den  playing  volume 5 %  "))
    }

    @Test func broadcasterOnAnOrdinaryTerminal() {
        #expect(
            text(Sample.broadcast(listeners: two), width: 80) == """
                Den  playing                                      MP3 44.1 kHz stereo 128 kbit/s
                Pavane - Fauré
                ━━━━━━━━━━━━━━━━━━━━━━━━━─────────────────────────────────────────── 1:23 / 3:45

                listener  state    buffer       error       card
                Kitchen   playing   9.8 s  +3 ± 12 µs  -34.1 ppm  2 xruns, 1 re-placement
                Attic     playing   9.8 s  -11 ± 9 µs  +40.2 ppm
                worst pair: Kitchen and Attic, within 35 µs
                """)
    }

    @Test func broadcasterOnAWideTerminalShowsAll() {
        #expect(
            text(Sample.broadcast(listeners: two), width: 132).contains(
                """
                listener  state    buffer       error      clock       card  correction  round trip  low water
                Kitchen   playing   9.8 s  +3 ± 12 µs  +12.3 ppm  -34.1 ppm   +46.4 ppm      180 µs     1.94 s  2 xruns, \
                1 re-placement
                Attic     playing   9.8 s  -11 ± 9 µs   -8.0 ppm  +40.2 ppm   +46.4 ppm      180 µs     1.94 s

                """))
    }

    @Test func whoIsSentPCMIsMarked() {
        var kitchen = Sample.listener("Kitchen")
        kitchen.isSentPCM = true
        #expect(
            text(Sample.broadcast(listeners: [kitchen, Sample.listener("Attic")]), width: 80).contains(
                """
                listener  state    sent  buffer       error      clock       card  round trip
                Kitchen   playing  PCM    9.8 s  +3 ± 12 µs  +12.3 ppm  -34.1 ppm      180 µs
                Attic     playing         9.8 s  +3 ± 12 µs  +12.3 ppm  -34.1 ppm      180 µs
                """))
    }

    @Test func broadcasterOnANarrowTerminal() {
        #expect(
            text(Sample.broadcast(listeners: two), width: 40) == """
                Den  playing
                Pavane - Fauré
                ━━━━━━━━━━────────────────── 1:23 / 3:45

                listener  state         error
                Kitchen   playing  +3 ± 12 µs
                Attic     playing  -11 ± 9 µs
                worst pair: Kitchen and Attic, within 3…
                """)
    }

    @Test func broadcasterWithoutUnicode() {
        #expect(
            text(Sample.broadcast(listeners: [two[1]]), width: 64, glyphs: .ascii) == """
                Den  playing                      MP3 44.1 kHz stereo 128 kbit/s
                Pavane - Fauré
                ###################................................. 1:23 / 3:45

                listener  state    buffer         error     clock       card
                Attic     playing   9.8 s  -11 +/- 9 us  -8.0 ppm  +40.2 ppm
                """)
    }

    @Test func broadcasterThatWaits() {
        let event = Sample.broadcast(
            .waiting(ready: 0, wanted: 2), listeners: [Sample.listener("Kitchen", .preparing, timing: nil)])
        #expect(
            text(event, width: 64) == """
                Den  waiting for 2 listeners, 0 ready
                Pavane - Fauré
                ━━━━━━━━━━━━━━━━━━━───────────────────────────────── 1:23 / 3:45

                listener  state      buffer
                Kitchen   preparing   9.8 s
                """)
    }

    @Test func listenerThatPlays() {
        let event = RuntimeEvent.listening(two[0], song: Sample.song, broadcaster: "Den")
        #expect(
            text(event, width: 80) == """
                Kitchen  playing from Den                         MP3 44.1 kHz stereo 128 kbit/s
                Pavane - Fauré
                ━━━━━━━━━━━━━━━━━━━━━━━━━─────────────────────────────────────────── 1:23 / 3:45
                buffer 9.8 s   error +3 ± 12 µs   clock +12.3 ppm   card -34.1 ppm
                correction +46.4 ppm   round trip 180 µs   low water 1.94 s
                2 xruns, 1 re-placement
                """)
    }

    @Test func listenerThatPlayedToTheEnd() {
        var view = LiveView()
        view.receive(.listening(two[1], song: Sample.song, broadcaster: "Den"))
        view.finish(.completed)
        let lines = view.frame(.init(width: 50, height: 24)).map(\.text)
        #expect(lines[0] == "Attic  finished, broadcaster Den")
        #expect(lines[2].hasSuffix("━ 3:45 / 3:45"))
    }

    /// Ctrl-C completes a recording, not the song.
    @Test func recorderThatWasEnded() {
        var recorder = Sample.listener("Kitchen", timing: nil)
        recorder.isRecorder = true
        var view = LiveView()
        view.receive(.listening(recorder, song: Sample.song, broadcaster: "Den"))
        view.finish(.completed)
        let lines = view.frame(.init(width: 50, height: 24)).map(\.text)
        #expect(lines.count == 3 && lines[0].hasPrefix("Kitchen  recording from Den"))
        #expect(lines[2].hasSuffix(" 1:23 / 3:45"))
    }

    @Test func listenerThatWaits() {
        let event = RuntimeEvent.listening(Sample.listener("Kitchen", .connecting), song: nil, broadcaster: nil)
        #expect(text(event, width: 60) == "Kitchen  waiting for a broadcast                 Ctrl-C ends")
    }

    @Test func songOfUnknownLengthHasNoBar() {
        let song = SongStatus(title: "Radio", artist: nil, format: "MP3", elapsed: .seconds(3_723), total: nil)
        #expect(text(Sample.broadcast(song: song, listeners: []), width: 40).hasSuffix("\nRadio\n1:02:03"))
    }

    @Test(arguments: 1...130)
    func noLineIsWiderThanTheTerminal(width: Int) {
        let named = two + [Sample.listener("音楽室 👩‍👩‍👧‍👦 with a name that is far too long", .starving)]
        var view = LiveView()
        view.receive(Sample.broadcast(listeners: named))
        let frame = view.frame(.init(width: width, height: 24))
        #expect(frame.allSatisfy { $0.cellWidth <= width })
    }

    @Test(arguments: [2, 5, 8, 9, 24])
    func frameIsLowerThanTheTerminal(height: Int) {
        var view = LiveView()
        view.receive(Sample.broadcast(listeners: (0..<50).map { Sample.listener("L\($0)") }))
        #expect(view.frame(.init(width: 80, height: height)).count < height)
    }

    @Test func listenersThatDoNotFitAreCounted() {
        let event = Sample.broadcast(listeners: (0..<50).map { Sample.listener("L\($0)") })
        #expect(text(event, width: 80, height: 24).contains("\nand 34 more\n"))
    }

    @Test func namesAndTitlesCannotSteerTheTerminal() {
        let song = SongStatus(
            title: "a\u{1B}[2Jb\u{9B}c", artist: "\u{1B}]0;owned\u{7}d\u{202E}", format: "\u{1B}[31mMP3",
            elapsed: .zero,
            total: .seconds(1))
        let event = Sample.broadcast(song: song, listeners: [Sample.listener("x\u{1B}c\r\ny")])
        let shown = text(event, width: 80)
        #expect(shown.contains("\nabc - d\n"))
        #expect(shown.unicodeScalars.allSatisfy { $0 == "\n" || $0.isShowable })
    }
}
