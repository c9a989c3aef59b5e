import AudioCore
import Testing

@testable import DesktopRemote

/// When a song is notified of, and what the server is told.
@Suite(.timeLimit(.minutes(5))) struct SongNotifierTests {
    private var notifier = SongNotifier()
    private var now = HostTime(nanoseconds: 7_000_000_000)

    private static func song(_ title: String, artist: String? = nil, album: String? = nil) -> RemoteStatus.Song {
        RemoteStatus.Song(title: title, artist: artist, album: album, length: .seconds(100))
    }

    private mutating func take(
        _ playback: RemoteStatus.Playback, _ song: RemoteStatus.Song?, after span: TimeSpan = .milliseconds(200),
        elapsed: TimeSpan = .zero
    ) -> SongNotifier.Call? {
        now += span
        return notifier.take(RemoteStatus(playback, song: song, elapsed: elapsed), now: now)
    }

    private mutating func reply(_ reply: SongNotifier.Reply) -> SongNotifier.Call? { notifier.take(reply, now: now) }

    /// A notifier that knows its server.
    private mutating func meetServer(_ capabilities: [String] = ["body", "body-markup"]) {
        _ = take(.playing, Self.song("first"))
        _ = reply(.values([.strings(capabilities)]))
        _ = reply(.values([.uint32(7)]))
    }

    private func arguments(_ call: SongNotifier.Call?) -> [BusValue] {
        if case .notify(let arguments)? = call { arguments } else { [] }
    }

    @Test mutating func theServerIsAskedOnceAndThenTold() {
        #expect(take(.playing, Self.song("a", artist: "b", album: "c")) == .getCapabilities)
        let first = reply(.values([.strings([])]))
        #expect(
            arguments(first).dropLast(2) == [
                .string("Tutti"), .uint32(0), .string("audio-x-generic"), .string("a"), .string("b\nc"), .strings([]),
            ])
        #expect(arguments(first).last == .int32(-1))
        guard case .dictionary(let hints)? = arguments(first).dropLast().last else { Issue.record("no hints"); return }
        #expect(hints.contains(BusProperty(name: "urgency", value: .byte(0))))
        #expect(hints.contains(BusProperty(name: "transient", value: .bool(true))))
        #expect(hints.contains(BusProperty(name: "desktop-entry", value: .string("tutti"))))
        #expect(reply(.values([.uint32(7)])) == nil)
        // The next takes the place of the first.
        #expect(arguments(take(.playing, Self.song("d"))).dropFirst().first == .uint32(7))
    }

    @Test mutating func aSongIsNotifiedOfWhenItBegins() {
        meetServer()
        let song = Self.song("second")
        // It is ready, and does not sound.
        #expect(take(.paused, song) == nil)
        #expect(take(.playing, song) != nil)
        _ = reply(.values([.uint32(7)]))
        // It plays, pauses, goes on, and is sought in, for which a listener falls silent for a moment.
        let course: [(RemoteStatus.Playback, RemoteStatus.Song?)] = [
            (.playing, song), (.paused, song), (.playing, song), (.stopped, song), (.stopped, nil), (.playing, song),
        ]
        for (playback, song) in course { #expect(take(playback, song) == nil) }
        // Its length became known, and where it lies.
        var other = song
        (other.length, other.path) = (.seconds(101), "/music/second.mp3")
        #expect(take(.playing, other) == nil)
        other.path = "/music/another second.mp3"
        #expect(take(.playing, other) != nil)
        _ = reply(.values([.uint32(7)]))
        // Somebody plays it again.
        #expect(take(.stopped, nil) == nil)
        #expect(take(.playing, song, after: .seconds(10)) != nil)
    }

    @Test mutating func aPauseOfAnyLengthIsNoNewBeginning() {
        meetServer()
        _ = take(.paused, Self.song("first"))
        #expect(take(.playing, Self.song("first"), after: .seconds(600)) == nil)
    }

    @Test mutating func markupIsEscapedWhereItIsShown() {
        meetServer()
        let song = Self.song("<a> & b", artist: "<b>x</b> & y")
        #expect(
            arguments(take(.playing, song)).dropFirst(3).prefix(2) == [
                .string("<a> & b"), .string("&lt;b&gt;x&lt;/b&gt; &amp; y"),
            ])
        var plain = SongNotifierTests()
        plain.meetServer(["body"])
        #expect(plain.arguments(plain.take(.playing, song)).dropFirst(4).first == .string("<b>x</b> & y"))
    }

    /// A sign and an accent are one character.
    @Test mutating func markupIsEscapedUnderAccents() {
        meetServer()
        let song = Self.song("second", artist: "<\u{301}b>\u{302} &\u{301}", album: "e\u{301}")
        let expected = "&lt;\u{301}b&gt;\u{302} &amp;\u{301}\ne\u{301}"
        #expect(arguments(take(.playing, song)).dropFirst(4).first == .string(expected))
    }

    @Test mutating func textOfPeersIsBounded() {
        meetServer()
        let song = Self.song(String(repeating: "x", count: 5_000), artist: "a\u{1B}[2J")
        let texts = arguments(take(.playing, song)).dropFirst(3).prefix(2)
        #expect(texts.first == .string(String(repeating: "x", count: Limits.titleByteCount)))
        #expect(texts.last == .string("a\u{FFFD}[2J"))
    }

    @Test mutating func songsThatComeFastWaitForTheNumber() {
        meetServer()
        #expect(take(.playing, Self.song("a")) != nil)
        #expect(take(.playing, Self.song("b")) == nil && take(.playing, Self.song("c")) == nil)
        let next = arguments(reply(.values([.uint32(8)])))
        #expect(next.dropFirst().first == .uint32(8) && next.dropFirst(3).first == .string("c"))
    }

    @Test mutating func aNotificationWaitsForItsPicture() {
        meetServer()
        var song = Self.song("second")
        song.isArtworkSought = true
        #expect(take(.playing, song) == nil)
        song.isArtworkSought = false
        song.artworkPath = "/music/a b.jpg"
        #expect(arguments(take(.playing, song)).dropFirst(2).first == .string("file:///music/a%20b.jpg"))
    }

    @Test mutating func aMissingServerIsToldOfOnceAndAskedForAgain() {
        #expect(take(.playing, Self.song("a")) == .getCapabilities)
        #expect(reply(.error) == nil && notifier.takeMissing() && !notifier.takeMissing())
        #expect(take(.playing, Self.song("b")) == .getCapabilities)
        #expect(reply(.error) == nil && !notifier.takeMissing())
        #expect(take(.playing, Self.song("c")) == .getCapabilities)
        #expect(arguments(reply(.values([.strings([])]))).dropFirst(3).first == .string("c"))
    }

    @Test mutating func anotherServerIsAskedAnew() {
        meetServer()
        #expect(take(.playing, Self.song("a")) != nil)
        #expect(reply(.error) == nil && !notifier.takeMissing())
        #expect(take(.playing, Self.song("b")) == .getCapabilities)
        // A number of the former one means nothing to it.
        #expect(arguments(reply(.values([.strings([])]))).dropFirst().first == .uint32(0))
    }

    @Test mutating func aServerThatHangsIsGivenUp() {
        #expect(take(.playing, Self.song("a")) == .getCapabilities)
        #expect(take(.playing, Self.song("b"), after: .seconds(29)) == nil)
        #expect(take(.playing, Self.song("b"), after: .seconds(29)) == nil)
        // The song that waits is an old one.
        #expect(take(.playing, Self.song("c")) == .getCapabilities)
        now += .seconds(29)
        #expect(arguments(reply(.values([.strings([])]))).dropFirst(3).first == .string("c"))
        #expect(take(.playing, Self.song("d"), after: .seconds(29)) == nil)
        #expect(take(.playing, Self.song("e"), after: .seconds(2)) == .getCapabilities)
        #expect(arguments(reply(.values([.strings([])]))).dropFirst().first == .uint32(0))
    }

    /// However long ago its last answer was.
    @Test mutating func aServerThatAnsweredIsKept() {
        meetServer()
        #expect(arguments(take(.playing, Self.song("a"), after: .seconds(600))).dropFirst().first == .uint32(7))
    }

    @Test mutating func aReplyThatMakesNoSenseIsBorne() {
        _ = take(.playing, Self.song("a"))
        #expect(reply(.values([nil])) != nil)
        #expect(reply(.values([])) == nil)
        #expect(reply(.values([.uint32(1)])) == nil && reply(.error) == nil)
        #expect(arguments(take(.playing, Self.song("b"))).dropFirst().first == .uint32(0))
    }
}
