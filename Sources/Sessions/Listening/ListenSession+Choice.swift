import AudioCore
import Peering
import WireProtocol

/// Choosing a broadcaster.
extension ListenSession {
    /// Considers a broadcaster that has welcomed us.
    mutating func consider(_ id: ConnectionID, _ now: HostTime) {
        guard let greeting = connections[id]?.connection.greeting else { return }
        switch phase {
        // A lost broadcaster that is found again need not be compared with others.
        case .idle where disconnection.awaits(greeting): join(id, now)
        case .idle: phase = .choosing(deadline: now + (mustChoose ? ListenLimits.choiceTime : .zero))
        case .receiving(let reception) where reception.isDisconnected && leaves(reception, for: greeting): join(id, now)
        case .choosing, .receiving, .over: break
        }
    }

    /// Returns whether the listener gives up what it holds for this broadcast: the one it lost, that one's successor on
    /// the same machine, or a newer one. Older ones could have been chosen before, and wait until all is played out.
    private func leaves(_ reception: Reception, for greeting: Greeting) -> Bool {
        let lost = reception.broadcaster
        // Another broadcast's song is another recording.
        if isRecorder { return greeting.instance == lost.instance }
        return greeting.peer == lost.peer || greeting.started >= lost.started
    }

    /// Whether more than one broadcaster could be chosen.
    private var mustChoose: Bool { configuration.address == nil && configuration.allowedNames.count != 1 }

    /// Takes the oldest broadcast that has welcomed us, and refuses the others.
    mutating func choose(_ now: HostTime) {
        let candidates = connections.ids.filter { connections[$0]?.isWelcome == true }
        guard let oldest = candidates.min(by: { age($0) < age($1) }) else {
            phase = .idle(since: now)
            return
        }
        if candidates.count > 1 {
            let names = candidates.compactMap { connections[$0]?.connection.name }
            tell(.severalFound(names, taken: connections[oldest]?.connection.name ?? ""))
        }
        join(oldest, now)
    }

    private func age(_ id: ConnectionID) -> (Int64, UInt64) {
        let greeting = connections[id]?.connection.greeting
        return (greeting?.started ?? .max, greeting?.instance ?? .max)
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
        where connections[other]?.connection.greeting.map({ $0.instance != greeting.instance }) ?? false {
            refuse(other, busy(reception), pause: .zero, now)
        }
        tellSettings(now)
        actions.append(.broadcasterChanged)
        for event in connections[id]?.pending.take() ?? [] { hear(event, from: id, now) }
    }

    /// Returns the reception that goes on, or a new one.
    private mutating func membership(of greeting: Greeting, over id: ConnectionID, _ now: HostTime) -> Reception {
        if var reception, reception.broadcaster.instance == greeting.instance {
            reception.rejoin(over: id, now: now)
            return reception
        }
        if reception != nil { actions.append(.silence(fade: ListenLimits.stopFade)) }
        actions.append(.setGroupVolume(VolumeSetting()))
        clock.forget()
        return Reception(of: greeting, over: id, now: now)
    }
}
