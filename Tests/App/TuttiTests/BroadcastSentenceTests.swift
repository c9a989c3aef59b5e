import AudioCore
import Broadcasting
import Peering
import SecureChannel
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// What people read of a broadcast: one line for each notice, word for word.
@Suite(.timeLimit(.minutes(5))) struct BroadcastSentenceTests {
    private static let damage = AudioStreamProblem(.skipped(byteCount: 3), at: 5)
    private static let cut = AudioStreamProblem(.truncated(missingByteCount: nil), at: 9)

    private static let theSong: [(notice: BroadcastNotice, level: NoticeLevel, sentence: String)] = [
        (.source(.info, "waiting for a writer of 'pipe'"), .info, "waiting for a writer of 'pipe'"),
        (.sourceFailed("'a.mp3' cannot be read further"), .warning, "'a.mp3' cannot be read further"),
        (.songDamaged(damage), .warning, "the file is damaged: \(damage)"),
        (.songTruncated(cut), .warning, "the file is damaged: \(cut)"),
        (.songCutOff(seconds: 3, of: 10, nil), .warning, "the file is cut off (3 s of 10 s are there)"),
        (.songCutOff(seconds: 3, of: 10, cut), .warning, "the file is damaged: \(cut) (3 s of 10 s are there)"),
        (.songFellSilent, .warning, "the source is too slow: silent until enough is buffered"),
        (.songGoesOn(silence: .milliseconds(4_600)), .info, "the song goes on after 5 s of silence"),
        (
            .soughtPastTheEnd(isOver: false), .info,
            "the place that was sought is past the song's end: the next one follows"
        ),
        (
            .soughtPastTheEnd(isOver: true), .info,
            "the place that was sought is past the end of the last song: the programme is over"
        ),
        (.startedWithout(["Attic", "Den"]), .warning, "starting without Attic, Den: not found"),
        (
            .decodingTooSlow, .warning,
            "this machine decodes too slowly: listeners that are sent PCM miss some of the song"
        ),
    ]

    private static let listeners: [(notice: BroadcastNotice, level: NoticeLevel, sentence: String)] = [
        (.joined("Attic"), .info, "Attic joined"),
        (.songsAdded(by: "Attic", first: "Pavane", count: 1), .info, "Attic added 'Pavane'"),
        (.songsAdded(by: "Attic", first: "Pavane", count: 3), .info, "Attic added 'Pavane' and 2 more"),
        (.left("Attic"), .info, "Attic left"),
        (.gone("Attic", nil), .info, "Attic is gone"),
        (.gone("Attic", .mute), .info, "Attic is gone (nothing heard from it)"),
        (.gone("Attic", .stalled), .info, "Attic is gone (it stopped reading)"),
        (.dropped("Attic", packetCount: 7), .warning, "Attic is too slow: 7 packets dropped for it"),
        (.sentPCM("Attic", .mpegLayer3), .info, "Attic cannot decode MP3: it is sent PCM"),
        (
            .clockOverTCP("Attic"), .warning,
            "UDP is blocked between Attic and this machine: clock over TCP, less exact"
        ),
        (
            .followsLate("Kitchen", held: .milliseconds(480)), .warning,
            "Kitchen's sound card holds 480 ms and cannot take it back: it follows commands later than the others"
        ),
        (.observed(by: "Attic"), .detail, "Attic is watching (tutti check)"),
    ]

    private static let address = NetworkAddress(host: "attic", port: 7_000)

    private static let connections: [(notice: BroadcastNotice, level: NoticeLevel, sentence: String)] = [
        (.namedUnanswered(address), .warning, "no listener answers at \(address); trying again until one does"),
        (.unanswered("Attic", address), .detail, "Attic: no answer at \(address), trying again"),
        (.unanswered(nil, address), .detail, "a listener: no answer at \(address), trying again"),
        (.busy("Attic", "playing X"), .info, "Attic is busy: playing X"),
        (.refusedBy("Attic", "no"), .warning, "Attic refuses: no"),
        (
            .anotherKey(name: "Living Room", PeerKeyPair.random().key), .warning,
            "'Living Room' has another key than before: if it was set up anew, run `tutti peers forget 'Living Room'`; until "
                + "then --to and --from do not take it"
        ),
        (.refused("Attic", Refusal(.protocolError, "noise")), .warning, "refused Attic: noise"),
        (.refused("Attic", Refusal(.cannotDecode, "no MP3")), .warning, "refused Attic: no MP3"),
        (.refused("Attic", Refusal(.notAllowed, "for Den")), .detail, "refused Attic: for Den"),
        (.leftEarly("10.0.0.1", reason: "it went", isNamed: true), .warning, "10.0.0.1: it went"),
        (.leftEarly("10.0.0.1", reason: "it went", isNamed: false), .detail, "10.0.0.1: it went"),
        (.connectionsFull(limit: 4), .warning, "more than 4 connections: the others are refused"),
        (.addressFull("10.0.0.1", limit: 4), .warning, "more than 4 connections from 10.0.0.1: the others are refused"),
    ]

    @Test(arguments: [theSong, listeners, connections]) func eachIsToldInItsWords(
        _ notices: [(notice: BroadcastNotice, level: NoticeLevel, sentence: String)]
    ) {
        for (notice, level, sentence) in notices {
            let told = RuntimeNotice.broadcast(notice)
            #expect(told.sentence == sentence && told.level == level)
        }
    }
}
