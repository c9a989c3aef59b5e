import AudioCore
import Controlling
import MusicLibrary
import ProgrammeJSON
import Testing
import WireProtocol

/// What programs are told of a broadcast, word for word, and that the schema says so.
@Suite(.timeLimit(.minutes(5))) struct ProgrammeJSONTests {
    static let item = QueueItem(id: ItemID(5), title: "Pavane", duration: .milliseconds(83_250))
    static let station = QueueItem(id: ItemID(6), title: "Radio", isLive: true, hasFailed: true, hasPicture: false)
    static let position = PlaybackPosition(
        frame: FramePosition(48_000), session: SessionTime(nanoseconds: 2_500_000_000), sampleRate: 48_000,
        framesPerSecond: 48_000)
    static let status = TransportStatus(.playing, current: item, next: station, position: position)
    static let kitchen = ProgrammeListener(
        instance: 0x2A, name: "Kitchen", state: .playing,
        settings: ListenerSettings(volume: VolumeSetting(level: 40), offset: .microseconds(-1_500), role: .left),
        timing: .init(error: .microseconds(-3), bound: .microseconds(12)), isBrowser: true)
    static let attic = ProgrammeListener(instance: .max, name: "Attic", state: .connecting)
    static let state = ProgrammeState(
        sequence: 7, sent: SessionTime(nanoseconds: 3_000_000_000), status: status,
        modes: PlayModes(repeats: .all, isShuffled: true), itemCount: 2,
        volume: VolumeSetting(level: 90, isMuted: true),
        listeners: [kitchen, attic], page: PageLocation(port: 28_885))

    private static let itemText =
        #"{"id":5,"title":"Pavane","artist":null,"album":null,"seconds":83.250,"live":false,"failed":false,"#
        + #""picture":null}"#
    private static let statusText = """
        {"transport":"playing","current":\(itemText),\
        "next":{"id":6,"title":"Radio","artist":null,"album":null,"seconds":null,"live":true,"failed":true,\
        "picture":false},\
        "position":{"seconds":1.000000,"at":2.500000,"rate":1.000000000,"frame":48000,"sampleRate":48000}}
        """
    private static let kitchenText = """
        {"name":"Kitchen","instance":"2a","state":"playing","browser":true,\
        "volume":{"level":40,"muted":false},"role":"left",\
        "offsetMicroseconds":-1500,"errorMicroseconds":-3.0,"boundMicroseconds":12.0}
        """

    @Test func aState() {
        #expect(
            Self.state.json(of: "Den").text == """
                {"broadcaster":"Den","sequence":7,"queueSequence":null,"sent":3.000000,"status":\(Self.statusText),\
                "modes":{"repeat":"all","shuffle":true},"items":2,"volume":{"level":90,"muted":true},\
                "listeners":[\(Self.kitchenText),{"name":"Attic","instance":"ffffffffffffffff","state":"connecting",\
                "browser":false,"volume":null,"role":null,"offsetMicroseconds":null,"errorMicroseconds":null,"boundMicroseconds":null}],\
                "page":{"port":28885,"scheme":"http","name":null}}
                """)
        #expect(Self.state.json(of: "Den", queueSequence: 6).text.contains(#""sequence":7,"queueSequence":6,"sent""#))
    }

    static let entry = LogEntry(
        number: 1, id: CommandID(high: 0, low: 0), who: "Anna", effect: SessionTime(nanoseconds: 0),
        .programme(.seek(to: .seconds(90))))

    static let changes: [(kind: ProgrammeChange.Kind, text: String)] = [
        (.status(status), #""status":\#(statusText)"#),
        (.modes(PlayModes()), #""modes":{"repeat":"off","shuffle":false}"#),
        (.queue(.removed(at: 1), itemCount: 1), #""queue":{"edit":"removed(at: 1)","items":1}"#),
        (.item(item), #""item":\#(itemText)"#),
        (.volume(VolumeSetting(level: 5)), #""volume":{"level":5,"muted":false}"#),
        (.listener(kitchen), #""listener":\#(kitchenText)"#), (.listenerGone(instance: 0xAB), #""gone":"ab""#),
        (.command(entry), #""command":{"who":"Anna","what":"seek 1:30"}"#), (.unknown(99), #""unknown":null"#),
    ]

    @Test(arguments: changes.indices) func aChange(index: Int) {
        let (kind, text) = Self.changes[index]
        let change = ProgrammeChange(sequence: 8, effect: SessionTime(nanoseconds: 1_500_000_000), kind)
        #expect(change.json.text == #"{"sequence":8,"effect":1.500000,\#(text)}"#)
    }

    @Test func aQueue() {
        #expect(
            Self.item.json(position: 3, isCurrent: true).text
                == #"{"position":3,\#(Self.itemText.dropFirst().dropLast()),"current":true}"#)
        let page = QueuePage(sequence: 9, itemCount: 300, first: 256, items: [Self.item])
        #expect(page.json.text == #"{"from":256,"count":300,"items":[\#(Self.itemText)]}"#)
    }

    @Test func outcomes() {
        func outcome(_ verdict: CommandOutcome.Verdict, _ text: String = "") -> String {
            CommandOutcome(id: CommandID(high: 0, low: 0), verdict, text: text).json.text
        }
        let done = CommandOutcome.Verdict.done(number: 1, effect: SessionTime(nanoseconds: 0))
        #expect(outcome(done) == #"{"done":true,"text":""}"#)
        #expect(outcome(done, "past the end") == #"{"done":true,"text":"past the end"}"#)
        #expect(outcome(.refused(.queueIsEmpty)) == #"{"done":false,"text":"the queue is empty"}"#)
        #expect(outcome(.refused(.unplayable), "no song") == #"{"done":false,"text":"no song"}"#)
        #expect(ControlEnding.done.json.text == #"{"done":true,"text":""}"#)
        #expect(
            ControlEnding.refused(by: "Den", .noSuchItem).json.text
                == #"{"done":false,"text":"the queue has no such item"}"#)
        #expect(ControlEnding.ended("Den", BroadcastEnd(.stopped)).failureText == "Den ended the broadcast")
        #expect(ControlEnding.lost("Den").failureText == "lost Den")
    }

    static let lines =
        "/a.mp3\tA\tSimone\tAlbum\t\t\tJazz\t1\t2\t1958\t83250\n\nnothing\n/b.mp3\tB\t\t\t\t\t\t\t\t\t\n\t\t\t\t\t\t\t\t\t\t\n"

    @Test func foundSongs() {
        let songs = FoundSong.songs(found: Array(Self.lines.utf8))
        #expect(
            JSONValue.songs(songs).text == """
                {"songs":[{"path":"/a.mp3","title":"A","artist":"Simone","album":"Album","albumArtist":null,\
                "composer":null,"genre":"Jazz","disc":1,"track":2,"year":1958,"seconds":83.250},{"path":"/b.mp3",\
                "title":"B","artist":null,"album":null,"albumArtist":null,"composer":null,"genre":null,"disc":null,\
                "track":null,"year":null,"seconds":null}]}
                """)
        let many = String(repeating: "/b.mp3\tB\t\t\t\t\t\t\t\t\t\n", count: 2_000)
        #expect(FoundSong.songs(found: Array(many.utf8)).count == WireLimits.foundSongCount)
        #expect(FoundSong.songs(found: [0xFF, 0x0A, 0x09]).isEmpty)
    }
}
