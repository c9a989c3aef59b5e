import TestbedKit
import Testing

@testable import benchmark_command

@Suite(.timeLimit(.minutes(5))) struct CommandReportTests {
    private static func report(_ results: [CommandResult], album: AlbumResult? = nil) -> Report {
        var report = Report(revision: "abc", date: "today")
        report.add(.lan, results)
        if let album { report.add(.lan, album) }
        return report
    }

    private static func joint(
        skew: Double? = 2e-6, missing: Double? = 0, residual: Double? = -95, isNearStall: Bool = false
    ) -> AlbumResult.Joint {
        AlbumResult.Joint(skew: skew, missing: missing, residual: residual, isNearStall: isNearStall)
    }

    private static func album(
        _ joints: [AlbumResult.Joint], midSong: Double? = -94, differingFrame: Int? = nil
    ) -> AlbumResult {
        AlbumResult(
            joints: joints, midSongSkews: [1e-6, 6e-6], midSongResidual: midSong, differingFrame: differingFrame)
    }

    @Test func rowsThatWereNotMeasuredAreLeftOut() {
        let delays = [0.12, 0.2, 0.31]
        let report = Self.report(
            delays.map { CommandResult(row: .pauseWhileFilling, delay: $0, skew: nil, isNearStall: false) })
        #expect(report.markdown.contains("filling: key | 300 ms | 200 ms | 120 ms | 310 ms |  |  | 3 | 0 |"))
        #expect(!report.markdown.contains("resume"))
        #expect(report.excesses.isEmpty)
    }

    @Test func aCommandThatIsSlowOrNotFollowedIsNamed() {
        func result(_ delay: Double?, isNearStall: Bool = false) -> CommandResult {
            CommandResult(row: .pauseWhileFilling, delay: delay, skew: nil, isNearStall: isNearStall)
        }
        #expect(Self.report([result(0.8)]).excesses.count == 1)
        #expect(Self.report([result(0.1), result(nil)]).excesses[0].hasSuffix("1 of 2 not followed"))
        #expect(Self.report([result(0.1), result(nil, isNearStall: true)]).excesses.isEmpty)
    }

    @Test func whatIsHeardBetweenSongsHasItsTable() {
        let joints = [Self.joint(), Self.joint(skew: 5e-6), Self.joint(skew: 1, missing: nil, isNearStall: true)]
        let report = Self.report([], album: Self.album(joints))
        let text = report.markdown
        #expect(text.contains("| skew around the joint of two songs | 6.0 us | 2.0 us | 5.0 us | 2 |"))
        #expect(text.contains("missing of the next one | 0 ms | 0 ms | 0 ms | 2 |"))
        #expect(text.contains("| -94.0 dBFS, the worst in mid-song | -95.0 dBFS | -95.0 dBFS | 2 |"))
        #expect(text.contains("by `tutti record` | bit-exact | bit-exact |  | 1 |"))
        #expect(text.contains("left out: 1 of 3 joints"))
        #expect(report.excesses.isEmpty)
    }

    @Test(arguments: [
        joint(skew: 7e-6), joint(skew: nil), joint(missing: 0.01), joint(missing: nil), joint(residual: -93.9),
        joint(residual: nil),
    ]) func eachFaultAtAJointIsNamed(joint: AlbumResult.Joint) {
        #expect(Self.album([joint]).excesses(.lan).count == 1)
    }

    @Test func aRecordingThatDiffersIsNamed() {
        let excesses = Self.album([Self.joint()], differingFrame: 308_700).excesses(.lan)
        #expect(excesses.count == 1 && excesses[0].hasSuffix("differs from frame 308700 on"))
    }

    /// After a command listeners are as far apart as in mid-song of the same run.
    @Test func aCommandAfterWhichListenersAreFartherApartIsNamed() {
        func excesses(skew: Double) -> [String] {
            Self.report(
                [CommandResult(row: .resume, delay: 0.1, skew: skew, isNearStall: false)],
                album: Self.album([Self.joint()])
            ).excesses
        }
        #expect(excesses(skew: 5.9e-6).isEmpty)
        #expect(excesses(skew: 6.1e-6).count == 1)
    }

    /// A sine that is badly played everywhere is no measure for joints.
    @Test(arguments: [nil, -60.0]) func aBadMidSongIsNamed(midSong: Double?) {
        #expect(Self.album([Self.joint(residual: -61)], midSong: midSong).excesses(.lan).count == 1)
    }

    @Test func partsAreChosenByName() throws {
        #expect(try Options(["--output", "/x"]).parts == [.commands, .filling, .album])
        #expect(try Options(["--output", "/x", "--part", "album"]).parts == [.album])
        #expect(throws: BenchmarkRefusal.self) { try Options(["--output", "/x", "--part", "songs"]) }
    }
}
