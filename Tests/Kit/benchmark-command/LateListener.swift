import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// A listener that joins a broadcast that plays, on the same host and card again and again; each time what it emits is
/// recorded in a file of its own.
struct LateListener {
    let process: LANProcess
    private let card: SoftwareCard

    init(number: Int, on host: Int, of testbed: Testbed) throws {
        var card = testbed.cards[host]
        card.recording = testbed.lan.path("late\(number).wav")
        card.control = card.recording + ".control"
        self.card = card
        process = try testbed.lan[host].spawn([testbed.program, "join", "--once"], card: card)
    }

    var recording: HeardRecording? { try? HeardRecording(path: card.recording) }

    /// Waits until it sounds; false if it does not.
    func waitForSound(within seconds: Double) -> Bool {
        (try? waitUntil("sound", within: seconds) { recording?.firstAudibleFrame() != nil }) != nil
    }

    func end() throws {
        process.signal(SIGTERM)
        _ = try process.wait(within: 10)
    }
}
