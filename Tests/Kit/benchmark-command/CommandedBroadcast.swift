import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// A broadcast of three songs to three listeners, which is commanded in every way; then their recordings are judged.
final class CommandedBroadcast {
    private let testbed: Testbed
    private let options: Options
    private let songs: [String]
    private var given: [GivenCommand] = []
    /// The host that only commands.
    private static let controller = 4
    private static let listenerCount = 3

    init(_ link: LinkKind, _ options: Options) throws {
        self.options = options
        var configuration = Testbed.Configuration()
        configuration.listenerCount = 4
        if link == .wifi { configuration.hostsOnRadio = [2, 3] }
        let testbed = try Testbed(configuration, program: options.common.program)
        self.testbed = testbed
        songs = try (0..<3).map { number in
            let path = testbed.lan.path("song\(number).wav")
            try MarkedSong(number: number).write(to: path)
            return path
        }
    }

    func run() throws -> [CommandResult] {
        let listeners = try (1...Self.listenerCount).map { try testbed.start(["join", "--once"], on: $0) }
        Testbed.letAnnouncementsPass()
        let broadcast = try KeyedBroadcast(
            ["--repeat", "--wait", "\(Self.listenerCount)"] + songs, on: testbed)
        for host in 1...Self.listenerCount { try testbed.waitForSound(on: host) }
        usleep(3_000_000)
        for repetition in 1...options.repetitionCount {
            try commandEverything(broadcast)
            tell("  \(repetition) of \(options.repetitionCount)")
        }
        broadcast.process.signal(SIGTERM)
        for listener in listeners { _ = try listener.wait(within: 10) }
        let ears = try (1...Self.listenerCount).map { Ear(try testbed.recording(of: $0)) }
        return given.map { CommandResult($0, ears, testbed.stalls) }
    }

    // MARK: Commands

    /// Gives each command once, and lets each be heard.
    private func commandEverything(_ broadcast: KeyedBroadcast) throws {
        let pauses: [(CommandRow, () throws -> Void)] = [
            (.pauseByKey, { broadcast.press(" ") }),
            (.pauseHere, { try self.tutti(["pause"], on: 1) }),
            (.pauseByAddress, { try self.tutti(["pause", "--at", self.testbed.lan[0].address], on: Self.controller) }),
            (.pauseByDiscovery, { try self.tutti(["pause"], on: Self.controller) }),
        ]
        for (row, pause) in pauses {
            try give(row, pause)
            give(.resume) { broadcast.press(" ") }
        }
        try give(.seekAhead) { try tutti(["seek", "+5"], on: 0) }
        give(.seekBack) { broadcast.press("\u{1B}[D") }
        give(.next) { broadcast.press("n") }
        give(.previous) { broadcast.press("p") }
        give(.volumeHeard) { broadcast.press("-") }
        given.append(GivenCommand(row: .volumeWhole, time: given[given.count - 1].time))
        broadcast.press("+")
        pause()
        // Back to a place from which everything can be done again.
        broadcast.press("n")
        pause()
        pause()
    }

    private func give(_ row: CommandRow, _ command: () throws -> Void) rethrows {
        given.append(GivenCommand(row: row, time: trueNow()))
        try command()
        pause()
    }

    /// Long enough for half a second of sound behind the slowest effect, and never the same.
    private func pause() { usleep(1_500_000 + UInt32.random(in: 0..<200_000)) }

    private func tutti(_ words: [String], on host: Int) throws {
        let ended = try testbed.lan[host].run([options.common.program] + words)
        guard ended.status == .exited(0) else { throw LANError.commandFailed(words.joined(separator: " ")) }
    }
}
