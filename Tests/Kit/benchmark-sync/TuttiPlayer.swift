import Glibc
import LANKit
import SoundCardKit
import TestbedKit

/// One broadcaster and its listeners.
final class TuttiPlayer: MeasuredPlayer {
    static let name = "Tutti"

    private let testbed: Testbed
    private let song: SongFile
    private var listeners: [LANProcess] = []
    private var broadcast: LANProcess?

    init(testbed: Testbed, song: SongFile) {
        self.testbed = testbed
        self.song = song
    }

    func listen(on host: Int, findsByName: Bool, card: SoftwareCard?) throws -> LANProcess {
        let place = findsByName ? [] : [testbed.lan[0].address, "--no-mdns"]
        let listener = try testbed.lan[host].spawn(
            [testbed.program, "join", "--once", "--json"] + place, card: card ?? testbed.cards[host])
        listeners.append(listener)
        return listener
    }

    func play(to count: Int) throws {
        broadcast = try testbed.start(["broadcast", song.path, "--wait", "\(count)"], on: 0)
    }

    func finish(within seconds: Double) throws {
        for process in [broadcast].compactMap(\.self) + listeners where process.isRunning {
            guard try process.wait(within: seconds) == .exited(0) else {
                throw LANError.commandFailed(process.command.joined(separator: " "))
            }
        }
    }

    /// From its status lines.
    func replacementCount(of listener: LANProcess) -> Int? {
        let key = "\"replacements\":"
        guard let line = listener.lines.last(where: { $0.contains(key) }) else { return nil }
        let fields = line.split(separator: ",").compactMap { field -> Int? in
            guard field.hasPrefix(key) else { return nil }
            return Int(field.dropFirst(key.count).prefix { $0.isNumber })
        }
        return fields.last
    }

    var account: String { testbed.account(of: [broadcast].compactMap(\.self) + listeners) }
}
