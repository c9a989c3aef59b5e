import AudioCore
import Peering
import SecureChannel
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// What `tutti peers` says.
@Suite(.timeLimit(.minutes(5))) struct PeersCommandTests {
    private func entry(_ activity: PeerActivity, _ playing: String?) -> PeerEntry {
        PeerEntry(
            name: "Attic", roles: .broadcaster, activity: activity, playing: playing,
            addresses: [NetworkAddress(host: "10.0.0.1", port: 7)], hostName: "attic.local", protocolVersion: 2,
            peer: UUIDBytes(high: 0, low: 1), instance: 0xA1)
    }

    @Test(
        arguments: [
            (.playing, "Pavane", "Pavane"), (.playing, nil, "playing"), (.idle, nil, "idle"),
            (.waiting, "Pavane", "waiting: Pavane"), (.paused, "Pavane", "paused: Pavane"),
            (.stopped, "Pavane", "stopped: Pavane"), (.unanswered, nil, "does not answer"),
            (.refused, nil, "does not tell"), (.unknown, nil, "unknown"),
        ] as [(PeerActivity, String?, String)])
    func whatAPeerPlays(activity: PeerActivity, playing: String?, reading: String) {
        #expect(entry(activity, playing).nowPlaying == reading)
    }

    @Test func aRowAndAnObject() {
        let lines = PeersCommand.table([entry(.paused, "Pav\u{1B}ane")]).lines(width: .max)
        #expect(lines.last?.text.hasPrefix("Attic  broadcaster  new       paused: Pav") == true, "\(lines.map(\.text))")
        #expect(lines.last?.text.contains("\u{1B}") == false)
        #expect(
            entry(.playing, "Pavane").json.text == """
                {"name":"Attic","role":"broadcaster","standing":"new","activity":"playing","playing":"Pavane",\
                "addresses":["10.0.0.1:7"],"hostName":"attic.local","protocolVersion":2,\
                "id":"00000000-0000-0000-0000-000000000001","instance":"00000000000000a1"}
                """)
        #expect(entry(.unanswered, nil).json.text.contains(#""activity":"unanswered","playing":null,"#))
    }

    @Test func asWhatAPeerIsKnown() {
        var entry = entry(.idle, nil)
        entry.relation = .thisMachine
        #expect(PeersCommand.table([entry]).lines(width: .max).last?.text.contains("  this machine  ") == true)
        #expect(entry.json.text.contains(#""standing":"thisMachine""#))
    }

    @Test func whatTheWordsAskFor() throws {
        #expect(try PeersCommand.request([]) == .list)
        let name = try #require(PeerName("Living Room"))
        #expect(try PeersCommand.request(["forget", "Living Room"]) == .forget(name))
        for words in [["forget"], ["forget", ""], ["forget", "Living", "Room"], ["forgot", "Attic"], ["Attic"]] {
            #expect(throws: UsageError.self, "\(words)") { try PeersCommand.request(words) }
        }
    }

    @Test func aNameThatNobodyHadIsAnsweredWithTheNearest() throws {
        var pins = PinnedNames()
        pins.note(MetPeer(try #require(PeerName("Kitchen")), PeerKeyPair.random().key, isNamed: false), at: 1)
        #expect(
            PeersCommand.unknown(try #require(PeerName("Kitchn")), among: pins)
                == "nobody called 'Kitchn' was met; did you mean 'Kitchen'?")
        #expect(PeersCommand.unknown(try #require(PeerName("Attic")), among: pins) == "nobody called 'Attic' was met")
    }
}
