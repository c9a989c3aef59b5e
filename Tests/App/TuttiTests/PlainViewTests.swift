import AudioCore
import TerminalIO
import Testing
import TuttiRuntime

@testable import tutti

/// What goes into a pipe.
@Suite(.timeLimit(.minutes(5))) struct PlainViewTests {
    private let start = HostTime(nanoseconds: 1_000_000_000)

    private func run(_ events: [(Int64, RuntimeEvent)], level: DisplayFlags.Level = .normal) -> [String] {
        var view = PlainView(level: level)
        return events.flatMap { view.lines(for: .runtime($0.1), now: start + .milliseconds($0.0)) }.map(\.text)
    }

    @Test func playerTellsSongsAndChanges() {
        func playing(_ state: PlayStatus.State, _ seconds: Int64 = 83) -> RuntimeEvent {
            var song = Sample.song
            song.elapsed = .seconds(seconds)
            return .playing(PlayStatus(state: state, song: song))
        }
        let lines = run([
            (0, playing(.playing, 0)), (300, playing(.playing)), (400, playing(.paused)), (500, playing(.paused)),
            (600, playing(.playing)), (5_200, playing(.playing, 88)), (6_000, playing(.ended, 225)),
        ])
        #expect(
            lines == [
                "song: Pavane - Fauré, MP3 44.1 kHz stereo 128 kbit/s, 3:45", "0:00 / 3:45", "paused", "playing",
                "1:28 / 3:45", "ended",
            ])
    }

    @Test func broadcasterTellsChangesOnceAndItsStatusEveryFiveSeconds() {
        let playing = Sample.broadcast(listeners: [Sample.listener("Kitchen"), Sample.listener("Attic")])
        let lines = run([
            (0, Sample.broadcast(.waiting(ready: 0, wanted: 1), listeners: [])),
            (100, Sample.broadcast(.waiting(ready: 0, wanted: 1), listeners: [])),
            (200, playing), (300, playing), (5_100, playing), (5_200, playing),
            (5_300, Sample.broadcast(listeners: [Sample.listener("Attic", counters: Sample.troubled)])),
        ])
        #expect(
            lines == [
                "song: Pavane - Fauré, MP3 44.1 kHz stereo 128 kbit/s, 3:45",
                "waiting for 1 listener, 0 ready",
                "playing",
                "Kitchen: playing",
                "Attic: playing",
                "1:23 / 3:45  2 of 2 playing, buffer at least 9.8 s, worst pair Kitchen and Attic within 24 us",
                "1:23 / 3:45  2 of 2 playing, buffer at least 9.8 s, worst pair Kitchen and Attic within 24 us",
                "Attic: playing, 2 xruns, 1 re-placement",
            ])
    }

    @Test func anIdleBroadcastHasNoSong() {
        let kitchen = Sample.listener("Kitchen", .finished)
        let lines = run([
            (0, Sample.broadcast(.idle, song: nil, listeners: [])), (100, Sample.broadcast(listeners: [])),
            (200, Sample.broadcast(.idle, song: nil, listeners: [kitchen])), (300, Sample.broadcast(listeners: [])),
        ])
        let song = "song: Pavane - Fauré, MP3 44.1 kHz stereo 128 kbit/s, 3:45"
        #expect(lines == ["idle", song, "playing", "idle", "Kitchen: finished", song, "playing"])
    }

    @Test func verboseHasALineForEachListener() {
        let kitchen = Sample.listener("Kitchen", counters: Sample.troubled)
        let lines = run([(0, Sample.broadcast(listeners: [kitchen]))], level: .verbose)
        #expect(
            lines.suffix(2) == [
                "1:23 / 3:45  1 of 1 playing, buffer at least 9.8 s, error +3 +/- 12 us",
                "  Kitchen: buffer 9.8 s, error +3 +/- 12 us, clock +12.3 ppm, card -34.1 ppm, correction +46.4 ppm, "
                    + "round trip 180 us, asymmetry limit 50 us, low water 1.94 s, 2 xruns, 1 re-placement "
                    + "(1 by card restart)",
            ])
    }

    @Test func listenerTellsWhatItPlays() {
        let waiting = RuntimeEvent.listening(Sample.listener("Kitchen", .connecting), song: nil, broadcaster: nil)
        let lines = run([
            (0, waiting), (100, waiting),
            (
                200,
                .listening(Sample.listener("Kitchen", .preparing, timing: nil), song: nil, broadcaster: "Den")
            ),
            (300, .listening(Sample.listener("Kitchen"), song: Sample.song, broadcaster: "Den")),
            (400, waiting),
        ])
        #expect(
            lines == [
                "waiting for a broadcast",
                "Kitchen: preparing",
                "song: Pavane - Fauré, MP3 44.1 kHz stereo 128 kbit/s, 3:45",
                "Kitchen: playing",
                "1:23 / 3:45  playing, buffer 9.8 s, error +3 +/- 12 us, clock +12.3 ppm, card -34.1 ppm",
            ])
    }

    @Test func whatComesNextIsALineWhenItChanges() {
        func listening(_ next: String?) -> RuntimeEvent {
            var listener = Sample.listener("Kitchen")
            listener.next = next
            return .listening(listener, song: Sample.song, broadcaster: "Den")
        }
        let lines = run([
            (0, listening("Gymnopédie")), (100, listening("Gymnopédie")), (200, listening(nil)),
            (300, listening("Vexations")),
        ])
        #expect(lines.filter { $0.hasPrefix("next") } == ["next: Gymnopédie", "next: Vexations"])
        #expect(lines[1] == "next: Gymnopédie")
        var status = BroadcastStatus(name: "Den", state: .playing, song: Sample.song, listeners: [])
        status.next = "Gymnopédie"
        #expect(run([(0, .broadcast(status))])[1] == "next: Gymnopédie")
    }

    /// It plays nothing, and is at no distance from anything.
    @Test func aRecorderTellsHowFarItIs() {
        var recorder = Sample.listener("Kitchen", timing: nil)
        recorder.isRecorder = true
        let lines = run([(0, .listening(recorder, song: Sample.song, broadcaster: "Den"))])
        #expect(lines.suffix(2) == ["Kitchen: recording", "1:23 / 3:45  recording"])
        let both = [Sample.listener("Attic"), Sample.listener("Kitchen (recording)", timing: nil)]
        #expect(
            run([(0, Sample.broadcast(listeners: both))]).last?.hasPrefix(
                "1:23 / 3:45  2 of 2 playing, buffer at least 9.8 s") == true)
        #expect(run([(0, Sample.broadcast(listeners: [both[1]]))]).last == "1:23 / 3:45  1 of 1 playing")
    }

    @Test func listenersOfOneNameAreToldApart() {
        let event = Sample.broadcast(
            .waiting(ready: 1, wanted: 2),
            listeners: [Sample.listener("Kitchen", .ready), Sample.listener("Kitchen", .preparing)])
        #expect(run([(0, event)]).suffix(2) == ["Kitchen: ready", "Kitchen: preparing"])
        #expect(run([(0, event), (100, event)]).count == run([(0, event)]).count)
    }

    @Test func quietShowsOnlyWarnings() {
        let events: [(Int64, RuntimeEvent)] = [
            (0, .notice(Sample.info)), (0, .notice(Sample.detail)), (0, .notice(Sample.warning)),
            (0, Sample.broadcast(listeners: [])),
        ]
        let warning = "packets are late: silent until there are enough again"
        #expect(run(events, level: .quiet) == ["tutti: warning: \(warning)"])
        #expect(run(events).prefix(2) == ["on the air: i", "tutti: warning: \(warning)"])
        #expect(
            run(events, level: .verbose).prefix(3)
                == ["on the air: i", "mDNS is available", "tutti: warning: \(warning)"])
    }

    @Test func warningsGoToStandardError() {
        var view = PlainView(level: .normal)
        #expect(view.lines(for: .runtime(.notice(Sample.warning)), now: start).map(\.stream) == [.error])
        #expect(view.lines(for: .runtime(.notice(Sample.info)), now: start).map(\.stream) == [.output])
        #expect(view.lines(for: .warning("w"), now: start) == [.init("tutti: warning: w", to: .error)])
    }

    @Test func linesHoldNoControlCharacters() {
        let events: [(Int64, RuntimeEvent)] = [
            (0, .notice(.song(.title("a\u{1B}[31mb\nc")))),
            (0, Sample.broadcast(listeners: [Sample.listener("x\ny\u{7}")])),
        ]
        let lines = run(events)
        #expect(lines.contains("on the air: ab c"))
        #expect(lines.contains("x y: playing"))
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy(\.isShowable) })
    }

    @Test func aChangedVolumeIsALine() {
        var view = PlainView(level: .normal)
        var listener = Sample.listener("Kitchen")
        func lines() -> [String] {
            let event = RuntimeEvent.listening(listener, song: Sample.song, broadcaster: "Den")
            return view.lines(for: .runtime(event), now: HostTime(nanoseconds: 0)).map(\.text)
        }
        listener.loudspeakers = LoudspeakerSettings()
        #expect(!lines().contains { $0.contains("volume") })
        listener.loudspeakers?.volume = Volume(percent: 40)
        #expect(lines() == ["volume 40 %"])
        listener.loudspeakers?.isMuted = true
        #expect(lines() == ["volume off"])
        #expect(lines().isEmpty)
    }

    /// Also at first: nobody asked for it.
    @Test func aLimitThatIsReachedIsALine() {
        var view = PlainView(level: .normal)
        var listener = Sample.listener("Kitchen")
        func lines() -> [String] {
            let event = RuntimeEvent.listening(listener, song: nil, broadcaster: nil)
            return view.lines(for: .runtime(event), now: HostTime(nanoseconds: 0)).map(\.text)
        }
        listener.loudspeakers = LoudspeakerSettings(volume: Volume(percent: 50))
        listener.ceiling = VolumeCeiling(Volume(percent: 50))
        #expect(lines().first == "volume 50 % (the most allowed)")
        #expect(lines().isEmpty)
        listener.loudspeakers?.volume = Volume(percent: 20)
        listener.ceiling = VolumeCeiling(
            Volume(percent: 20), hours: .quiet(until: MinuteOfDay(hour: 7, minute: 0)))
        #expect(lines() == ["volume 20 % (quiet hours until 07:00)"])
        listener.loudspeakers?.volume = Volume(percent: 15)
        #expect(lines() == ["volume 15 %"])
    }
}
