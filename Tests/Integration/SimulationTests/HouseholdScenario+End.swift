import AudioCore
import Households
import SimulationKit

/// All are together again, and nothing happens any more.
extension HouseholdScenario {
    /// Nobody is away any more, and nothing plays.
    func heal() {
        broadcastsGoOn = false
        strangers.endFlood()
        for machine in machines where machine.stoppedUntil != nil { start(machine) }
        for machine in broadcasters { machine.node.stop() }
        let end = machines.flatMap(\.cuts).map(\.upperBound).max() ?? now
        look(for: max(.zero, end - now) + Self.returnTime)
    }

    /// Each member that broadcasts meets all, and then all choose between them, while one of them is flooded.
    func converge() {
        for machine in [broadcasters[0], broadcasters[1], broadcasters[0]] where isMember(machine) {
            let song = VirtualSong(title: "Meeting", duration: .seconds(30), variant: machine.variant)
            broadcast(machine, song)
            look(for: Self.refusalTime + .seconds(3))
            machine.node.stop()
            look(for: .seconds(2))
        }
        let present = broadcasters.filter(isMember)
        for machine in present {
            broadcast(machine, VirtualSong(title: "Last", duration: .seconds(20), variant: machine.variant))
        }
        strangers.flood(listeners[0])
        look(for: .seconds(5))
        lookForAgreement(on: lowest(of: present))
        look(for: .seconds(3))
    }

    /// By the household of the first broadcaster, which is never removed. Whoever was removed by one that was removed
    /// itself before it met anybody is a member still.
    private func isMember(_ machine: HouseholdMachine) -> Bool {
        broadcasters[0].identity.household?.isMember(machine.key) == true
    }

    /// All members' documents are the same, and all listen to the same broadcast.
    private func lookForAgreement(on chosen: BroadcastingMachine?) {
        let household = broadcasters[0].identity.household
        for machine in machines where household?.isMember(machine.key) == true {
            if machine.identity.household != household || machine.household != household {
                add(.disagreement, "\(machine.name) has another document than \(broadcasters[0].name)")
            }
        }
        if household?.needsSettling != false { add(.disagreement, "there is no secret") }
        if let household { lookForMembers(of: household) }
        for listener in listeners where household?.isMember(listener.key) == true {
            let broadcaster = listener.feed?.machine.name ?? "nobody"
            if listener.feed?.machine !== chosen {
                let last = listener.node.notices.suffix(3).map { "\($0.time.seconds): \($0.notice)" }
                add(.disagreement, "\(listener.name) hears \(broadcaster): \(last)")
            }
        }
    }

    // MARK: What was heard

    func lookForWrongEnd() {
        findings += strangers.findings
        lookAtTries()
        for feed in feeds { lookForFlaws(feed) }
        for listener in listeners { lookForForeignSound(listener) }
        lookForEavesdropping()
    }

    /// What a broadcast feeds is heard as long as it does, in step, though strangers are about.
    private func lookForFlaws(_ feed: HouseholdFeed) {
        // One that does not know of its household hears whom it likes.
        guard let joined = feed.listener.joined, joined <= feed.from else { return }
        let performance = feed.broadcast.performance
        let windows = feed.node.ear.windows(of: performance)
        let settled = feed.from + Reconnection.time + Reconnection.soundTime
        guard let first = performance.window(at: settled.seconds),
            let last = performance.window(at: feed.to.seconds - 0.3)
        else { return }
        let range = max(0, first)..<max(0, first, min(last, windows.count - 1))
        let cuts = (feed.listener.cuts + feed.machine.cuts).map { $0.lowerBound...$0.upperBound + .seconds(3) }
        for index in range {
            guard let time = performance.seconds(of: Double(index * HeardWindow.frameCount)),
                !cuts.contains(where: { $0.contains(TrueTime(seconds: time)) })
            else { continue }
            tally.windows += 1
            if windows[index]?.content != .song {
                let text = "\(feed.listener.name) misses window \(index), \(time) s, of \(feed.machine.name)"
                return add(.notWhole, text)
            }
            if let lateness = windows[index]?.lateness, lateness.magnitude > Reconnection.skew {
                return add(.apart, "\(feed.listener.name) is off by \(lateness.microseconds) us at \(time) s")
            }
        }
    }

    /// While a listener belongs to the household it sounds as one of its broadcasts does, or not at all; and no longer
    /// as one of a machine that it knows to be removed, or that knows it to be.
    private func lookForForeignSound(_ listener: ListeningMachine) {
        for (node, life) in listener.processes(until: now) {
            for (machine, broadcast) in inOrder { lookForParted(listener, node, machine, broadcast) }
            guard let joined = listener.joined else { continue }
            let from = max(life.lowerBound, joined == .start ? joined : joined + Self.fallingSilentTime)
            let to = min(life.upperBound, listener.out ?? life.upperBound)
            if from < to { lookForNoise(listener, node, from.seconds, to.seconds) }
        }
    }

    private var inOrder: [(BroadcastingMachine, BroadcastNode)] {
        broadcasts.sorted { $0.key < $1.key }.map { ($0.value.machine, $0.value.node) }
    }

    /// What is heard is a broadcast at its place but for moments: fades, and the first sound.
    private func lookForNoise(_ listener: ListeningMachine, _ node: ListenNode, _ from: Double, _ to: Double) {
        let heard = inOrder.map { ($0.1.performance, node.ear.windows(of: $0.1.performance)) }
        var run = 0
        for step in 0..<Int((to - from) * 50) {
            let time = from + Double(step) / 50
            let contents = heard.compactMap { performance, windows -> HeardWindow.Content? in
                guard let index = performance.window(at: time), windows.indices.contains(index) else { return nil }
                return windows[index]?.content
            }
            run = contents.contains(.other) && !contents.contains(.song) ? run + 1 : 0
            if run > Self.longestNoise { return add(.stray, "\(listener.name): noise at \(time) s") }
        }
    }

    /// Windows of 20 ms with a fade, a gap or the song's edges in them, one after the other.
    private static let longestNoise = 6

    private func lookForParted(
        _ listener: ListeningMachine, _ node: ListenNode, _ machine: BroadcastingMachine, _ broadcast: BroadcastNode
    ) {
        let parted = [
            knowledge.parting(of: listener, from: machine).map { time in
                let isConnected = [listener, machine].allSatisfy { !$0.isCut(within: Self.returnTime, before: time) }
                return time + (isConnected ? Self.fallingSilentTime : Self.heldTime)
            },
            knowledge.parting(of: machine, from: listener).map { $0 + Self.heldTime },
        ].compactMap(\.self).min()
        let windows = node.ear.windows(of: broadcast.performance)
        let wrong = windows.indices.first { index in
            guard windows[index]?.content == .song,
                let time = broadcast.performance.seconds(of: Double(index * HeardWindow.frameCount))
            else { return false }
            let isEarly = listener.admitted.map { time < $0.seconds } ?? true
            return isEarly || parted.map { time > $0.seconds } ?? false
        }
        if let wrong { add(.foreign, "\(listener.name) hears window \(wrong) of \(machine.name), to whom it is none") }
    }

    private func lookForEavesdropping() {
        for node in world.listeners where node.name == strangers.listener.name {
            for (machine, broadcast) in inOrder where !node.hearing(of: broadcast).isSilent {
                add(.foreign, "\(node.name) hears \(machine.name)")
            }
        }
    }
}
