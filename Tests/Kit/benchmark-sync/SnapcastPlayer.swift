import Glibc
import LANKit
import SoundCardKit
import TestbedKit

/// Debian's snapserver and snapclient, with their defaults, on the same hosts and cards.
///
/// The server reads the song from a pipe, as it is meant to be fed; its first host time is when the pipe is written to.
final class SnapcastPlayer: MeasuredPlayer {
    static let name = "Snapcast"
    static let programs = ["/usr/bin/snapserver", "/usr/bin/snapclient"]
    static var isInstalled: Bool { programs.allSatisfy { access($0, X_OK) == 0 } }

    private let testbed: Testbed
    private let song: SongFile
    private let pipe: String
    private let server: LANProcess
    private var feeder: LANProcess?
    private var clients: [LANProcess] = []

    init(testbed: Testbed, song: SongFile) throws {
        self.testbed = testbed
        self.song = song
        pipe = testbed.lan.path("song.pipe")
        let configuration = testbed.lan.path("snapserver.conf")
        guard let file = fopen(configuration, "we") else { throw LANError.system("create \(configuration)", errno) }
        fclose(file)
        let source = "pipe://\(pipe)?name=song&sampleformat=44100:16:2&mode=create"
        server = try testbed.lan[0].spawn([
            Self.programs[0], "--config", configuration, "--stream.source", source, "--server.datadir",
            testbed.lan.directory,
        ])
        try waitUntil("snapserver's pipe", within: 10) { access(pipe, W_OK) == 0 || !server.isRunning }
    }

    func listen(on host: Int, findsByName: Bool, card: SoftwareCard?) throws -> LANProcess {
        let place = findsByName ? [] : ["--host", testbed.lan[0].address]
        let client = try testbed.lan[host].spawn(
            [Self.programs[1], "--player", "alsa", "--soundcard", "default"] + place, card: card ?? testbed.cards[host])
        clients.append(client)
        return client
    }

    func play(to count: Int) throws {
        // Without the WAVE file's header of 44 bytes.
        feeder = try testbed.lan[0].spawn(["sh", "-c", "tail -c +45 \"$0\" > \"$1\"", song.wavePath, pipe])
    }

    func finish(within seconds: Double) throws {
        guard try feeder?.wait(within: seconds) == .exited(0) else {
            throw LANError.commandFailed("feeding snapserver")
        }
        // The clients hold a second of it.
        usleep(3_000_000)
        for process in clients + [server] where process.isRunning {
            process.signal(SIGTERM)
            try process.wait(within: 10)
        }
    }

    func replacementCount(of listener: LANProcess) -> Int? { nil }

    var account: String { testbed.account(of: [server] + clients) }
}
