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
    /// Of the broadcaster's terminal.
    private var keyboard: Int32 = -1
    /// The host that only commands.
    private static let controller = 4
    private static let listenerCount = 3

    init(_ link: LinkKind, _ options: Options) throws {
        self.options = options
        var configuration = Testbed.Configuration()
        configuration.listenerCount = 4
        if link == .wifi { configuration.hostsOnRadio = [2, 3] }
        let testbed = try Testbed(configuration, program: options.program)
        self.testbed = testbed
        songs = try (0..<3).map { number in
            let path = testbed.lan.path("song\(number).wav")
            try MarkedSong(number: number).write(to: path)
            return path
        }
    }

    deinit { if keyboard >= 0 { close(keyboard) } }

    func run() throws -> [CommandResult] {
        var listeners: [LANProcess] = []
        for host in 1...Self.listenerCount { listeners.append(try testbed.start(["join", "--once"], on: host)) }
        Testbed.letAnnouncementsPass()
        let broadcast = try startBroadcast()
        for host in 1...Self.listenerCount { try testbed.waitForSound(on: host) }
        usleep(3_000_000)
        for repetition in 1...options.repetitionCount {
            try commandEverything()
            tell("  \(repetition) of \(options.repetitionCount)")
        }
        broadcast.signal(SIGTERM)
        for listener in listeners { _ = try listener.wait(within: 10) }
        return try judge()
    }

    /// The broadcaster has a terminal, so that it takes keys.
    private func startBroadcast() throws -> LANProcess {
        let path = testbed.lan.path("keys")
        guard mkfifo(path, 0o600) == 0 else { throw LANError.system("mkfifo", errno) }
        keyboard = open(path, O_RDWR | O_CLOEXEC)
        let words = [options.program, "broadcast", "--repeat", "all", "--wait", "\(Self.listenerCount)"] + songs
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        return try testbed.lan[0].spawn(
            ["sh", "-c", "exec script -qefc \"$0\" /dev/null < \"$1\"", "exec \(command)", path],
            card: testbed.cards[0],
            environment: ["TERM": "xterm", "COLUMNS": "100", "LINES": "30"])
    }

    // MARK: Commands

    /// Gives each command once, and lets each be heard.
    private func commandEverything() throws {
        let pauses: [(CommandRow, () throws -> Void)] = [
            (.pauseByKey, { self.press(" ") }),
            (.pauseHere, { try self.tutti(["pause"], on: 1) }),
            (.pauseByAddress, { try self.tutti(["pause", "--at", self.testbed.lan[0].address], on: Self.controller) }),
            (.pauseByDiscovery, { try self.tutti(["pause"], on: Self.controller) }),
        ]
        for (row, pause) in pauses {
            try give(row, pause)
            give(.resume) { press(" ") }
        }
        try give(.seekAhead) { try tutti(["seek", "+5"], on: 0) }
        give(.seekBack) { press("\u{1B}[D") }
        give(.next) { press("n") }
        give(.previous) { press("p") }
        give(.volumeHeard) { press("-") }
        given.append(GivenCommand(row: .volumeWhole, time: given[given.count - 1].time))
        press("+")
        pause()
        // Back to a place from which everything can be done again.
        press("n")
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

    private func press(_ keys: String) { _ = keys.withCString { write(keyboard, $0, strlen($0)) } }

    private func tutti(_ words: [String], on host: Int) throws {
        let ended = try testbed.lan[host].run([options.program] + words)
        guard ended.status == .exited(0) else { throw LANError.commandFailed(words.joined(separator: " ")) }
    }

    // MARK: What was heard

    private func judge() throws -> [CommandResult] {
        let ears = try (1...Self.listenerCount).map { Ear(try testbed.recording(of: $0)) }
        return given.map { command in
            let time = Double(command.time)
            let responses = ears.compactMap { $0.response(to: command.row, from: time, within: 1.4) }
            let last = responses.count == ears.count ? responses.max() : nil
            return CommandResult(
                row: command.row, delay: last.map { ($0 - time) * 1e-9 },
                skew: command.row.sounds ? last.flatMap { worstSkew(of: ears, from: $0) } : nil,
                isNearStall: testbed.stalls.seconds(from: command.time, to: command.time + 1_000_000_000) > 0)
        }
    }

    /// The largest skew of any two in the half second from a time on.
    private func worstSkew(of ears: [Ear], from time: Double) -> Double? {
        var options = SkewOptions()
        options.hop = 0.125
        options.duration = 0.5
        let heard = ears.map { $0.recording.muted(before: time) }
        var worst: Double?
        for (index, first) in heard.enumerated() {
            for second in heard[(index + 1)...] {
                let report = skew(between: first, and: second, options: options)
                guard let skew = report.percentile(1) else { continue }
                worst = max(worst ?? 0, skew)
            }
        }
        return worst
    }
}
