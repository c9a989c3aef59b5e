import AudioCore
import TuttiRuntime
import WireProtocol

/// Statuses and notices to be shown.
enum Sample {
    static let song = SongStatus(
        title: "Pavane", artist: "Fauré", format: "MP3 44.1 kHz stereo 128 kbit/s", elapsed: .seconds(83),
        total: .seconds(225))

    static let detail = RuntimeNotice.network(.mDNSAvailable)
    static let info = RuntimeNotice.song(.title("i"))
    static let warning = RuntimeNotice.device(.packetsLate)

    static func timing(error: Int64 = 3, bound: Int64 = 12, clock: Double = 12.34, card: Double = -34.06)
        -> ListenerTiming
    {
        ListenerTiming(
            error: .microseconds(error), errorBound: .microseconds(bound), asymmetryLimit: .microseconds(50),
            roundTrip: .microseconds(180), clockSkew: PartsPerMillion(clock), deviceSkew: PartsPerMillion(card),
            correction: PartsPerMillion(46.4))
    }

    static func listener(
        _ name: String, _ state: ListenerStatus.State = .playing, timing: ListenerTiming? = timing(),
        counters: ListenerCounters = ListenerCounters()
    ) -> ListenerStatus {
        ListenerStatus(
            name: name, state: state, buffered: .milliseconds(9_840),
            lowWater: timing == nil ? nil : .milliseconds(1_940),
            timing: timing, counters: counters)
    }

    static func broadcast(
        _ state: BroadcastStatus.State = .playing, song: SongStatus? = song, listeners: [ListenerStatus]
    ) -> RuntimeEvent {
        .broadcast(BroadcastStatus(name: "Den", state: state, song: song, listeners: listeners))
    }

    static var troubled: ListenerCounters {
        var counters = ListenerCounters()
        counters.xruns = 2
        counters.replacements = 1
        counters.deviceRestarts = 1
        return counters
    }
}
