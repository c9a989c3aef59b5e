import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// A broadcast of a split album to three listeners and a recorder. In the last seconds of each part a fourth listener
/// joins, and leaves in the next part.
final class AlbumBroadcast {
    private let testbed: Testbed
    private let album: SplitAlbum
    private static let listenerCount = 3
    private static let lateHost = 4
    private static let recordingHost = 5

    init(_ link: LinkKind, _ options: Options) throws {
        var configuration = Testbed.Configuration()
        configuration.listenerCount = Self.recordingHost
        if link == .wifi { configuration.hostsOnRadio = [2, 3, Self.lateHost, Self.recordingHost] }
        testbed = try Testbed(configuration, program: options.common.program)
        album = SplitAlbum(ofJoints: options.repetitionCount)
    }

    func run() throws -> AlbumResult {
        let listeners = try (1...Self.listenerCount).map { try testbed.start(["join", "--once"], on: $0) }
        let copy = testbed.lan.path("recorded.wav")
        let recorder = try testbed.start(["record", copy, "--from", "host1"], on: Self.recordingHost)
        Testbed.letAnnouncementsPass()
        let broadcast = try testbed.start(
            ["broadcast", "--wait", "\(Self.listenerCount + 1)"] + album.writeParts(in: testbed.lan), on: 0)
        try testbed.waitForSound(on: 1)
        let start = try testbed.recording(of: 1).firstAudibleTime() ?? Double(trueNow())
        var late: [LateListener] = []
        for (number, joint) in album.joints.enumerated() {
            let due = start + Double(joint) / SplitAlbum.rate * 1e9
            Self.sleep(until: due - Double.random(in: 1.5...4) * 1e9)
            let listener = try LateListener(number: number, on: Self.lateHost, of: testbed)
            Self.sleep(until: due + 2e9)
            try listener.end()
            late.append(listener)
            tell("  joint \(number + 1) of \(album.joints.count)")
        }
        for process in [broadcast, recorder] + listeners { _ = try process.wait(within: 20) }
        return try AlbumResult(
            album, heard: (1...Self.listenerCount).map(testbed.recording), late: late.map(\.recording),
            copy: try? HeardRecording(path: copy), stalls: testbed.stalls.stalls)
    }

    private static func sleep(until time: Double) { usleep(useconds_t(max(0, (time - Double(trueNow())) / 1e3))) }
}
