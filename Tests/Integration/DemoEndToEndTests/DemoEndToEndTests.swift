import Glibc
import LANKit
import Testing

/// `Scripts/demo` on a machine without sound card and without avahi-daemon: what it prints must be what was heard.
@Suite(.serialized, .enabled(if: geteuid() == 0, "network namespaces need root"), .timeLimit(.minutes(5)))
struct DemoEndToEndTests {
    private let lan: LAN

    init() throws {
        var bare = HostOptions()
        bare.hasDiscovery = false
        lan = try LAN(hosts: [bare])
    }

    /// The median distance that the demonstration prints, in microseconds.
    private func median(delayMilliseconds: Int) throws -> Double {
        let song = lan.path("song.wav")
        let made = try lan[0].run([buildDirectory + "/tutti-heard", "--make-song", song, "6"], within: 30)
        #expect(made.status == .exited(0))
        let demo = try lan[0].spawn([
            Self.checkout + "/Scripts/demo", "--binaries", buildDirectory, "--keep", lan.path("kept"),
            "--delay-listener", "\(delayMilliseconds)", song,
        ])
        #expect(try demo.wait(within: 60) == .exited(0), "\(demo.output)\(demo.errors)")
        let line = try #require(demo.lines.first { $0.hasPrefix("As heard") }, "\(demo.output)\(demo.errors)")
        let words = line.split(separator: " ").map(String.init)
        let index = try #require(words.firstIndex(of: "us"))
        return try #require(Double(words[index - 1]))
    }

    private static var checkout: String {
        #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    }

    @Test func listenersAreHeardInStep() throws {
        let distance = try median(delayMilliseconds: 0)
        #expect(abs(distance) < 100)
    }

    @Test func aListenerThatIsLateByFiveMillisecondsReadsFive() throws {
        let distance = try median(delayMilliseconds: 5)
        #expect(abs(abs(distance) - 5_000) < 100)
    }
}
