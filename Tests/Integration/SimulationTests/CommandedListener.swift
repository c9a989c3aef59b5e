import AudioCore
import SimulationKit

/// A listener of a commanded broadcast, and when it may be silent or elsewhere, with the reason.
struct CommandedListener {
    let node: ListenNode
    /// When it was started, in seconds.
    let joined: Double
    /// When it was stopped or died.
    var left = Double.infinity
    let isWireless: Bool
    /// What its sound card keeps of what is written to it, in seconds.
    let kept: Double

    /// From its start until it sounds: it registers and browses, the clock is learned, the song comes. On radio both
    /// sides' answers are lost now and then.
    private var joiningTime: Double { isWireless ? 2 : 1 }
    /// What a machine that is gone took to its grave: its card's last burst was not looked at.
    private static let lastLook = 0.1
    /// From a setting to where all that is heard is by it: the card wakes its loop every 30 ms, leaves 12 ms and a
    /// little as they are, and the volume is ramped over 50 ms; or the sound fades out over 15 ms and in over 5.
    private static let settingTime = 0.11
    /// Another offset ends what sounds up to a command's effect, which is so far away at most
    /// (`BroadcastLimits.longestCommandLead`).
    private static let longestLead = 0.3
    /// A segment that the radio loses comes 210 ms later, after 30 ms on either link at most; then the card's 50 ms,
    /// as above.
    static let longestDelay = 0.32
    /// What a song that begins late needs besides: its first packets come behind whatever was lost, and the sound
    /// begins once more is there than the filter, a fade and 20 ms need.
    private static let lateBeginning = 0.1

    /// How late it may hear of a command. The broadcast allows for what cards keep, and not for losses.
    var delay: Double { isWireless ? Self.longestDelay : 0 }

    /// Until when it may be silent after its start. A sound that is cut is not placed any more: one that learns the
    /// clock between a cut's command and its effect begins with what comes behind the cut.
    private func joinedEnd(_ cuts: [Double]) -> Double {
        let end = joined + joiningTime
        let pending = cuts.filter { (end...end + Self.longestLead).contains($0) }
        return pending.min() ?? end
    }

    /// When something else than what is due may be heard, or nothing, in seconds.
    /// - Parameter suddenStarts: when something begins to sound that did not simply follow, or was decided on so late
    ///   that radio may be late with it.
    /// - Parameter cuts: when a sound is cut.
    func excuses(suddenStarts: [Double], cuts: [Double]) -> [ClosedRange<Double>] {
        var excuses = [-.infinity...joinedEnd(cuts), left - Self.lastLook ... .infinity]
        for fault in node.machine.faults {
            excuses.append(fault.lowerBound.seconds - 0.001...fault.upperBound.seconds + World.recovery.seconds)
        }
        for (former, entry) in zip(node.loudspeakers.entries, node.loudspeakers.entries.dropFirst()) {
            let time = entry.time.seconds
            // With another offset what is heard then is due at another time.
            let offsets = [former.settings.offset.seconds, entry.settings.offset.seconds]
            let margin = offsets.map(abs).max() ?? 0
            let lead = offsets[0] == offsets[1] ? 0 : Self.longestLead
            excuses.append(time - margin...time + Self.settingTime + kept + margin + lead)
        }
        if isWireless { excuses += suddenStarts.map { $0...$0 + delay + Self.lateBeginning } }
        return excuses
    }
}
