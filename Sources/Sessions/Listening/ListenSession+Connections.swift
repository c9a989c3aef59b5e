import AudioCore
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// Accepting, dialling and dropping connections.
extension ListenSession {
    mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        let isNew = connections.dialer.contact(contact.key) == nil
        for id in connections.updateContact(contact, now: now) { refuseUnwanted(id, now) }
        connections.dialer.setWanted(contact.key, mayDial(contact.key, isNew: isNew))
    }

    mutating func unlearn(_ key: PeerContact.Key, _ now: HostTime) {
        for id in connections.forgetContact(key) { refuseUnwanted(id, now) }
    }

    /// Refuses a broadcaster that is none of those that the user named.
    private mutating func refuseUnwanted(_ id: ConnectionID, _ now: HostTime) {
        guard connections.isNamed(id) else {
            let names = configuration.allowedNames.joined(separator: ", ")
            return refuse(id, Refusal(.notAllowed, "it takes music only from \(names)"), now)
        }
        actions.append(.watchPins)
        refuse(id, .anotherKey, pause: ListenLimits.anotherKeyPause, now)
    }

    /// Tells of a broadcaster whose name belongs to another key.
    private mutating func tellContradictions(by id: ConnectionID) {
        guard let link = connections[id], let key = link.connection.remoteKey else { return }
        for pin in connections.contradictedPins(id) {
            tellOnce(.anotherKey(name: pin.name.text, key), from: link.connection.address)
        }
    }

    /// Returns whether to dial this contact. In a broadcast nobody is dialled; a listener that lost its broadcaster
    /// dials that one, new ones, and the address that the user named.
    private func mayDial(_ key: PeerContact.Key, isNew: Bool) -> Bool {
        switch phase {
        case .idle, .choosing: return true
        case .receiving(let reception) where reception.isDisconnected:
            if case .address = key { return true }
            return isNew || connections.dialer.contact(key)?.isOf(reception.broadcaster.process) == true
        case .receiving, .over: return false
        }
    }

    mutating func reviewDialing() {
        for contact in connections.dialer.contacts {
            connections.dialer.setWanted(contact.key, mayDial(contact.key, isNew: false))
        }
    }

    mutating func opened(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?, _ now: HostTime
    ) {
        let link = Link(connection: PeerConnection(direction: direction, address: address, now: now))
        switch connections.add(id, link, dial: dial, now: now) {
        case .taken: break
        case .takenInstead(of: let other):
            tellCrowded()
            close(other, pause: .zero, now)
        case .crowded:
            tellCrowded()
            return actions.append(.close(id))
        case .doubled, .full, .addressFull: return actions.append(.close(id))
        }
        send(WireEncoder.greeting(configuration.greeting), to: id, now)
    }

    private mutating func tellCrowded() { tellOnce(.crowded(limit: ListenLimits.candidateCount)) }

    mutating func dialFailed(_ dial: Dialer.Dial, _ failure: DialFailure, _ now: HostTime) {
        connections.dialer.dialDidEnd(dial.id, failure: failure, now: now)
        guard case .address = dial.key, !hasToldWaiting else { return }
        hasToldWaiting = true
        tell(.unanswered(dial.address))
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
        case .message(.household(let document)): actions.append(.household(id, document))
        case .message(.lookup(let lookup)): lookUp(lookup, for: id, now)
        case _ where isMember(of: id): hear(event, from: id, now)
        default: keep(event, of: id, now)
        }
    }

    /// Keeps what a candidate sends until one is chosen.
    private mutating func keep(_ event: PeerEvent, of id: ConnectionID, _ now: HostTime) {
        let welcome: Welcome? = if case .message(.welcome(let welcome)) = event { welcome } else { nil }
        var isKept = true
        connections.change(id) { link in
            isKept = link.pending.keep(event.detached)
            link.isWelcome = link.isWelcome || welcome != nil
        }
        if !isKept {
            refuse(id, tooMuch, now)
        } else if let welcome {
            consider(id, welcome, now)
        }
    }

    /// Bounds what all candidates together have sent.
    private mutating func boundCandidates(_ id: ConnectionID, _ now: HostTime) {
        guard !isMember(of: id), let link = connections[id] else { return }
        guard let heaviest = connections.hold(id, byteCount: link.pending.heldByteCount) else { return }
        refuse(heaviest, tooMuch, now)
    }

    private var tooMuch: Refusal { Refusal(.protocolError, "too much data was sent before the broadcast was chosen") }

    private mutating func greet(_ id: ConnectionID, _ greeting: Greeting, _ now: HostTime) {
        // A member that comes about the household, or looks for songs: it closes the connection itself.
        if greeting.roles == .controller, connections[id]?.connection.standing.mayReadLibrary == true { return }
        if let refusal = objection(to: greeting) {
            refuse(id, refusal, now)
            return
        }
        tellContradictions(by: id)
        if !connections.isAllowed(id), !disconnection.awaits(greeting) {
            refuseUnwanted(id, now)
            return
        }
        if let reception, reception.broadcaster.process != greeting.process, !reception.isDisconnected {
            refuse(id, busy(reception), now)
            return
        }
        switch connections.claim(id, now: now) {
        case .unopposed, .contested: connections.accept(id)
        case .superfluous: refuse(id, .otherConnection, now)
        }
    }

    /// Looks up songs, or what is wrong with this machine, for a member that came to ask.
    private mutating func lookUp(_ lookup: Lookup, for id: ConnectionID, _ now: HostTime) {
        guard let link = connections[id], link.connection.greeting?.roles == .controller,
            link.connection.standing.mayReadLibrary
        else { return }
        switch lookup.subject {
        case .songs, .findings: actions.append(.lookUp(id, lookup))
        case .lyrics, .artwork, .levels, .unknown:
            let nothing = Finding(id: lookup.id, .nothing(reason: LookupRefusal.unknownSubject))
            send(WireEncoder.finding(nothing), to: id, now)
        }
    }

    /// Why nobody could hear this peer; nil if it broadcasts.
    private func objection(to greeting: Greeting) -> Refusal? {
        if greeting.instance == configuration.greeting.instance {
            return Refusal(.duplicate, "that is this very process")
        }
        if greeting.roles == .controller {
            return Refusal(.wrongRole, "it broadcasts nothing, and \(LookupRefusal.foreignLibrary)")
        }
        return greeting.roles.contains(.broadcaster) ? nil : Refusal(.wrongRole, "both sides listen")
    }

    func busy(_ reception: Reception) -> Refusal {
        let title = reception.summary.info[.title].map { "\($0) " } ?? ""
        return Refusal(.busy, "playing \(title)from \(reception.broadcaster.name)")
    }

    /// Handles a broadcaster's refusal.
    private mutating func refused(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard let link = connections[id] else { return }
        if refusal.reason != .duplicate {
            tellOnce(.refused(by: link.connection.name, reason: refusal.text), from: link.connection.address)
        }
        close(id, pause: refusal.reason == .duplicate ? .zero : ListenLimits.refusalPause, now)
        if isMember(of: id) { loseBroadcaster(now, isHandedOver: refusal.reason == .duplicate) }
    }

    mutating func refuse(
        _ id: ConnectionID, _ refusal: Refusal, pause: TimeSpan = ListenLimits.refusalPause, _ now: HostTime
    ) {
        guard let link = connections[id] else { return }
        send(WireEncoder.refusal(refusal), to: id, now)
        tellOnce(
            .turnedAway(
                link.connection.name, reason: refusal.text, brokeProtocol: refusal.reason == .protocolError),
            from: link.connection.address)
        close(id, pause: pause, now)
        // This listener alone knows when it is free: it dials then, at once.
        if refusal.reason == .busy, let process = link.connection.greeting?.process {
            connections.endPause(of: process, now: now)
        }
        if isMember(of: id) { loseBroadcaster(now) }
    }

    /// Refuses a peer that sent what makes no sense. One that left in the middle of something is lost, and dialled
    /// again like any other; why is told if it had not greeted.
    mutating func broke(_ id: ConnectionID, _ error: ConnectionSecurityError, _ now: HostTime) {
        guard let link = connections[id] else { return }
        guard error.isEarlyEnd else { return refuse(id, Refusal(.protocolError, "\(error)"), now) }
        if link.connection.greeting == nil {
            let isNamed = if case .address? = link.contact { true } else { false }
            tellOnce(
                .leftEarly(link.connection.name, reason: "\(error)", isNamed: isNamed), from: link.connection.address)
        }
        closed(id, now)
    }

    mutating func closed(_ id: ConnectionID, _ now: HostTime) {
        guard connections[id] != nil else { return }
        close(id, pause: .zero, isLost: isMember(of: id), now)
        if isMember(of: id) { loseBroadcaster(now) }
    }

    /// Closes a connection; its peer is not dialled again within `pause`.
    mutating func close(_ id: ConnectionID, pause: TimeSpan, isLost: Bool = false, _ now: HostTime) {
        let link = connections.remove(id, pause: pause, isLost: isLost, now: now)
        if link != nil { actions.append(.close(id)) }
        forgetClock(of: id)
    }

    /// Handles the loss of the broadcaster.
    /// - Parameter isHandedOver: whether the broadcaster announced that another connection takes over.
    private mutating func loseBroadcaster(_ now: HostTime, isHandedOver: Bool = false) {
        guard let reception else { return }
        change { $0.lose(now: now) }
        disconnection.lose(reception.broadcaster, at: reception.place, now: now)
        endClock()
        let other = connections.ids.first { isOf(reception.broadcaster, $0) }
        if let other, connections[other]?.isWelcome == true {
            consider(other, nil, now)
        } else if other == nil, !isHandedOver {
            tellLoss(of: reception)
        }
        reviewDialing()
    }

    /// Returns whether a connection leads to this process.
    private func isOf(_ broadcaster: Greeting, _ id: ConnectionID) -> Bool {
        connections[id]?.connection.greeting?.process == broadcaster.process
    }

    mutating func tellLoss(of reception: Reception) {
        disconnection.noteTold()
        let waiting: ListenNotice.Waiting =
            isRecorder
            ? .forItsReturn(atMost: ListenLimits.recorderPatience) : .forABroadcast(playsOn: !clock.isVoid)
        tell(.lost(reception.broadcaster.name, waiting))
    }

    mutating func superviseConnections(_ now: HostTime) {
        _ = connections.discountPause(now)
        for id in connections.losers(now) { refuse(id, .otherConnection, now) }
        for id in connections.silent(now) {
            tell(.mute(connections[id]?.connection.name ?? ""))
            actions.append(.abort(id))
            closed(id, now)
        }
        for id in connections.candidates(since: ListenLimits.longestCandidacy, now: now)
        where connections[id]?.isWelcome == false {
            closed(id, now)
        }
        for id in connections.keepAlivesDue(now) { send(WireEncoder.keepAlive(), to: id, now) }
    }
}
