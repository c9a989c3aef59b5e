import Glibc
import LANKit
import Testing

// The real-time thread is watched from outside while it plays: ThreadWatch counts every allocation, lock, and reference
// that it takes or drops between its first and its last call of libasound. There must be none.

/// One at a time: they play in real time.
@Suite(.serialized, .timeLimit(.minutes(5))) struct RealTimeTests {
    /// 60 s under `Scripts/test --long`.
    private static let seconds = getenv("TUTTI_LONG_TESTS") == nil ? 12.0 : 60

    private func probe(_ seconds: Double, _ arguments: String...) async throws -> WatchedProcess {
        let process = try WatchedProcess()
        let command = [buildDirectory + "/realtime-probe", process.directory, "\(seconds)"] + arguments
        #expect(try await process.run(command, within: seconds + 30) == 0, "\(process.output)")
        return process
    }

    /// Whatever can happen to a sound: see `Scene` of the probe.
    @Test func theThreadNeitherAllocatesNorLocksNorCountsReferences() async throws {
        let process = try await probe(Self.seconds)
        let report = process.report
        #expect(report.offences.isEmpty, "\(report)")

        // It was watched, by hooks that work, all the time.
        #expect(report["ran"] > Self.seconds)
        #expect(report.unseenKinds.isEmpty, "\(report)")
        #expect(report["libasound lock"] > 0)
        // And all that was meant to happen did.
        let scenes = process.printed("scenes")
        #expect(scenes >= 3)
        #expect(process.printed("started") == process.printed("starts"))
        // Each succession is cut twice.
        #expect(process.printed("stopped") >= 2 * scenes)
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

    /// The thread that captures: xruns, a full ring, samples that are packed.
    @Test func theCapturingThreadNeitherAllocatesNorLocksNorCountsReferences() async throws {
        let process = try await probe(Self.seconds / 2, "--capture")
        let report = process.report
        #expect(report.offences.isEmpty, "\(report)")
        #expect(report["ran"] > Self.seconds / 2 - 1)
        #expect(report.unseenKinds.isEmpty, "\(report)")
        #expect(report["sound read"] > 50 * Self.seconds / 2)
        #expect(report["sound prepare"] >= 2)
        #expect(process.printed("overrun") >= 1, "\(process.output)")
        #expect(process.printed("noBuffer") >= 1, "\(process.output)")
    }

    @Test func aPlantedAllocationIsNoticed() async throws {
        let report = try await probe(2, "--plant", "allocation").report
        #expect(report.offences == ["allocate": 1], "\(report)")
        #expect(report.description.contains("plantedAllocation"), "\(report)")
    }

    @Test func aPlantedRetainIsNoticed() async throws {
        let report = try await probe(2, "--plant", "retain").report
        #expect(report.offences == ["retain": 1], "\(report)")
        #expect(report.description.contains("plantedRetain"), "\(report)")
    }
}
