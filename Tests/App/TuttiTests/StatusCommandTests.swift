import AudioCore
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// What `tutti status` says, and how commands to a broadcast are written.
@Suite(.timeLimit(.minutes(5))) struct StatusCommandTests {
    private let item = QueueItem(id: ItemID(1), title: "Pavane", duration: .seconds(200))
    private let start = SessionTime(nanoseconds: 0)

    private func position(_ seconds: Int64, rate: Double?) -> PlaybackPosition {
        PlaybackPosition(
            frame: FramePosition(seconds * 48_000), session: start, sampleRate: 48_000, framesPerSecond: rate)
    }

    @Test func theReadingOfAStatus() {
        func reading(_ status: TransportStatus, after seconds: Int64 = 0) -> String {
            status.reading(at: start + .seconds(seconds))
        }
        let playing = TransportStatus(.playing, current: item, position: position(83, rate: 48_000))
        #expect(reading(playing) == "playing: Pavane, 1:23 of 3:20" && reading(playing, after: 7).contains("1:30"))
        let paused = TransportStatus(.paused, current: item, position: position(83, rate: nil))
        #expect(reading(paused, after: 7) == "paused: Pavane, 1:23 of 3:20")
        #expect(reading(TransportStatus(.playing, current: item)) == "waiting: Pavane")
        #expect(reading(TransportStatus(.stopped, current: item)) == "stopped: Pavane")
        #expect(reading(TransportStatus(.idle)) == "idle")
        var station = item
        station.isLive = true
        let live = TransportStatus(.playing, current: station, position: position(83, rate: 48_000))
        #expect(reading(live) == "playing: Pavane, live")
    }

    @Test func anItemIsShownWithItsArtist() {
        var song = item
        (song.artist, song.album) = ("Fauré", "Op. 50")
        #expect(TransportStatus(.stopped, current: song).reading(at: start) == "stopped: Pavane - Fauré")
        #expect(QueueCommand.table([song], current: 1).rows.first?[2].text == "Pavane - Fauré")
        #expect(
            song.json(position: 2, isCurrent: false).text
                == #"{"position":2,"id":1,"title":"Pavane","artist":"Fauré","album":"Op. 50","seconds":200.000,"#
                + #""live":false,"failed":false,"picture":null,"current":false}"#)
    }

    @Test func aChangeIsToldAgainstWhatWasBefore() {
        let second = QueueItem(id: ItemID(2), title: "Gymnopédie")
        let playing = TransportStatus(.playing, current: item, position: position(83, rate: 48_000))
        let attic = ProgrammeListener(instance: 7, name: "Attic", state: .playing)
        let state = ProgrammeState(sequence: 1, sent: start, status: playing, listeners: [attic])
        func lines(_ kind: ProgrammeChange.Kind, after former: ProgrammeState) -> [String] {
            ProgrammeChange(sequence: former.sequence + 1, effect: start, kind).lines(after: former)
        }
        // Only what comes next changed.
        var status = playing
        status.next = second
        #expect(lines(.status(status), after: state) == ["next: Gymnopédie"])
        var longer = state
        longer.status = status
        #expect(lines(.status(playing), after: longer) == ["next: nothing"])
        // The song changed, and with it what comes next.
        let last = TransportStatus(.playing, current: second, position: position(0, rate: 48_000))
        #expect(lines(.status(last), after: longer) == ["playing: Gymnopédie, 0:00"])
        #expect(lines(.status(status), after: ProgrammeState(sequence: 1, sent: start, status: last)).count == 2)
        // More became known of what comes next.
        var known = second
        known.duration = .seconds(180)
        #expect(lines(.item(known), after: longer).isEmpty && lines(.item(known), after: state).isEmpty)
        known.artist = "Satie"
        #expect(lines(.item(known), after: longer) == ["next: Gymnopédie - Satie"])
        known.hasFailed = true
        #expect(lines(.item(known), after: longer) == ["Gymnopédie: cannot be played"])
        #expect(lines(.listenerGone(instance: 7), after: state) == ["Attic left"])
        #expect(lines(.listenerGone(instance: 8), after: state) == ["a listener left"])
        #expect(lines(.volume(VolumeSetting(level: 40)), after: state) == ["volume of the group: 40"])
        #expect(lines(.unknown(99), after: state).isEmpty)
    }

    @Test(
        arguments: [
            ("90", ProgrammeOperation.seek(to: .seconds(90))), ("1:30", .seek(to: .seconds(90))),
            ("1:02:03", .seek(to: .seconds(3_723))), ("0:00.5", .seek(to: .milliseconds(500))),
            ("+10", .skip(by: .seconds(10))), ("-1:00", .skip(by: .seconds(-60))),
        ]) func placesAreWritten(text: String, operation: ProgrammeOperation) throws
    {
        #expect(try SeekCommand.operation(text) == operation)
    }

    @Test(arguments: ["", "+", "1:60", "1:2:3:4", "x", "--1", "1.5:00", "1:", ":1", "99999999999", "nan", "1e3"])
    func whatIsNoPlaceIsRefused(text: String) {
        #expect(throws: UsageError.self) { try SeekCommand.operation(text) }
    }

    @Test func volumesAreWritten() throws {
        #expect(try VolumeCommand.change("40") == .level(40))
        #expect(try VolumeCommand.change("+5") == .step(5))
        #expect(try VolumeCommand.change("-5") == .step(-5))
        #expect(try VolumeCommand.change("mute") == .mute)
        for text in ["101", "+101", "", "loud", "4.5"] {
            #expect(throws: UsageError.self) { try VolumeCommand.change(text) }
        }
    }

    @Test func theQueuesWordsAreUnderstood() throws {
        #expect(try QueueCommand.request([]) == .list)
        #expect(try QueueCommand.request(["add", "a", "b"]) == .add(["a", "b"], nil))
        #expect(try QueueCommand.request(["insert", "2", "a"]) == .insert(["a"], nil, at: 1))
        #expect(try QueueCommand.request(["remove", "1"]) == .operation(.remove(.position(0))))
        #expect(try QueueCommand.request(["move", "3", "1"]) == .operation(.move(.position(2), to: 0)))
        #expect(try QueueCommand.request(["play", "3"]) == .operation(.jump(to: .position(2))))
        #expect(try QueueCommand.request(["repeat", "one"]) == .operation(.setRepeat(.one)))
        #expect(try QueueCommand.request(["shuffle", "off"]) == .operation(.setShuffle(false)))
        let wrong = [
            ["add"], ["add", "-"], ["insert", "a"], ["insert", "0", "a"], ["remove"], ["remove", "1", "2"],
            ["move", "1"],
            ["clear", "all"], ["repeat", "twice"], ["shuffle"], ["sort"],
        ]
        for words in wrong { #expect(throws: UsageError.self) { try QueueCommand.request(words) } }
    }

    @Test(arguments: [
        (["insert", "a.wav"], "the number of the song behind is missing: tutti queue insert N SONG"),
        (["insert"], "the number of the song behind is missing: tutti queue insert N SONG"),
        (["insert", "2"], "SONG is missing: tutti queue insert N SONG"),
        (["add"], "SONG is missing: tutti queue add SONG"),
    ])
    func whatIsMissingIsNamed(words: [String], message: String) {
        do throws(UsageError) {
            _ = try QueueCommand.request(words)
            Issue.record("taken")
        } catch {
            #expect(error.message == message)
        }
    }

    @Test func aNegativeNumberIsNoSwitch() throws {
        let arguments = try CommandArguments(["Kitchen", "-35000"], syntax: OffsetCommand.syntax)
        #expect(try OffsetCommand(arguments).offset == .milliseconds(-35))
        #expect(throws: UsageError.self) { try CommandArguments(["Kitchen", "-x"], syntax: OffsetCommand.syntax) }
    }

    @Test(arguments: [
        ("Den", false), ("Den 2.0", false), ("den.local", true), ("10.0.0.1:9", true), ("localhost", true),
    ])
    func namesAndAddressesAreToldApart(text: String, isAddress: Bool) throws {
        let target = try ControlFlags.target(try CommandArguments(["--at", text], syntax: PauseCommand.syntax))
        let found = if case .address = target { true } else { false }
        #expect(found == isAddress)
    }
}
