import LANKit
import TestbedKit

/// A row of the table: a command, how it is given, and what is awaited.
enum CommandRow: String, CaseIterable {
    case pauseByKey, pauseHere, pauseByAddress, pauseByDiscovery, resume, seekAhead, seekBack, next, previous
    case volumeHeard, volumeWhole
    case pauseWhileFilling

    var title: String {
        switch self {
        case .pauseByKey: "pause to silence: key in the broadcaster's terminal"
        case .pauseHere: "pause to silence: `tutti pause` on a listener's machine"
        case .pauseByAddress: "pause to silence: `tutti pause --at HOST`"
        case .pauseByDiscovery: "pause to silence: `tutti pause`, found by mDNS"
        case .resume: "resume to sound: key"
        case .seekAhead: "seek 5 s ahead to sound: `tutti seek +5` on the broadcaster's machine"
        case .seekBack: "seek 10 s back to sound: key"
        case .next: "next to sound: key"
        case .previous: "previous to sound: key"
        case .volumeHeard: "volume change to half of it heard: key"
        case .volumeWhole: "volume change to all of it heard, with its ramp of 50 ms: key"
        case .pauseWhileFilling: "pause to silence, one on a link of 1.2 times the song's rate, filling: key"
        }
    }

    /// In milliseconds, on the quiet LAN.
    var limit: Double {
        switch self {
        case .pauseByKey, .volumeHeard: 100
        case .pauseHere, .resume, .volumeWhole: 150
        case .pauseByAddress, .seekAhead: 200
        case .seekBack, .next, .previous, .pauseWhileFilling: 300
        case .pauseByDiscovery: 600
        }
    }

    /// Whether all sound afterwards, so that they can be compared.
    var sounds: Bool {
        switch self {
        case .pauseByKey, .pauseHere, .pauseByAddress, .pauseByDiscovery, .pauseWhileFilling: false
        default: true
        }
    }

    /// When a listener did as it was told, at or after `time`; nil if it did not within these seconds.
    func response(of ear: Ear, from time: Double, within seconds: Double) -> Double? {
        switch self {
        case .pauseByKey, .pauseHere, .pauseByAddress, .pauseByDiscovery, .pauseWhileFilling:
            ear.silence(from: time, within: seconds)
        case .resume: ear.sound(from: time, within: seconds)
        case .seekAhead, .seekBack, .next, .previous: ear.anotherPlace(from: time, within: seconds)
        case .volumeHeard: ear.volume(from: time, within: seconds, rest: 0.5)
        case .volumeWhole: ear.volume(from: time, within: seconds, rest: 0.05)
        }
    }
}

/// A command that was given.
struct GivenCommand {
    var row: CommandRow
    /// True time, in nanoseconds.
    var time: Int64
}

/// What became of it.
struct CommandResult {
    var row: CommandRow
    /// From the command until all listeners sounded as they were told, in seconds; nil if one never did.
    var delay: Double?
    /// The largest skew of two listeners in the half second after that; nil where nothing sounds.
    var skew: Double?
    /// Whether the machine stood still meanwhile.
    var isNearStall: Bool
}

extension CommandResult {
    /// What these listeners did.
    init(_ command: GivenCommand, _ ears: [Ear], _ stalls: StallLogger) {
        let time = Double(command.time)
        let responses = ears.compactMap { command.row.response(of: $0, from: time, within: 1.4) }
        let last = responses.count == ears.count ? responses.max() : nil
        self.init(
            row: command.row, delay: last.map { ($0 - time) * 1e-9 },
            skew: command.row.sounds ? last.flatMap { worstSkew(of: ears.map(\.recording), from: $0) } : nil,
            isNearStall: stalls.seconds(from: command.time, to: command.time + 1_000_000_000) > 0)
    }
}
