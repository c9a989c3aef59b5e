import AudioCore
import Broadcasting
import Listening
import Peering
import SimulationKit

/// What must hold while things go wrong, and when they went wrong no more.
extension FaultScenario {
    /// Tables and queues are bounded, and nobody is there twice.
    func lookForUnsafe() {
        let now = world.loop.now
        let isDying = predecessor.map { $0.node === broadcaster } ?? false
        guard broadcaster.outcome == nil, !isDying else { return }
        var names: Set<String> = []
        for view in broadcaster.session.listeners where !names.insert(view.name).inserted {
            // The process that died before may not be missed yet.
            if let restart = restarts[view.name], now < restart + Self.staleTime { continue }
            add(Finding(.lost, "\(view.name) is there twice at \(now.seconds) s"))
        }
        let most = 3 * slots
        let held = [broadcaster.connectionCount, world.network.connectionCount(of: broadcaster.machine)]
        if held.contains(where: { $0 > most }) {
            add(Finding(.unbounded, "\(held) connections of the broadcaster at \(now.seconds) s"))
        }
        for (slot, node) in listeners.enumerated() {
            guard node.connectionCount > (isReadingLate(slot, now) ? Self.unreadConnections : 4) else { continue }
            add(Finding(.unbounded, "\(node.connectionCount) connections of \(node.name) at \(now.seconds) s"))
        }
    }

    /// Connections of a listener that does not read what comes over them. Each lasts until the silence is too long, and
    /// a second more where the other side takes nothing any more; meanwhile each side dials again, as often as a lost
    /// peer is dialled.
    private static let unreadConnections: Int = {
        let lifetime = PeeringLimits.silenceTimeout + .seconds(1)
        return 2 * Int((lifetime.seconds / PeeringLimits.lostPeerInterval.seconds).rounded(.up))
    }()

    /// Whether a listener reads slowly, or not at all, or did until a moment ago.
    private func isReadingLate(_ slot: Int, _ now: TrueTime) -> Bool {
        schedule.contains { fault in
            fault.victim == slot && [.stoppedReader, .slowReader].contains(fault.kind)
                && fault.span.lowerBound <= now && now <= fault.span.upperBound + PeeringLimits.silenceTimeout
        }
    }

    private func add(_ finding: Finding) {
        if findings.count < 20 { findings.append(finding) }
    }

    /// All that live are members, once, and both sides know it.
    func lookForMissing() {
        for node in listeners where !broadcaster.feeds(node) {
            let last = node.notices.suffix(3).map { "\($0.time.seconds): \($0.notice)" }
            add(Finding(.lost, "\(node.name) is not back at \(world.loop.now.seconds) s: \(last)"))
        }
        let count = broadcaster.session.listeners.count
        if count != listeners.count { add(Finding(.lost, "\(count) members of \(listeners.count)")) }
        if broadcaster.connectionCount != listeners.count {
            add(Finding(.lost, "\(broadcaster.connectionCount) connections, \(listeners.count) listeners"))
        }
    }

    func lookForWrongEnd() {
        findings += world.findingsOfEnd(broadcaster)
        if !world.areListenersIdle { add(Finding(.wrongEnd, "somebody waits for what is over")) }
        findings += world.findingsOfMemory()
        findings += world.findingsOfSkew(
            broadcaster, among: spared, within: .microseconds(50), quiet: World.recovery)
        for node in world.listeners { lookForNoise(node) }
        for node in listeners { lookForGaps(node) }
    }

    /// The spared lost nothing, but for what the broadcaster itself did not have; and when all is well again nobody
    /// does.
    private func lookForGaps(_ node: ListenNode) {
        let whole = (predecessor?.node ?? broadcaster).performance
        let isSpared = spared.contains { $0 === node }
        if isSpared {
            let end = predecessor.flatMap { whole.window(at: $0.died.seconds) } ?? .max
            let missing = world.missingWindows(of: whole, for: node, quiet: World.recovery).filter { $0 < end }
            if !missing.isEmpty {
                add(Finding(.notWhole, "\(node.name) misses \(missing.count): \(missing.prefix(9))"))
            }
        }
        let from = broadcaster.performance.window(at: (healed + recovery(of: node)).seconds) ?? 0
        let hearing = node.hearing(of: broadcaster)
        if !hearing.isClean(max(0, min(from, hearing.windows.count))..<hearing.windows.count) {
            add(Finding(.notWhole, "\(node.name) from window \(from): \(hearing)"))
        }
    }

    /// A listener that was sent too much for its link may be waiting for what it was to go on with.
    private func recovery(of node: ListenNode) -> TimeSpan {
        let slot = listeners.firstIndex { $0 === node }
        let slow: Set<Fault.Kind> = [.slowReader, .stoppedReader, .weakLink]
        let wasSlow = schedule.contains { $0.victim == slot && slow.contains($0.kind) }
        return wasSlow ? Self.recovery + BroadcastLimits.longestReentry : Self.recovery
    }

    /// What sounds is the song at its place: but for a moment after the machine or the broadcaster stood still.
    private func lookForNoise(_ node: ListenNode) {
        findings += world.findingsOfStraySound(node)
        for performance in [predecessor?.node, broadcaster].compactMap({ $0?.performance }) {
            let windows = node.ear.windows(of: performance)
            let judged = judgedWindows(of: performance, node)
            let disturbed = performance.disturbedWindows(of: node.machine, quiet: World.recovery)
            var run = 0
            for index in windows.indices {
                guard judged.contains(index), let window = windows[index],
                    !disturbed.contains(where: { $0.contains(index) })
                else {
                    run = 0
                    continue
                }
                run = window.content == .other ? run + 1 : 0
                if run > Self.longestRamp { add(Finding(.stray, "\(node.name): noise in window \(index)")) }
                if window.content == .song, window.lateness.magnitude > Reconnection.skew {
                    let text = "\(node.name) is off by \(window.lateness.microseconds) us in window \(index)"
                    add(Finding(.apart, text))
                }
            }
        }
    }

    /// Windows with a fade, a gap or the song's edges in them, one after the other.
    private static let longestRamp = 4

    /// A listener leaves the song of a broadcaster that died when it hears the next.
    private func judgedWindows(of performance: Performance, _ node: ListenNode) -> Range<Int> {
        let count = performance.song.windowCount
        guard predecessor != nil else { return 0..<count }
        let next = node.ear.windows(of: broadcaster.performance)
        let first = next.firstIndex { $0?.content == .song } ?? next.count
        guard performance !== broadcaster.performance else { return first..<count }
        let start = broadcaster.performance.seconds(of: 0) ?? .infinity
        return 0..<max(0, min(count, (performance.window(at: start) ?? count) - 1))
    }
}

extension World {
    /// Each of them was told within three seconds that its broadcaster died.
    func findingsOfSilence(after died: TrueTime, _ listeners: [ListenNode]) -> [Finding] {
        guard loop.now >= died + Reconnection.noticeTime else { return [] }
        return listeners.compactMap { node in
            guard !node.hasToldLoss(between: died, and: died + Reconnection.noticeTime) else {
                return nil
            }
            return Finding(.lost, "\(node.name) was not told that its broadcaster died: \(node.notices.suffix(3))")
        }
    }
}
