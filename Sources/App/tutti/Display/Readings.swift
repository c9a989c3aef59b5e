import AudioCore
import TerminalIO
import TuttiRuntime
import WireProtocol

// Times and rates for people.

extension ListenerTiming {
    /// Returns the error with its bound: `+3 ± 12 µs`.
    func errorReading(_ glyphs: Glyphs) -> String {
        error.reading(within: errorBound, glyphs)
    }
}

extension PartsPerMillion {
    /// `+12.3 ppm`
    var reading: String { "\(value.fixed(1, signed: true)) ppm" }
}

extension ListenerCounters {
    /// `2 xruns, 1 re-placement`; empty if there were none.
    var reading: String {
        let counts: [(UInt32, String)] = [
            (xruns, "xrun"), (underruns, "underrun"), (replacements, "re-placement"), (lostPackets, "lost packet"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0) \($1)\($0 == 1 ? "" : "s")" }.joined(separator: ", ")
    }
}

extension ListenerCounters {
    /// The causes of re-placements: `2 by timeline, 1 by underrun`; empty if there were none.
    var causeReading: String {
        let counts: [(UInt32, String)] = [
            (timelineSteps, "timeline"), (deviceClockSteps, "card's clock"), (deviceRestarts, "card restart"),
            (replacements &- min(replacements, timelineSteps &+ deviceClockSteps &+ deviceRestarts), "underrun"),
        ]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) by \($0.1)" }.joined(separator: ", ")
    }
}

extension ListenerStatus {
    /// The state in a word; a recorder does not play.
    var stateReading: String { isRecorder && state == .playing ? "recording" : state.rawValue }
}

extension Volume {
    /// `volume 40 %`, or `volume off` if muted.
    func reading(isMuted: Bool) -> String { "volume \(isMuted ? "off" : "\(percent) %")" }
}

extension ChannelRole {
    /// `left`, `channel 3`
    var reading: String { if case .channel(let number) = self { "channel \(number)" } else { description } }
}

extension LoudspeakerSettings {
    /// `volume 40 %, left`
    var reading: String { volume.reading(isMuted: isMuted) + (role == .stereo ? "" : ", \(role.reading)") }
}

extension ListenerStatus {
    /// How its own loudspeakers play: `volume 40 %, left`; nil without any.
    var loudspeakerReading: String? {
        loudspeakers.map { $0.reading + (limitReading.map { remark in " (\(remark))" } ?? "") }
    }

    /// Why the volume can be no higher: `quiet hours until 07:00`, `the most allowed`; nil if it can.
    var limitReading: String? {
        guard let loudspeakers, ceiling.isReached(by: loudspeakers.volume) else { return nil }
        return switch ceiling.hours {
        case .ordinary: "the most allowed"
        case .quiet(let until): VolumeLimitNotice.quietHours(until: until)
        }
    }
}
