import AudioCore
import Listening
import Peering
import SimulationKit

/// What must hold all the time.
extension HouseholdScenario {
    /// Within it a member that waits for a broadcast of the household is in one.
    static let joinTime = TimeSpan.seconds(1)
    /// Nobody is dialled for so long who was refused while one of the two did not know the other.
    static let refusalTime = ListenLimits.refusalPause + .seconds(2)
    /// After a cut a machine is dialled again within this time.
    static let returnTime = PeeringLimits.longestBackOff + .seconds(2)
    /// From the beginning of a broadcast until mDNS has told of it.
    private static let announcement = VirtualDiscovery.registrationTime + .milliseconds(250)
    /// How long a listener still plays what it holds after its broadcaster has refused it, or was lost.
    static let heldTime = TimeSpan.seconds(12)
    /// How long a listener is heard that knows itself that the broadcaster at the other end of its connection may not
    /// feed it: a process looks once a second whether the household is another one, and sound cards hold some of the
    /// song.
    static let fallingSilentTime = TimeSpan.seconds(2)

    func observe() {
        for machine in machines where machine.stoppedUntil == nil { knowledge.note(machine, of: machines, at: now) }
        for listener in listeners where listener.stoppedUntil == nil {
            lookForStrays(listener)
            lookAtFeed(listener)
            lookForWaiting(listener)
        }
        for machine in broadcasters where machine.stoppedUntil == nil && machine.node.outcome == nil {
            lookAtAudience(machine)
        }
    }

    /// Whether a listener has belonged to the household for so long that nothing of before is heard any more.
    private func isSettledMember(_ listener: ListeningMachine) -> Bool {
        guard let joined = listener.joined, listener.out == nil else { return false }
        return joined == .start || now > joined + Self.fallingSilentTime
    }

    private func lookForStrays(_ listener: ListeningMachine) {
        let count = listener.node.ear.straySampleCount
        if count > listener.straySampleCount, isSettledMember(listener) {
            add(.stray, "\(listener.name): \(count - listener.straySampleCount) samples while nothing was due")
        }
        listener.straySampleCount = count
    }

    // MARK: Who feeds whom

    private func lookAtFeed(_ listener: ListeningMachine) {
        let session = listener.node.session
        let instance = session.isFed ? session.broadcasterInstance : nil
        let current = instance.flatMap { broadcasts[$0] }
        if instance != nil, current == nil, listener.joined.map({ now > $0 + .seconds(2) }) ?? false,
            listener.out == nil
        {
            add(.foreign, "\(listener.name) is fed by \(session.broadcasterName ?? "")")
        }
        if let feed = listener.feed {
            if let current, current.node === feed.broadcast {
                feed.to = now
                return
            }
            if !mayEnd(feed) {
                let last = listener.node.notices.suffix(3).map { "\($0.time.seconds): \($0.notice)" }
                add(.lost, "\(listener.name) is not fed by \(feed.machine.name) any more: \(last)")
            }
            listener.feed = nil
        }
        guard let current else { return }
        if [listener, current.machine].contains(where: { $0 === strangers.victim }) { tally.floodedJoins += 1 }
        lookAtChoice(of: listener, current.machine)
        let feed = HouseholdFeed(listener, by: current.machine, current.node, from: now)
        listener.feed = feed
        feeds.append(feed)
    }

    /// Whether there is a reason why a listener is not fed any more.
    private func mayEnd(_ feed: HouseholdFeed) -> Bool {
        let wasCut = [feed.listener, feed.machine].contains { $0.isCut(within: .seconds(4), before: now) }
        guard !wasCut, feed.machine.node === feed.broadcast,
            feed.machine.isBroadcasting(for: .milliseconds(-500), after: now)
        else { return true }
        return knowledge.mutual(feed.listener, feed.machine) == nil
    }

    /// Whether a listener must get into this machine's broadcast, which has been there for so long.
    private func isForHim(_ listener: ListeningMachine, _ machine: BroadcastingMachine, since span: TimeSpan) -> Bool {
        guard machine.isBroadcasting(for: .seconds(2), after: now), now > machine.node.began + span,
            let mutual = knowledge.mutual(listener, machine),
            mutual < .start + .seconds(4) || now > mutual + Self.refusalTime
        else { return false }
        return ![listener, machine].contains { $0.isCut(within: Self.returnTime, before: now) }
    }

    private func lookForWaiting(_ listener: ListeningMachine) {
        let isWaiting = listener.node.isIdle && listener.isRunningMember
        guard isWaiting, broadcasters.contains(where: { isForHim(listener, $0, since: Self.announcement) }) else {
            listener.waiting = nil
            return
        }
        let since = listener.waiting ?? now
        listener.waiting = since
        guard now > since + Self.joinTime else { return }
        add(.lost, "\(listener.name) waits since \(since.seconds) s: \(listener.node.notices.suffix(3))")
        listener.waiting = now + .seconds(60)
    }

    /// Of two broadcasts that were there before it, a listener takes that of the lowest UUID.
    private func lookAtChoice(of listener: ListeningMachine, _ chosen: BroadcastingMachine) {
        let seen = broadcasters.filter { isForHim(listener, $0, since: .seconds(3)) }
        guard now < listener.began + .seconds(1), listener.isRunningMember, seen.count == broadcasters.count,
            let lowest = lowest(of: seen)
        else { return }
        tally.choices += 1
        guard lowest !== chosen else { return }
        add(.disagreement, "\(listener.name) takes \(chosen.name) and not \(lowest.name)")
    }

    func lowest(of machines: [BroadcastingMachine]) -> BroadcastingMachine? {
        machines.min {
            let (a, b) = ($0.key.uuid, $1.key.uuid)
            return (a.high, a.low) < (b.high, b.low)
        }
    }

    /// A broadcast feeds nobody of whom its machine does not know that it belongs to the household.
    private func lookAtAudience(_ machine: BroadcastingMachine) {
        guard machine.out == nil else { return }
        for view in machine.node.session.listeners {
            let listener = listeners.first { $0.name == view.name }
            if let listener, listener.admitted != nil, !isKnownOut(listener, to: machine) { continue }
            add(.foreign, "\(machine.name) feeds \(view.name)")
        }
    }

    private func isKnownOut(_ listener: ListeningMachine, to machine: BroadcastingMachine) -> Bool {
        let pair = HouseholdKnowledge.Pair(knower: machine.key, subject: listener.key)
        return knowledge.out[pair].map { now > $0 + .milliseconds(300) } ?? false
    }
}
