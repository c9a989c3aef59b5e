import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import Testing

/// The program itself under ThreadWatch. Nothing here depends on when things happen, so that Scripts/test runs it while
/// the compiler is busy: that may add xruns, and they only make the proof better.
@Suite(.timeLimit(.minutes(5))) struct WatchedProgramTests {
    private static let seconds = 60.0

    /// The release binary that belongs to the tests; under `Scripts/test --long` the one that `Scripts/install` makes,
    /// which takes another minute to build.
    private static var program: String {
        getenv("TUTTI_INSTALLABLE").map { String(cString: $0) } ?? buildDirectory + "/tutti"
    }

    /// A minute of play in which the card breaks off once, and the sound is placed anew.
    @Test func theProgramsThreadNeitherAllocatesNorLocksNorCountsReferences() async throws {
        let process = try WatchedProcess()
        // Integers, as most cards have them; the probe's card takes floats.
        let card = SoftwareCard(ppm: 40, recording: process.directory + "/heard.wav", formats: ["S16_LE"])
        let configuration = process.directory + "/asound.conf"
        try SoftwareCard.writeConfiguration(to: configuration, default: card)
        let song = process.directory + "/song.wav"
        try TestSong(duration: Self.seconds).recording(sampleRate: 44_100)
            .write(to: song, format: .int16, sidecar: false)
        try card.setFaults([.xrunAt(trueNow() + 20_000_000_000)])
        let code = try await process.run(
            [Self.program, "broadcast", song, "--play", "--device", "default", "--now", "--no-mdns", "--json"],
            environment: ["ALSA_CONFIG_PATH": configuration], within: Self.seconds + 60)
        #expect(code == 0, "\(process.output)")
        let report = process.report
        #expect(report.offences.isEmpty, "\(report)")
        #expect(report["ran"] > Self.seconds)
        #expect(report.unseenKinds.isEmpty, "\(report)")
        #expect(report["sound prepare"] >= 2)
        for counter in ["xruns", "deviceRestarts", "replacements"] {
            let count = try #require(process.lastValue(of: counter), "\(process.output)")
            #expect(count >= 1, "\(counter): \(process.output)")
        }
    }
}
