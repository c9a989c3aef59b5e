import AudioCore
import Peering
import WireProtocol

/// Choosing a broadcaster, of all that welcome this listener at about the same time (``ListenLimits/choiceTime``): by
/// the rule that `ConnectionTable.preferred(of:isInHousehold:)` has for all.
extension ListenSession {
    /// Considers a broadcaster that has welcomed us.
    ///
    /// The clock of the first one is asked while the choice is open, which takes about as long: it is the one that is
    /// taken, as a rule.
    mutating func consider(_ id: ConnectionID, _ welcome: Welcome?, _ now: HostTime) {
        guard let greeting = connections[id]?.connection.greeting else { return }
        switch phase {
        // A lost broadcaster that is found again need not be compared with others.
        case .idle where disconnection.awaits(greeting): join(id, now)
        case .idle(let since):
            beginChoice(lookingSince: since, now)
            if let welcome { beginClock(id, welcome, now) }
        case .receiving(let reception) where reception.isDisconnected:
            if isReturn(greeting, of: reception) {
                join(id, now)
            } else if leaves(reception, for: id, greeting) {
                giveUp(now)
                if let welcome { beginClock(id, welcome, now) }
            }
        case .choosing, .receiving, .over: break
        }
    }

    /// Whether this is the broadcast that was lost, or its successor on the same machine. A recorder takes no
    /// successor: another broadcast's song is another recording.
    private func isReturn(_ greeting: Greeting, of reception: Reception) -> Bool {
        isRecorder
            ? greeting.process == reception.broadcaster.process : greeting.peer == reception.broadcaster.peer
    }

    /// Returns whether the listener leaves the broadcast that it lost because this one is there: it is known better, or
    /// it is a household's newer one. All others wait until all is played out, whatever they say of themselves, and so
    /// do these if the listener ends with this broadcast.
    private func leaves(_ reception: Reception, for id: ConnectionID, _ greeting: Greeting) -> Bool {
        guard !isRecorder, !configuration.once else { return false }
        let known = acquaintance(id)
        if known != reception.acquaintance { return known < reception.acquaintance }
        return known == .household && greeting.started >= reception.broadcaster.started
    }

    /// Leaves a lost broadcaster, and what is held of its song, and chooses anew.
    private mutating func giveUp(_ now: HostTime) {
        actions.append(.silence(fade: ListenLimits.stopFade))
        clock.forget()
        beginChoice(lookingSince: now, now)
        actions.append(.broadcasterChanged)
        reviewDialing()
    }

    /// Those that are on the network have answered a while after they were asked for; who comes later comes alone.
    private mutating func beginChoice(lookingSince: HostTime, _ now: HostTime) {
        let deadline = max(lookingSince + ListenLimits.choiceTime, now + ListenLimits.shortestChoiceTime)
        phase = .choosing(deadline: mustChoose ? deadline : now)
    }

    private func acquaintance(_ id: ConnectionID) -> Acquaintance {
        connections.acquaintance(id, isInHousehold: isInHousehold)
    }

    private var isInHousehold: Bool { configuration.access.household != nil }

    /// Whether more than one broadcaster could be chosen.
    private var mustChoose: Bool { configuration.address == nil && configuration.allowedNames.count != 1 }

    /// Takes the first, by the rule, of the broadcasts that have welcomed us, and refuses the others.
    mutating func choose(_ now: HostTime) {
        let candidates = connections.ids.filter { connections[$0]?.isWelcome == true }
        guard let chosen = connections.preferred(of: candidates, isInHousehold: isInHousehold) else {
            phase = .idle(since: now)
            return
        }
        if let next = connections.preferred(of: candidates.filter { $0 != chosen }, isInHousehold: isInHousehold) {
            let names = candidates.compactMap { connections[$0]?.connection.name }
            let name = connections[chosen]?.connection.name ?? ""
            tell(.severalFound(names, taken: name, because: reason(for: chosen, before: next)))
        }
        join(chosen, now)
    }

    /// Returns by which part of the rule one was taken before the next.
    private func reason(for chosen: ConnectionID, before next: ConnectionID) -> ListenNotice.Choice {
        let known = acquaintance(chosen)
        if known != acquaintance(next) { return known == .household ? .household : .heardBefore }
        let isOneMachine =
            connections[chosen]?.connection.greeting?.peer == connections[next]?.connection.greeting?.peer
        return isOneMachine ? .beganFirst : .lowestUUID
    }

    /// Becomes a member of the broadcast behind this connection.
    private mutating func join(_ id: ConnectionID, _ now: HostTime) {
        guard let greeting = connections[id]?.connection.greeting else { return }
        let reception = membership(of: greeting, over: id, now)
        phase = .receiving(reception)
        connections.admit(id)
        for peer in connections.meetings(id) { actions.append(.met(peer)) }
        switch disconnection.join(greeting, now: now) {
        case .new: tell(.joined(greeting.name))
        case .back(let span): tell(.back(greeting.name, after: span))
        case .handedOver: break
        }
        reviewDialing()
        // One that has not greeted may be a crossed dial of the same broadcaster: it is judged when it greets.
        for other in connections.ids
        where connections[other]?.connection.greeting.map({ $0.process != greeting.process }) ?? false {
            refuse(other, busy(reception), pause: .zero, now)
        }
        tellSettings(now)
        actions.append(.broadcasterChanged)
        for event in connections[id]?.pending.take() ?? [] { hear(event, from: id, now) }
    }

    /// Returns the reception that goes on, or a new one.
    private mutating func membership(of greeting: Greeting, over id: ConnectionID, _ now: HostTime) -> Reception {
        let connection = connections[id]?.connection
        if var reception, reception.broadcaster.process == greeting.process {
            reception.rejoin(over: id, connection, now: now)
            return reception
        }
        if reception != nil { actions.append(.silence(fade: ListenLimits.stopFade)) }
        actions.append(.setGroupVolume(VolumeSetting()))
        keepClock(of: id)
        ownCommands.forget()
        return Reception(of: greeting, acquaintance(id), over: id, connection, now: now)
    }
}
