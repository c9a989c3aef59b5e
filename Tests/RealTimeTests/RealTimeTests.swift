import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import Testing

// The real-time thread is watched from outside while it plays: ThreadWatch counts every allocation, lock, and reference
// that it takes or drops between its first and its last call of libasound. There must be none.

/// One at a time: they play in real time.
@Suite(.serialized) struct RealTimeTests {
    /// 60 s under `Scripts/test --long`.
    private static let seconds = getenv("TUTTI_LONG_TESTS") == nil ? 12.0 : 60

    /// The release binary as `Scripts/install` builds it where that is at hand, else the one that belongs to the tests.
    private static var program: String {
        getenv("TUTTI_INSTALLABLE").map { String(cString: $0) } ?? buildDirectory + "/tutti"
    }

    private func probe(_ seconds: Double, _ arguments: String...) throws -> WatchedProcess {
        let process = try WatchedProcess()
        let command = [buildDirectory + "/realtime-probe", process.directory, "\(seconds)"] + arguments
        #expect(try process.run(command, within: seconds + 30) == 0, "\(process.output)")
        return process
    }

    /// Whatever can happen to a sound: see `Scene` of the probe.
    @Test func theThreadNeitherAllocatesNorLocksNorCountsReferences() throws {
        let process = try probe(Self.seconds)
        let report = process.report
        #expect(report.offences.isEmpty, "\(report)")

        // It was watched, by hooks that work, all the time.
        #expect(report["ran"] > Self.seconds)
        #expect(report.unseenKinds.isEmpty, "\(report)")
        #expect(report["libasound lock"] > 0)
        // And all that was meant to happen did.
        let scenes = process.printed("scenes")
        #expect(scenes >= 3)
        #expect(process.printed("started") == scenes)
        #expect(process.printed("xrun") >= scenes)
        #expect(report["sound prepare"] >= Double(1 + scenes))
        #expect(report["sound rewind"] >= 2)
        for event in ["replaced-timelineStep", "replaced-deviceRestart", "replaced-underrun"] {
            #expect(process.printed(event) >= 1, "\(event): \(process.output)")
        }
        for event in ["underrun", "stopped", "finished"] {
            #expect(process.printed(event) >= 1, "\(event): \(process.output)")
        }
    }

    @Test func theProgramItselfDoesNeither() throws {
        let process = try WatchedProcess()
        // Integers, as most cards have them; the probe's card takes floats.
        let card = SoftwareCard(ppm: 40, recording: process.directory + "/heard.wav", formats: ["S16_LE"])
        let configuration = process.directory + "/asound.conf"
        try SoftwareCard.writeConfiguration(to: configuration, default: card)
        let song = process.directory + "/song.wav"
        try TestSong(duration: Self.seconds).recording(sampleRate: 44_100)
            .write(to: song, format: .int16, sidecar: false)
        try card.setFaults([.xrunAt(trueNow() + 5_000_000_000)])
        let code = try process.run(
            [Self.program, "broadcast", song, "--play", "--device", "default", "--now", "--no-mdns"],
            environment: ["ALSA_CONFIG_PATH": configuration], within: Self.seconds + 30)
        #expect(code == 0, "\(process.output)")
        let report = process.report
        #expect(report.offences.isEmpty, "\(report)")
        #expect(report["ran"] > Self.seconds)
        #expect(report.unseenKinds.isEmpty, "\(report)")
        #expect(report["sound prepare"] >= 2)
    }

    @Test func aPlantedAllocationIsNoticed() throws {
        let report = try probe(2, "--plant", "allocation").report
        #expect(report.offences == ["allocate": 1], "\(report)")
        #expect(report.description.contains("plantedAllocation"), "\(report)")
    }

    @Test func aPlantedRetainIsNoticed() throws {
        let report = try probe(2, "--plant", "retain").report
        #expect(report.offences == ["retain": 1], "\(report)")
        #expect(report.description.contains("plantedRetain"), "\(report)")
    }
}
