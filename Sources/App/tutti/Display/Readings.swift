import AudioCore
import TuttiRuntime
import WireProtocol

// Times and rates for people.

extension TimeSpan {
    /// As on a player: `3:45`, `1:02:03`.
    var clockReading: String {
        let seconds = max(0, nanoseconds / 1_000_000_000)
        let (hours, minutes) = (seconds / 3_600, seconds / 60 % 60)
        guard hours > 0 else { return "\(minutes):\((seconds % 60).twoDigits)" }
        return "\(hours):\(minutes.twoDigits):\((seconds % 60).twoDigits)"
    }

    /// `9.8 s`
    var bufferReading: String { "\(seconds.fixed(1)) s" }

    /// `1.94 s`
    var lowWaterReading: String { "\(seconds.fixed(2)) s" }

    /// Returns the time in the unit that suits its size: `27 µs`, `12.3 ms`, `4.5 s`.
    func reading(_ glyphs: Glyphs) -> String {
        let unit = TimeUnit(for: magnitude)
        return "\(unit.value(of: self)) \(unit.name(glyphs))"
    }
}

extension ListenerTiming {
    /// Returns the error with its bound: `+3 ± 12 µs`.
    func errorReading(_ glyphs: Glyphs) -> String {
        let unit = TimeUnit(for: max(error.magnitude, errorBound.magnitude))
        let error = unit.value(of: error, signed: true)
        return "\(error) \(glyphs.plusMinus) \(unit.value(of: errorBound)) \(unit.name(glyphs))"
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

/// The unit in which a length of time is shown.
private enum TimeUnit {
    case microseconds, milliseconds, seconds

    init(for size: TimeSpan) {
        self = size < .milliseconds(10) ? .microseconds : size < .seconds(10) ? .milliseconds : .seconds
    }

    func value(of span: TimeSpan, signed: Bool = false) -> String {
        switch self {
        case .microseconds: span.microseconds.fixed(0, signed: signed)
        case .milliseconds: span.milliseconds.fixed(1, signed: signed)
        case .seconds: span.seconds.fixed(1, signed: signed)
        }
    }

    func name(_ glyphs: Glyphs) -> String {
        switch self {
        case .microseconds: glyphs.microseconds
        case .milliseconds: "ms"
        case .seconds: "s"
        }
    }
}

extension Int64 {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
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
