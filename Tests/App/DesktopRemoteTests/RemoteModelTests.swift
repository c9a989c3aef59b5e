import AudioCore
import Testing

@testable import DesktopRemote

/// What the bus is told, and what its calls mean.
@Suite(.timeLimit(.minutes(5))) struct RemoteModelTests {
    private var model = RemoteModel(identity: "Tutti", opensSongs: true)
    private let start = HostTime(nanoseconds: 7_000_000_000)
    private let song = RemoteStatus.Song(title: "Blue", artist: "Nina", length: .seconds(100))

    private func property(_ name: String, of interface: String = MPRIS.player, after span: TimeSpan = .zero)
        -> BusValue?
    {
        let arguments: [BusValue?] = [.string(interface), .string(name)]
        guard case .variant(let value) = model.answer(MPRIS.properties, "Get", arguments, now: start + span).answer
        else { return nil }
        return value
    }

    private func command(_ method: String, _ arguments: BusValue?...) -> RemoteCommand? {
        model.answer(MPRIS.player, method, arguments, now: start).command
    }

    private mutating func play() {
        _ = model.take(RemoteStatus(.playing, song: song, elapsed: .seconds(10), hasNext: true), now: start)
    }

    private func names(_ signals: [RemoteModel.Signal]) -> [String] {
        signals.flatMap { if case .changed(let properties) = $0 { properties.map(\.name) } else { ["Seeked"] } }
    }

    @Test mutating func whatChangesIsToldOnceAndThePositionNever() {
        let first = model.take(RemoteStatus(.playing, song: song, elapsed: .seconds(10)), now: start)
        #expect(Set(names(first)) == ["PlaybackStatus", "Metadata", "CanGoPrevious", "CanSeek"])
        // It plays on as expected, and somewhat late.
        for (seconds, late) in [(1, 0), (2, 300), (3, -300)] as [(Int64, Int64)] {
            let status = RemoteStatus(.playing, song: song, elapsed: .seconds(10 + seconds) + .milliseconds(late))
            #expect(model.take(status, now: start + .seconds(seconds)) == [])
        }
        let paused = model.take(RemoteStatus(.paused, song: song, elapsed: .seconds(13)), now: start + .seconds(3))
        #expect(names(paused) == ["PlaybackStatus"])
        #expect(property("Position", after: .seconds(60)) == .int64(13_000_000))
    }

    @Test mutating func aJumpIsTold() {
        play()
        let signals = model.take(
            RemoteStatus(.playing, song: song, elapsed: .seconds(50), hasNext: true), now: start + .seconds(1))
        #expect(signals == [.seeked(50_000_000)])
        // Another song begins elsewhere, and that is no jump.
        let next = RemoteStatus.Song(title: "Jazz", length: .seconds(50))
        let others = model.take(
            RemoteStatus(.playing, song: next, elapsed: .zero, hasNext: true), now: start + .seconds(2))
        #expect(names(others) == ["Metadata"])
    }

    @Test mutating func thePositionGoesOnToTheEnd() {
        play()
        #expect(property("Position", after: .seconds(5)) == .int64(15_000_000))
        #expect(property("Position", after: .seconds(500)) == .int64(100_000_000))
    }

    @Test mutating func metadataNameTheSong() {
        #expect(
            property("Metadata")
                == .dictionary([
                    BusProperty(name: "mpris:trackid", value: .objectPath("/org/mpris/MediaPlayer2/TrackList/NoTrack"))
                ]))
        play()
        #expect(
            property("Metadata")
                == .dictionary([
                    BusProperty(name: "mpris:trackid", value: .objectPath("/org/tutti/track/1")),
                    BusProperty(name: "xesam:title", value: .string("Blue")),
                    BusProperty(name: "xesam:artist", value: .strings(["Nina"])),
                    BusProperty(name: "mpris:length", value: .int64(100_000_000)),
                ]))
        #expect(property("Identity", of: MPRIS.root) == .string("Tutti"))
    }

    @Test mutating func callsAreCommands() {
        play()
        let simple: [(String, RemoteCommand)] = [
            ("Play", .play), ("Pause", .pause), ("PlayPause", .playPause), ("Stop", .stop), ("Next", .next),
            ("Previous", .previous),
        ]
        for (method, expected) in simple { #expect(command(method) == expected) }
        #expect(command("Seek", .int64(-3_000_000)) == .skip(by: .seconds(-3)))
        #expect(command("Seek", .int64(.min)) != nil)
        #expect(command("OpenUri", .string("file:///a.mp3")) == .open("file:///a.mp3"))
        let track = BusValue.objectPath("/org/tutti/track/1")
        #expect(command("SetPosition", track, .int64(40_000_000)) == .seek(to: .seconds(40)))
        // Of another song, or outside of this one.
        #expect(command("SetPosition", .objectPath("/org/tutti/track/0"), .int64(1)) == nil)
        #expect(command("SetPosition", track, .int64(100_000_001)) == nil)
        #expect(command("SetPosition", track, .int64(-1)) == nil)
        let volume: [BusValue?] = [.string(MPRIS.player), .string("Volume"), .double(1.7)]
        #expect(model.answer(MPRIS.properties, "Set", volume, now: start).command == .setVolume(1))
    }

    /// A client shows what it set; the bus is told that the player has another volume, and no sooner than it can know.
    @Test mutating func aVolumeThatIsNotTakenIsTold() {
        func status(_ volume: Double) -> RemoteStatus { RemoteStatus(.playing, volume: volume) }
        _ = model.take(status(0.5), now: start)
        model.note(.setVolume(1), now: start)
        #expect(model.take(status(0.5), now: start + .milliseconds(200)) == [])
        let told = RemoteModel.Signal.changed([BusProperty(name: "Volume", value: .double(0.5))])
        #expect(model.take(status(0.5), now: start + .milliseconds(600)) == [told])
        #expect(model.take(status(0.5), now: start + .milliseconds(800)) == [], "once")
        // One that is taken is told as any change.
        model.note(.setVolume(0.334), now: start + .seconds(1))
        let changed = RemoteModel.Signal.changed([BusProperty(name: "Volume", value: .double(0.33))])
        #expect(model.take(status(0.33), now: start + .seconds(1)) == [changed])
        #expect(model.take(status(0.33), now: start + .seconds(2)) == [])
    }

    @Test func whatMakesNoSenseIsAnError() {
        let calls: [(String?, String, [BusValue?], RemoteModel.Answer.Name)] = [
            (MPRIS.player, "Explode", [], .unknownMethod), (MPRIS.player, "Seek", [.string("x")], .badArguments),
            (MPRIS.player, "Seek", [], .badArguments),
            (MPRIS.properties, "Get", [.string(MPRIS.player)], .badArguments),
            (MPRIS.properties, "Get", [.string("a.b"), .string("c")], .unknownInterface),
            (MPRIS.properties, "Get", [.string(MPRIS.player), .string("Colour")], .unknownProperty),
            (MPRIS.properties, "GetAll", [nil], .badArguments),
            (MPRIS.properties, "Set", [.string(MPRIS.player), .string("Metadata"), .bool(true)], .readOnly),
            (MPRIS.properties, "Set", [.string(MPRIS.player), .string("Volume"), .string("loud")], .badArguments),
            ("a.b", "Play", [], .unknownMethod),
        ]
        for (interface, method, arguments, expected) in calls {
            let (answer, command) = model.answer(interface, method, arguments, now: start)
            guard case .error(expected, _) = answer else { Issue.record("\(method): \(answer)"); continue }
            #expect(command == nil)
        }
    }

    // MARK: The order

    @Test mutating func theOrderIsShownAndChanged() {
        let modes = RemoteStatus.Modes(loop: .none, isShuffled: false)
        _ = model.take(RemoteStatus(.playing, song: song, modes: modes), now: start)
        #expect(property("LoopStatus") == .string("None") && property("Shuffle") == .bool(false))
        #expect(set("LoopStatus", .string("Track")) == .setLoop(.track))
        #expect(set("LoopStatus", .string("Playlist")) == .setLoop(.playlist))
        #expect(set("Shuffle", .bool(true)) == .setShuffle(true))
        let other = RemoteStatus.Modes(loop: .playlist, isShuffled: true)
        let signals = model.take(RemoteStatus(.playing, song: song, modes: other), now: start)
        #expect(
            signals == [
                .changed([
                    BusProperty(name: "LoopStatus", value: .string("Playlist")),
                    BusProperty(name: "Shuffle", value: .bool(true)),
                ])
            ])
        #expect(MPRIS.introspection(hasModes: true).contains("\"LoopStatus\""))
    }

    @Test mutating func anOrderThatMakesNoSenseIsAnError() {
        _ = model.take(RemoteStatus(.playing, song: song, modes: .init(loop: .none, isShuffled: false)), now: start)
        for (name, value) in [("LoopStatus", .string("Twice")), ("LoopStatus", .bool(true)), ("Shuffle", .string("x"))]
            as [(String, BusValue)]
        {
            let answer = model.answer(
                MPRIS.properties, "Set", [.string(MPRIS.player), .string(name), value], now: start)
            guard case .error(.badArguments, _) = answer.answer else { Issue.record("\(name): \(answer)"); continue }
        }
    }

    /// The properties are optional (specification, "Player Interface").
    @Test mutating func aPlayerWithoutAnOrderHasNoPropertiesOfIt() {
        play()
        #expect(property("LoopStatus") == nil && property("Shuffle") == nil)
        let answer = model.answer(
            MPRIS.properties, "Set", [.string(MPRIS.player), .string("Shuffle"), .bool(true)], now: start)
        guard case .error(.unknownProperty, _) = answer.answer else { Issue.record("\(answer)"); return }
        #expect(!MPRIS.introspection(hasModes: false).contains("\"Shuffle\""))
    }

    private func set(_ name: String, _ value: BusValue) -> RemoteCommand? {
        model.answer(MPRIS.properties, "Set", [.string(MPRIS.player), .string(name), value], now: start).command
    }

    // MARK: Pictures

    @Test mutating func aPictureThatIsFoundLaterBelongsToTheSameSong() {
        play()
        var pictured = song
        pictured.artworkPath = "/Müsic/50%/a b.jpg"
        let signals = model.take(
            RemoteStatus(.playing, song: pictured, elapsed: .seconds(11), hasNext: true), now: start + .seconds(1))
        #expect(names(signals) == ["Metadata"])
        guard case .dictionary(let entries)? = property("Metadata") else { Issue.record("no metadata"); return }
        #expect(
            entries.contains(
                BusProperty(name: "mpris:artUrl", value: .string("file:///M%C3%BCsic/50%25/a%20b.jpg"))))
        #expect(entries.first == BusProperty(name: "mpris:trackid", value: .objectPath("/org/tutti/track/1")))
    }

    @Test func anURLOfAFileEncodesAllButTheUnreservedCharacters() {
        #expect(FileURL.text(of: "/az-AZ_09.~/x") == "file:///az-AZ_09.~/x")
        #expect(FileURL.text(of: "/#?[]@:;&\"\n") == "file:///%23%3F%5B%5D%40%3A%3B%26%22%0A")
    }

    /// It would end the broadcast.
    @Test mutating func withoutANextSongNobodyGoesThere() {
        _ = model.take(RemoteStatus(.playing, song: song), now: start)
        #expect(property("CanGoNext") == .bool(false) && command("Next") == nil)
    }

    /// Without a length nobody knows what is within the song.
    @Test mutating func aLiveSongCannotSeek() {
        _ = model.take(RemoteStatus(.playing, song: .init(title: "Radio")), now: start)
        #expect(property("CanSeek") == .bool(false) && command("Seek", .int64(1)) == nil)
    }
}
