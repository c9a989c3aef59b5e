import AudioCore
import HostSystem

/// How a start went: what had been done when, from the program's beginning to its first sound.
///
/// Where nothing happened for longer than ``longestWait``, time counts from what happened then: a listener waited for a
/// broadcast, or a broadcast for a song.
public struct StartTimeline: Hashable, Sendable {
    /// What had been done, in about the order in which it is.
    public enum Stage: Hashable, Sendable {
        /// The sound device is open.
        case device
        case ports
        /// avahi-daemon has answered.
        case discovery
        /// mDNS, or the user, has told of the other side.
        case found
        case connected
        /// The other side has proved its key.
        case authenticated
        /// The listener takes part, or the first one does.
        case joined
        /// The song's format is known.
        case song
        /// The broadcaster's clock is known well enough to place the song.
        case clock
        /// The sound device's clock is known, and the song's beginning decoded: of a broadcast, by enough listeners.
        case ready
        /// The start is decided.
        case decided
        /// The first frame leaves the loudspeakers.
        case sound
    }

    public struct Mark: Hashable, Sendable {
        public var stage: Stage
        /// Since the beginning.
        public var span: TimeSpan
    }

    public private(set) var marks: [Mark] = []
    private var begin: HostTime
    private var latest: HostTime

    static let longestWait = TimeSpan.seconds(5)

    init(begin: HostTime = .processStart()) { (self.begin, latest) = (begin, begin) }

    /// Notes that something had been done; the first time counts.
    mutating func note(_ stage: Stage, at now: HostTime = .now()) {
        guard !has(stage) else { return }
        if now - latest > Self.longestWait {
            begin = now
            marks = []
        }
        latest = max(latest, now)
        marks.append(Mark(stage: stage, span: now - begin))
    }

    func has(_ stage: Stage) -> Bool { marks.contains { $0.stage == stage } }

    /// All marks, in the order of their times.
    var sorted: StartTimeline {
        var copy = self
        copy.marks.sort { $0.span < $1.span }
        return copy
    }
}
