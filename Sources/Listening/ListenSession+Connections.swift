import AudioCore
import NIOCore
import Peering
import WireProtocol

/// Who is connected, and which broadcaster is chosen.
extension ListenSession {
    mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        let isNew = connections.dialer.contact(contact.key) == nil
        for id in connections.learn(contact, now: now) { refuse(id, notAllowed, now) }
        connections.dialer.want(contact.key, mayDial(contact.key, isNew: isNew))
    }

    mutating func unlearn(_ key: PeerContact.Key, _ now: HostTime) {
        for id in connections.unlearn(key) { refuse(id, notAllowed, now) }
    }

    private var notAllowed: Refusal {
        Refusal(.notAllowed, "it takes music only from \(configuration.allowedNames.joined(separator: ", "))")
    }

    /// While in a broadcast nobody is dialled; an orphan looks for its own broadcaster, and for who is new.
    private func mayDial(_ key: PeerContact.Key, isNew: Bool) -> Bool {
        switch phase {
        case .idle, .choosing: return true
        case .orphaned:
            if case .address = key { return true }
            return isNew || key.instance == reception?.broadcaster.instance
        case .member, .draining, .over: return false
        }
    }

    mutating func reviewDialing() {
        for contact in connections.dialer.contacts {
            connections.dialer.want(contact.key, mayDial(contact.key, isNew: false))
        }
    }

    mutating func opened(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?, _ now: HostTime
    ) {
        let link = Link(connection: PeerConnection(direction: direction, address: address, now: now))
        switch connections.add(id, link, dial: dial, now: now) {
        case .taken: break
        case .takenInstead(of: let other):
            sayCrowded()
            close(other, pause: .zero, now)
        case .crowded:
            sayCrowded()
            return actions.append(.close(id))
        case .doubled, .full, .addressFull: return actions.append(.close(id))
        }
        send(WireEncoder.opening(configuration.greeting), to: id, now)
    }

    private mutating func sayCrowded() {
        sayOnce(
            .warning,
            "more than \(ListenLimits.candidateCount) connections bring no broadcast: some of those whose addresses have "
                + "most are closed")
    }

    mutating func dialFailed(_ dial: Dialer.Dial, _ failure: DialFailure, _ now: HostTime) {
        connections.dialer.dialEnded(dial.id, failure: failure, now: now)
        guard case .address = dial.key, !hasToldPatience else { return }
        hasToldPatience = true
        actions.append(.notice(.warning, "no broadcaster answers at \(dial.address); trying again until one does"))
    }

    mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            for event in try connections.receive(id, bytes, now: now) { receive(id, event, now) }
            boundCandidates(id, now)
        } catch {
            refuse(id, Refusal(.protocolError, "\(error)"), now)
        }
    }

    private mutating func receive(_ id: ConnectionID, _ event: PeerEvent, _ now: HostTime) {
        guard connections[id] != nil else { return }
        switch event {
        case .message(.greeting(let greeting)): greet(id, greeting, now)
        case .message(.refusal(let refusal)): refused(id, refusal, now)
        case _ where phase == .member(id): hear(event, from: id, now)
        default: keep(event, of: id, now)
        }
    }

    /// Keeps what a candidate says until one is chosen, but for what would be of no use then.
    private mutating func keep(_ event: PeerEvent, of id: ConnectionID, _ now: HostTime) {
        switch event {
        case .message(.clock), .message(.report), .message(.roster): return
        default: break
        }
        let isWelcome = if case .message(.welcome) = event { true } else { false }
        var isTooMuch = false
        connections.change(id) { link in
            link.pending.append(event.detached)
            link.pendingByteCount += event.heldByteCount
            link.isWelcome = link.isWelcome || isWelcome
            isTooMuch =
                link.pending.count > ListenLimits.pendingEventCount
                || link.pendingByteCount > ListenLimits.pendingByteCount
        }
        if isTooMuch {
            refuse(id, tooMuch, now)
        } else if isWelcome {
            consider(id, now)
        }
    }

    /// What all candidates said together is bounded as well.
    private mutating func boundCandidates(_ id: ConnectionID, _ now: HostTime) {
        guard phase != .member(id), let link = connections[id] else { return }
        let byteCount = link.pendingByteCount + link.pending.count * ListenLimits.pendingEventByteCount
        guard let heaviest = connections.hold(id, byteCount: byteCount) else { return }
        refuse(heaviest, tooMuch, now)
    }

    private var tooMuch: Refusal { Refusal(.protocolError, "too much was sent before it was wanted") }

    /// A broadcaster would feed us.
    private mutating func consider(_ id: ConnectionID, _ now: HostTime) {
        switch phase {
        // Who was lost and is found again need not be compared with others.
        case .idle where isMissed(connections[id]?.connection.greeting): join(id, now)
        case .idle: phase = .choosing(deadline: now + (mustChoose ? ListenLimits.choiceTime : .zero))
        case .orphaned where mayConsole(connections[id]?.connection.greeting): join(id, now)
        default: break
        }
    }

    private mutating func greet(_ id: ConnectionID, _ greeting: Greeting, _ now: HostTime) {
        if let refusal = objection(to: greeting, from: id) {
            refuse(id, refusal, now)
            return
        }
        switch connections.claim(id, now: now) {
        case .unopposed, .contested: connections.accept(id)
        case .superfluous: refuse(id, .otherConnection, now)
        }
    }

    /// Whether an orphan leaves what it holds for this broadcast: for the one that it lost, its successor on the same
    /// machine, or a newer one. Older ones were there to be chosen before: they wait until all is played out.
    private func mayConsole(_ greeting: Greeting?) -> Bool {
        guard let greeting, let lost = reception?.broadcaster else { return false }
        // What another broadcast plays is another recording.
        if isRecorder { return greeting.instance == lost.instance }
        return greeting.peer == lost.peer || greeting.started >= lost.started
    }

    /// Whether this is the broadcaster that was lost last, or its successor on the same machine.
    private func isMissed(_ greeting: Greeting?) -> Bool {
        greeting.map { $0.peer == missed?.broadcaster.peer && $0.name == missed?.broadcaster.name } ?? false
    }

    /// Whether more than one broadcaster could come into question.
    private var mustChoose: Bool { configuration.address == nil && configuration.allowedNames.count != 1 }

    private func objection(to greeting: Greeting, from id: ConnectionID) -> Refusal? {
        if greeting.instance == configuration.greeting.instance {
            return Refusal(.duplicate, "that is this very process")
        }
        if !greeting.roles.contains(.broadcaster) { return Refusal(.wrongRole, "both sides listen") }
        if !connections.isAllowed(id), !isMissed(greeting) { return notAllowed }
        guard let reception, reception.broadcaster.instance != greeting.instance else { return nil }
        switch phase {
        case .member, .draining: return busy(reception)
        default: return nil
        }
    }

    private func busy(_ reception: Reception) -> Refusal {
        let title = reception.summary.info[.title].map { "\($0) " } ?? ""
        return Refusal(.busy, "playing \(title)from \(reception.broadcaster.name)")
    }

    /// Takes the oldest broadcast of those that welcome us, and tells the others.
    mutating func choose(_ now: HostTime) {
        let candidates = connections.ids.filter { connections[$0]?.isWelcome == true }
        let oldest = candidates.min { age($0) < age($1) }
        guard let oldest else {
            phase = .idle(since: now)
            return
        }
        if candidates.count > 1 {
            let names = candidates.compactMap { connections[$0]?.connection.name }.joined(separator: ", ")
            let taken = connections[oldest]?.connection.name ?? ""
            actions.append(
                .notice(.info, "several broadcasts: \(names); taking the oldest, \(taken) (choose with --from NAME)"))
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
        if reception?.broadcaster.instance != greeting.instance {
            if reception != nil { actions.append(.silence(fade: ListenLimits.stopFade)) }
            reception = Reception(broadcaster: greeting, joined: now)
            clock = nil
            woken = nil
        } else {
            reception?.joined = now
        }
        let isHandedOver =
            missed.map { reception != nil && !$0.isTold && $0.broadcaster.instance == greeting.instance } ?? false
        if !isHandedOver { actions.append(.notice(.info, welcomeLine(for: greeting, now))) }
        missed = nil
        phase = .member(id)
        connections.admit(id)
        lastReport = nil
        reviewDialing()
        if let reception {
            // One that has not greeted yet may be the same broadcaster's crossed dial: it is judged when it greets.
            for other in connections.ids
            where connections[other]?.connection.greeting.map({ $0.instance != greeting.instance }) ?? false {
                refuse(other, busy(reception), pause: .zero, now)
            }
        }
        actions.append(.advertise)
        let pending = connections[id]?.pending ?? []
        connections[id]?.pending = []
        for event in pending { hear(event, from: id, now) }
    }

    private func welcomeLine(for greeting: Greeting, _ now: HostTime) -> String {
        guard let missed, missed.broadcaster.instance == greeting.instance else { return "joined \(greeting.name)" }
        let seconds = Int((now - missed.since).seconds.rounded())
        return "\(greeting.name) is back" + (seconds > 0 ? " after \(seconds) s" : "")
    }

    /// The broadcaster said no.
    private mutating func refused(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard let link = connections[id] else { return }
        let (name, address) = (link.connection.name, link.connection.address)
        if refusal.reason != .duplicate {
            sayOnce(.warning, "\(name) refuses: \(refusal.text)", .refusedBy, from: address)
        }
        close(id, pause: refusal.reason == .duplicate ? .zero : ListenLimits.refusalPause, now)
        if phase == .member(id) { becomeOrphan(now, isHandedOver: refusal.reason == .duplicate) }
    }

    /// Lines of one kind can keep each other from being told, where peers bring them about; see ``SaidLines``.
    enum SaidKind: Hashable, Sendable {
        case refusedBy, clockOverTCP, clockByUDP, device, start
        case refused(Refusal.Reason)
    }

    /// Says a line that would come again with every try only the first time.
    /// - Parameter address: of the peer that brings it about; empty where none does, or none but the broadcaster.
    mutating func sayOnce(_ level: NoticeLevel, _ text: String, _ kind: SaidKind, from address: String = "") {
        if said.isNew(text, kind, from: address) { actions.append(.notice(level, text)) }
    }

    private mutating func refuse(
        _ id: ConnectionID, _ refusal: Refusal, pause: TimeSpan = ListenLimits.refusalPause, _ now: HostTime
    ) {
        guard let link = connections[id] else { return }
        send(WireEncoder.refusal(refusal), to: id, now)
        let level: NoticeLevel = refusal.reason == .protocolError ? .warning : .detail
        sayOnce(
            level, "refused \(link.connection.name): \(refusal.text)", .refused(refusal.reason),
            from: link.connection.address)
        close(id, pause: pause, now)
        if phase == .member(id) { becomeOrphan(now) }
    }

    mutating func closed(_ id: ConnectionID, _ now: HostTime) {
        guard connections[id] != nil else { return }
        close(id, pause: .zero, isMissed: phase == .member(id), now)
        if phase == .member(id) { becomeOrphan(now) }
    }

    /// Ends a connection; its peer is not dialled again before `pause` is over.
    mutating func close(_ id: ConnectionID, pause: TimeSpan, isMissed: Bool = false, _ now: HostTime) {
        let link = connections.remove(id, pause: pause, isMissed: isMissed, now: now)
        if link != nil { actions.append(.close(id)) }
    }

    /// - Parameter isHandedOver: the broadcaster said that another connection goes on.
    private mutating func becomeOrphan(_ now: HostTime, isHandedOver: Bool = false) {
        guard let reception else { return }
        phase = .orphaned(since: now)
        missed = (reception.broadcaster, now, isTold: false)
        if let epoch = reception.epoch, reception.hasBegun {
            brokenOff = BrokenReception(
                instance: reception.broadcaster.instance, epoch: epoch, received: reception.received)
        }
        endClock()
        let other = connections.ids.first { isOf(reception.broadcaster, $0) }
        if let other, connections[other]?.isWelcome == true {
            consider(other, now)
        } else if other == nil, !isHandedOver {
            tellLoss(of: reception.broadcaster)
        }
        reviewDialing()
    }

    /// Whether a connection is with this process.
    private func isOf(_ broadcaster: Greeting, _ id: ConnectionID) -> Bool {
        connections[id]?.connection.greeting?.instance == broadcaster.instance
    }

    /// Another connection was to go on, and did not.
    mutating func tellBelatedLoss(_ now: HostTime) {
        guard let missed, !missed.isTold, now - missed.since > PeeringLimits.handoverTime else { return }
        tellLoss(of: missed.broadcaster)
    }

    private mutating func tellLoss(of broadcaster: Greeting) {
        missed?.isTold = true
        let held = woken == nil ? "playing what is held, " : ""
        let wait =
            isRecorder
            ? "waiting \(Int(ListenLimits.recorderPatience.seconds)) s for it" : "\(held)waiting for a broadcast"
        actions.append(.notice(.warning, "lost \(broadcaster.name): \(wait)"))
    }

    mutating func superviseConnections(_ now: HostTime) {
        _ = connections.look(now)
        for id in connections.losers(now) { refuse(id, .otherConnection, now) }
        for id in connections.silent(now) {
            actions.append(.notice(.detail, "nothing heard from \(connections[id]?.connection.name ?? "")"))
            actions.append(.abort(id))
            closed(id, now)
        }
        for id in connections.candidates(since: ListenLimits.longestCandidacy, now: now)
        where connections[id]?.isWelcome == false {
            closed(id, now)
        }
        for id in connections.keepAlivesDue(now) { send(WireEncoder.keepAlive(), to: id, now) }
    }

    mutating func send(_ bytes: ByteBuffer, to id: ConnectionID, _ now: HostTime) {
        connections.said(id, now: now)
        actions.append(.send(id, bytes))
    }
}

extension PeerEvent {
    /// Bytes of what may be long.
    fileprivate var heldByteCount: Int {
        switch self {
        case .packets(let packets, let data):
            data.readableBytes + packets.count * MemoryLayout<AudioPacketDescription>.stride
        case .property(.magicCookie(let cookie)): cookie.count
        case .property(.info(_, let text)): text.utf8.count
        case .property, .message: 0
        }
    }
}
