import AudioCore
import SimulationKit

// How a commanded broadcast is judged by ear
//
// A stretch is what lies between two commands, or joints: frames of one song, on one line of time. Every listener
// compares what it heard with every stretch, in windows of 20 ms of song. Of a listener without an excuse
// (`CommandedListener`) each window within the stretch holds the song, at the gain that was commanded, and any two such
// listeners are within a limit of each other; each window behind a cut is silent until something else is due. What was
// heard of an older stretch, or of another song, would be left over in a window of either kind.
//
// Where a stretch begins or ends the sound fades, and the neighbour's filter rings. These windows are told by no song,
// but they are the same for all: their gains are compared.

/// What all listeners of a commanded broadcast heard.
struct HeardProgramme {
    /// Any two on cable, from the first sample on (`DisturbanceScenario`).
    private static let skew = TimeSpan.microseconds(50)
    /// Each on radio against its place: what a sound is placed again for, and not slewed (`Timing.errorLimit`).
    private static let radioError = TimeSpan.milliseconds(1)
    /// In a window that holds a fade, as gains: a frame of a fade over 80, with which each card begins as it can, and
    /// what a skew makes of it.
    private static let fadeSpread: Float = 0.03
    private static let fadeLateness = TimeSpan.microseconds(300)
    /// How far a filter that goes from the song's rate to the same reaches.
    private static let reach: Int64 = 32
    /// A fade of 10 ms, and what a sound ends sooner before one that begins without a fade.
    private static let fade: Int64 = 80
    private static let lead: Int64 = 12
    /// What was rendered when the world ended and did not leave the card.
    private static let lastLook = 0.2

    private let listeners: [CommandedListener]
    private let stretches: [Stretch]
    private let worldEnd: Double
    private let excuses: [[ClosedRange<Double>]]
    /// When anything is due, in seconds.
    private let spans: [Range<Double>]
    private(set) var tally = Tally()

    struct Tally {
        var findings: [Finding] = []
        /// Windows in which something was due of a listener without an excuse, and of one with one.
        var dueCount = 0
        var excusedCount = 0
        /// Windows that were compared with others', and the greatest distances.
        var comparedCount = 0
        var skew = TimeSpan.zero
        var radioError = TimeSpan.zero
        var fadeSpread: Float = 0

        fileprivate mutating func find(_ kind: Finding.Kind, _ text: String) {
            if findings.count < 20 { findings.append(Finding(kind, text)) }
        }
    }

    /// A window of a stretch.
    private struct Place {
        enum Kind { case within, edge, behind }

        var kind: Kind
        var index: Int
        var time: ClosedRange<Double>
    }

    init(_ scenario: CommandScenario) {
        listeners = scenario.listeners
        stretches = scenario.broadcaster.stretches
        worldEnd = scenario.world.loop.now.seconds
        let spans = stretches.map { stretch in
            let start = stretch.startSeconds ?? .infinity
            return start..<max(start, stretch.endSeconds ?? start)
        }
        let sudden = zip(stretches, spans).compactMap { stretch, span -> Double? in
            let follows = stretch.first.index == 0 && spans.contains { abs($0.upperBound - span.lowerBound) < 0.001 }
            let isInTime = span.lowerBound - stretch.decided.seconds > CommandedListener.longestDelay
            return follows && isInTime ? nil : span.lowerBound
        }
        self.spans = spans
        let cuts = stretches.filter(\.isCut).compactMap(\.endSeconds)
        excuses = scenario.listeners.map { $0.excuses(suddenStarts: sudden, cuts: cuts) }
        for index in stretches.indices { judge(index) }
        for index in listeners.indices { judgeStray(index) }
    }

    // MARK: One stretch

    private mutating func judge(_ number: Int) {
        let heard = listeners.map { $0.node.ear.windows(of: stretches[number].performance) }
        for place in places(number) {
            var group: [(listener: Int, window: HeardWindow, gain: Float)] = []
            for index in listeners.indices where place.index < heard[index].count {
                let loudspeakers = listeners[index].node.loudspeakers
                let offset = loudspeakers.entry(at: place.time.upperBound).settings.offset.seconds
                let time = place.time.lowerBound + offset...place.time.upperBound + offset
                let isExcused = excuses[index].contains { $0.overlaps(time) }
                if place.kind == .within {
                    if isExcused { tally.excusedCount += 1 } else { tally.dueCount += 1 }
                }
                guard !isExcused else { continue }
                let gain = loudspeakers.entry(at: time.upperBound).gain
                let window = heard[index][place.index]
                judge(window, gain, place, number, index)
                if let window, gain > 0 { group.append((index, window, gain)) }
            }
            compare(group, place, number)
        }
    }

    private func places(_ number: Int) -> [Place] {
        let (stretch, performance) = (stretches[number], stretches[number].performance)
        let frames = Int64(HeardWindow.frameCount)
        let first = stretch.first.index + Self.reach + (stretch.first.index > 0 ? Self.fade : 0)
        let last = stretch.endFrame - Self.reach - Self.lead - (stretch.isCut ? Self.fade : 0)
        return (0..<performance.song.windowCount).compactMap { index in
            let begin = Int64(index) * frames - Self.reach
            guard begin + frames > first else { return nil }
            guard let start = performance.seconds(of: Double(begin)),
                let end = performance.seconds(of: Double(begin + frames)), end < worldEnd - Self.lastLook
            else { return nil }
            let time = start...end
            if begin >= first, begin + frames <= last { return Place(kind: .within, index: index, time: time) }
            guard stretch.isCut, begin >= last - frames else { return nil }
            guard !isElseDue(number, time) else { return nil }
            let isBehind = begin >= stretch.endFrame + Self.reach
            return Place(kind: isBehind ? .behind : .edge, index: index, time: time)
        }
    }

    /// Whether something else is due then, or its filter rings.
    private func isElseDue(_ number: Int, _ time: ClosedRange<Double>) -> Bool {
        let margin = Double(Self.reach + Self.lead) / VirtualSong.sampleRate
        return spans.indices.contains { other in
            other != number && !spans[other].isEmpty && spans[other].lowerBound - margin < time.upperBound
                && spans[other].upperBound + margin > time.lowerBound
        }
    }

    private mutating func judge(
        _ window: HeardWindow?, _ gain: Float, _ place: Place, _ number: Int, _ index: Int
    ) {
        let listener = listeners[index]
        let isSilent = window.map { $0.content == .silence } ?? true
        switch place.kind {
        case .within where gain > 0:
            guard window?.isSong(atGain: gain) != true else { return }
            let text = describe(window, place, number, listener) + ", due at gain \(gain)"
            tally.find(isSilent ? .notWhole : .stray, text)
        case .within, .behind:
            guard !isSilent, place.kind == .within || !isLate(listener, at: place.time) else { return }
            tally.find(.stray, describe(window, place, number, listener) + ", silence is due")
        case .edge: break
        }
    }

    private func describe(
        _ window: HeardWindow?, _ place: Place, _ number: Int, _ listener: CommandedListener
    ) -> String {
        let stretch = stretches[number]
        let heard = window.map {
            "\($0.content) gain \($0.gain) residual \($0.residual) late \($0.lateness.microseconds) us"
        }
        return "\(listener.node.name)\(listener.isWireless ? " (radio)" : "") at \(place.time.lowerBound): "
            + "\(heard ?? "nothing") in window \(place.index) (\(place.kind)) of \(stretch.performance.song.title), "
            + "\(stretch.epoch), \(spans[number]) from frame \(stretch.first.index) to \(stretch.endFrame)"
    }

    // MARK: All at once

    private mutating func compare(
        _ group: [(listener: Int, window: HeardWindow, gain: Float)], _ place: Place, _ number: Int
    ) {
        if place.kind == .edge { return compareFades(group, place, number) }
        guard place.kind == .within else { return }
        let heard = group.filter { $0.window.isSong(atGain: $0.gain) }
        for item in heard where listeners[item.listener].isWireless {
            tally.radioError = max(tally.radioError, item.window.lateness.magnitude)
            guard item.window.lateness.magnitude > Self.radioError else { continue }
            tally.find(.apart, describe(item.window, place, number, listeners[item.listener]))
        }
        let cabled = heard.filter { !listeners[$0.listener].isWireless }
        guard cabled.count > 1, let early = cabled.min(by: { $0.window.lateness < $1.window.lateness }),
            let late = cabled.max(by: { $0.window.lateness < $1.window.lateness })
        else { return }
        tally.comparedCount += cabled.count
        let skew = late.window.lateness - early.window.lateness
        tally.skew = max(tally.skew, skew)
        guard skew > Self.skew else { return }
        let text = describe(late.window, place, number, listeners[late.listener])
        tally.find(.apart, "\(skew.microseconds) us after \(listeners[early.listener].node.name): " + text)
    }

    private mutating func compareFades(
        _ group: [(listener: Int, window: HeardWindow, gain: Float)], _ place: Place, _ number: Int
    ) {
        // Where little is left of the song it fits elsewhere, too, at another gain.
        let cabled = group.filter {
            !listeners[$0.listener].isWireless && $0.window.lateness.magnitude < Self.fadeLateness
        }
        let gains = cabled.map { $0.window.gain / $0.gain }
        guard let least = gains.min(), let most = gains.max(), most - least > tally.fadeSpread else { return }
        tally.fadeSpread = most - least
        guard most - least > Self.fadeSpread else { return }
        for (item, gain) in zip(cabled, gains) where gain == least || gain == most {
            let text = describe(item.window, place, number, listeners[item.listener])
            tally.find(.apart, "fades by \(gain) of \(least) to \(most): " + text)
        }
    }

    // MARK: Between the stretches

    /// Whether a listener may not know yet that what was due before is over. A filter rings for as long as it reaches.
    private func isLate(_ listener: CommandedListener, at time: ClosedRange<Double>) -> Bool {
        let ringing = Double(Self.reach + Self.lead) / VirtualSong.sampleRate
        return spans.contains { span in
            // One that has not heard of a cut before the beginning begins.
            let first = listener.isWireless ? time.upperBound + ringing : time.lowerBound
            return span.upperBound <= first && time.lowerBound <= span.upperBound + listener.delay + ringing
        }
    }

    /// Nothing sounds where nothing is due, however long after the last stretch.
    private mutating func judgeStray(_ index: Int) {
        let listener = listeners[index]
        for time in listener.node.ear.strayMoments {
            let moment = time...time
            guard !isLate(listener, at: moment), !excuses[index].contains(where: { $0.overlaps(moment) }) else {
                continue
            }
            tally.find(.stray, "\(listener.node.name) sounds at \(time), when nothing is due")
        }
    }
}

extension HeardProgramme.Tally {
    var summary: String {
        "\(dueCount) windows due, \(excusedCount) excused, \(comparedCount) compared: \(skew.microseconds) us apart, "
            + "on radio \(radioError.microseconds) us, fades \(fadeSpread)"
    }
}
