import AudioCore
import Listening
import Observing
import Peering
import SecureChannel
import Testing
import TuttiRuntime

@testable import tutti

/// What people read of listeners, and of those who look on: one line for each notice, word for word.
@Suite(.timeLimit(.minutes(5))) struct ListenSentenceTests {
    private static let ofListeners: [(notice: ListenNotice, sentence: String, level: NoticeLevel)] = [
        (
            .nothingFound(wanted: []),
            "no broadcast found yet; waiting for one (start one with: tutti broadcast SONG)", .info
        ),
        (
            .nothingFound(wanted: ["Attic", "Den"]),
            "no broadcast named Attic or Den found yet; waiting (tutti peers lists who is there)", .info
        ),
        (
            .unanswered(NetworkAddress(host: "den", port: 28_884)),
            "no broadcaster answers at \(NetworkAddress(host: "den", port: 28_884)); trying again until one does",
            .warning
        ),
        (
            .severalFound(["Attic", "Den"], taken: "Den", because: .household),
            "several broadcasts: Attic, Den; taking Den, of this machine or its household (choose with --from NAME)",
            .info
        ),
        (
            .severalFound(["Attic", "Den"], taken: "Den", because: .heardBefore),
            "several broadcasts: Attic, Den; taking Den, heard before (choose with --from NAME)", .info
        ),
        (
            .severalFound(["Attic", "Den"], taken: "Den", because: .lowestUUID),
            "several broadcasts: Attic, Den; taking Den, the lowest UUID of those equally well known "
                + "(choose with --from NAME)",
            .info
        ),
        (
            .severalFound(["Attic", "Den"], taken: "Den", because: .beganFirst),
            "several broadcasts: Attic, Den; taking Den, the first of its machine (choose with --from NAME)", .info
        ),
        (.waitingForNext, "waiting for the next broadcast", .info),
        (.joined("Den"), "joined Den", .info),
        (.back("Den", after: .milliseconds(400)), "Den is back", .info),
        (.back("Den", after: .milliseconds(8_700)), "Den is back after 9 s", .info),
        (.lost("Den", .forItsReturn(atMost: .seconds(30))), "lost Den: waiting 30 s for it", .warning),
        (
            .lost("Den", .forABroadcast(playsOn: true)),
            "lost Den: playing what is buffered, waiting for a broadcast", .warning
        ),
        (.lost("Den", .forABroadcast(playsOn: false)), "lost Den: waiting for a broadcast", .warning),
        (.ended("Den"), "Den: the broadcast ended", .info),
        (.stopped("Den"), "Den: the broadcast was stopped", .info),
        (.failed("Den", reason: "disk on fire"), "Den: the broadcast failed: disk on fire", .warning),
        (
            .refused(by: "Den", reason: "this broadcast is for Attic"), "Den refuses: this broadcast is for Attic",
            .warning
        ),
        (
            .turnedAway("Den", reason: "both sides listen", brokeProtocol: false), "refused Den: both sides listen",
            .detail
        ),
        (.turnedAway("Den", reason: "no magic", brokeProtocol: true), "refused Den: no magic", .warning),
        (.leftEarly("10.0.0.1", reason: "it went", isNamed: true), "10.0.0.1: it went", .warning),
        (.leftEarly("10.0.0.1", reason: "it went", isNamed: false), "10.0.0.1: it went", .detail),
        (
            .anotherKey(name: "-x", PeerKeyPair.random().key),
            "'-x' has another key than before: if it was set up anew, run `tutti peers forget -- -x`; until then --to and "
                + "--from do not take it", .warning
        ),
        (.mute("Den"), "nothing heard from Den", .detail),
        (.clockPath("Den", .udp), "Den's clock answers by UDP now", .info),
        (
            .clockPath("Den", .tcp), "UDP is blocked between Den and this machine: clock over TCP, less exact", .warning
        ),
        (
            .clockUnanswered("Den"),
            "Den's clock does not answer: does a firewall stop UDP between the two machines?", .warning
        ),
        (
            .slept(.milliseconds(61_260), broadcaster: "Den"),
            "this machine slept for 61.3 s: silent until Den's time is known again", .info
        ),
        (
            .offsetTooEarly(.milliseconds(-400)),
            "an offset of -400000 us is more than the broadcast's start delay: the beginning is not heard here "
                + "(start with: tutti broadcast --start-delay 650)",
            .warning
        ),
        (
            .cardRateImpossible(percent: 8, isSlow: true),
            "the sound card runs about 8 % slower than it says: nothing is played on it, since it could not be in step "
                + "(tutti devices lists others)",
            .warning
        ),
        (
            .songLost(.milliseconds(1_234), broadcaster: "Den"),
            "1.3 s of the song are lost: the connection to Den was down for too long", .warning
        ),
        (
            .packetsDropped(1, broadcaster: "Den"),
            "1 packet of song was dropped: the network from Den, or this machine, is too slow for it", .warning
        ),
        (
            .packetsDropped(12, broadcaster: "Den"),
            "12 packets of song were dropped: the network from Den, or this machine, is too slow for it", .warning
        ),
        (
            .tooFarAhead(broadcaster: "Den"),
            "Den sends song faster than it plays: what is too far ahead of its time is not recorded", .warning
        ),
    ]

    @Test(arguments: ofListeners.indices) func ofAListener(index: Int) {
        let (notice, sentence, level) = Self.ofListeners[index]
        #expect(RuntimeNotice.listening(notice).sentence == sentence)
        #expect(RuntimeNotice.listening(notice).level == level)
    }

    @Test func ofOneWhoLooksOn() {
        let notice = RuntimeNotice.observing(.severalFound(["Attic", "Den"], taken: "Den"))
        #expect(
            notice.sentence == "several broadcasts: Attic, Den; checking Den (choose with --from NAME)")
        #expect(notice.level == .info)
    }
}
